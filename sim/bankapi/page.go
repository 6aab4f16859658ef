package bankapi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// page is which part of a list is asked for: the paging and sorting parameters of section 4.6, read as Spring
// Data reads them (published, convention).
type page struct {
	number int       // from 0
	size   int       // items, at least 1
	keys   []sortKey // the most significant first, each property once
	kept   string    // other parameters that links repeat: "&groupId=…"
	sort   string    // the sort parameters that links repeat: "&sort=…"
}

// sortKey is a property that a list is sorted by.
type sortKey struct {
	property   string
	descending bool
}

var groupProperties = sim.GroupPropertyNames()

// unwrapPageable reads the parameters of a list that are members of an object pageable as those at the top, in the public dialect.
func (x *exchange) unwrapPageable() {
	if x.op.Dialect != sim.DialectPublic || !x.op.TakesQuery("page") {
		return
	}
	for _, name := range []string{"page", "size", "sort"} {
		for _, form := range []string{"pageable[" + name + "]", "pageable." + name} {
			if wrapped, ok := x.query[form]; ok {
				delete(x.query, form)
				x.restsOn(contract.GroupsListPageable)
				if !x.query.Has(name) {
					x.query[name] = wrapped
				}
			}
		}
	}
}

func (x *exchange) groupPage() (page, sim.GroupOrder, error) {
	properties := groupProperties
	if own := x.behavior.Groups.SortProperties; len(own) > 0 {
		properties = own
		x.restsOn(contract.GroupsListSortProperties)
	}
	p, err := x.listPage("a group", properties)
	if err != nil {
		return p, sim.GroupOrder{}, err
	}
	var order sim.GroupOrder
	for _, k := range p.keys {
		by := sim.GroupProperty(k.property)
		order = order.Then(by, k.descending)
		if by == sim.ByGroupType || by == sim.ByNoOfParticipants {
			x.restsOn(contract.GroupsListSortMembers)
		}
	}
	x.restsOnOrder(p, contract.GroupsListSort, contract.GroupsListOrder)
	return p, order, nil
}

// restsOnOrder notes the entry that the order of a list rests on: one if the request asks for an order, the other if not.
func (x *exchange) restsOnOrder(p page, asked, unasked *contract.Entry) {
	if p.sort == "" {
		asked = unasked
	}
	x.restsOn(asked)
}

// listPage reads the parameters of a list. What is not a number, or too small, falls back to the default, and a size
// that is too large is the largest. An unknown sort property is refused with SortPropertyUnknown, unless the scenario says
// otherwise.
func (x *exchange) listPage(element string, properties []string) (page, error) {
	b := x.behavior.Groups
	p := page{
		number: x.number("page", 0, 0),
		size:   x.number("size", 1, b.DefaultPageSize),
	}
	if p.size > b.MaxPageSize && x.query.Get("size") != "" {
		x.lint("page-size-capped", "size is above the largest page size, which is used instead")
		x.restsOn(contract.GroupsListMaxSize)
		p.size = b.MaxPageSize
	}
	if x.query.Get("size") == "" {
		x.restsOn(contract.GroupsListDefaultSize)
	}
	for _, sort := range x.query["sort"] {
		unknown, isUnknown := p.addSort(sort, properties)
		switch {
		case !isUnknown:
		case b.UnknownSort == sim.UnknownSortError:
			return page{}, sim.Refuse(sim.SortPropertyUnknown, "%s has no property %q to sort by", element, unknown)
		default:
			x.restsOn(contract.GroupsListUnknownSort)
		}
	}
	return p, nil
}

// number reads a query parameter that is a number of 32 bits from low on. Of several values, the first counts.
func (x *exchange) number(name string, low, fallback int) int {
	if len(x.query[name]) > 1 {
		x.lint("page-parameter-repeated", name+" is given more than once: the first value counts")
		x.restsOn(contract.EverywhereRepeatedParameter)
	}
	text := x.query.Get(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || int(n) < low {
		x.lint("page-parameter-ignored", name+" is not a number, or out of range: the default is used")
		x.restsOn(contract.GroupsListFallback)
		return fallback
	}
	return int(n)
}

// addSort reads one sort parameter: property[,property…][,asc|desc]. It reports the first property that is unknown.
func (p *page) addSort(value string, properties []string) (unknown string, isUnknown bool) {
	names := strings.Split(value, ",")
	direction := "asc"
	if last := strings.ToLower(names[len(names)-1]); last == "asc" || last == "desc" {
		direction = last
		names = names[:len(names)-1]
	}
	var kept []string
	for _, name := range names {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
		case slices.Contains(properties, name):
			kept = append(kept, name)
			if !slices.ContainsFunc(p.keys, func(k sortKey) bool { return k.property == name }) {
				p.keys = append(p.keys, sortKey{name, direction == "desc"})
			}
		case !isUnknown:
			unknown, isUnknown = name, true
		}
	}
	if len(kept) > 0 {
		p.sort += "&sort=" + strings.Join(append(kept, direction), ",")
	}
	return unknown, isUnknown
}

func (p page) pages(total int) int { return (total + p.size - 1) / p.size }

type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// links returns the links of a page, in the order and under the conditions of Spring HATEOAS: first and last where there is
// another page, prev and next where there is one on that side.
func (p page) links(path string, total int) []link {
	last := max(p.pages(total)-1, 0)
	hasPrevious, hasNext := p.number > 0, p.number < last
	to := func(rel string, number int) link {
		return link{rel, path + "?page=" + strconv.Itoa(number) + "&size=" + strconv.Itoa(p.size) + p.kept + p.sort}
	}
	links := make([]link, 0, 5)
	if hasPrevious || hasNext {
		links = append(links, to("first", 0))
	}
	if hasPrevious {
		links = append(links, to("prev", p.number-1))
	}
	links = append(links, to("self", p.number))
	if hasNext {
		links = append(links, to("next", p.number+1))
	}
	if hasPrevious || hasNext {
		links = append(links, to("last", last))
	}
	return links
}

// pageSummary is the page object of the envelope.
type pageSummary struct {
	Size          int `json:"size"`
	TotalElements int `json:"totalElements"`
	TotalPages    int `json:"totalPages"`
	Number        int `json:"number"`
}

// pageReply returns the reply with a page of a list, whose content is JSON already.
func (x *exchange) pageReply(p page, path string, total int, content []byte) reply {
	if total <= p.number*p.size && p.number > 0 {
		x.restsOn(contract.GroupsListPastTheEnd)
	}
	return x.jsonReply(slices.Concat(
		[]byte(`{"links":`), wire.MustEncode(p.links(path, total)),
		[]byte(`,"content":`), content,
		[]byte(`,"page":`), wire.MustEncode(pageSummary{p.size, total, p.pages(total), p.number}), []byte("}"),
	))
}
