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
	number int           // from 0
	size   int           // items, at least 1
	keys   []sim.SortKey // the most significant first, each property once
	kept   string        // another parameter that links repeat: "&groupId=…"
	sort   string        // the sort parameters that links repeat: "&sort=…"
}

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

// groupPage reads the parameters of a group list.
func (x *exchange) groupPage() (page, error) {
	properties := sim.GroupProperties
	if own := x.behavior.Groups.SortProperties; len(own) > 0 {
		properties = own
		x.restsOn(contract.GroupsListSortProperties)
	}
	p, err := x.listPage("a group", properties, contract.GroupsListSort, contract.GroupsListOrder)
	if err != nil {
		return p, err
	}
	isMember := func(k sim.SortKey) bool { return k.By == sim.ByGroupType || k.By == sim.ByNoOfParticipants }
	if slices.ContainsFunc(p.keys, isMember) {
		x.lint("sort-by-member", "groupType and noOfParticipants are members of the list, but not documented as properties to sort by")
		x.restsOn(contract.GroupsListSortMembers)
	}
	return p, nil
}

// listPage reads the parameters of a list. What is not a number, or too small, falls back to the default, and a size
// that is too large is the largest. An unknown sort property is refused with SortPropertyUnknown, unless the scenario says
// otherwise. The order of the list rests on one entry if the request asks for an order, and on the other if not.
func (x *exchange) listPage(element string, properties []string, asked, unasked *contract.Entry) (page, error) {
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
	if p.sort == "" {
		asked = unasked
	}
	x.restsOn(asked)
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
			if !slices.ContainsFunc(p.keys, func(k sim.SortKey) bool { return k.By == name }) {
				p.keys = append(p.keys, sim.SortKey{By: name, Descending: direction == "desc"})
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

// pages returns how many pages a list has.
func (p page) pages(total int) int { return (total + p.size - 1) / p.size }

// appendLinks appends the array of links, in the order and under the conditions of Spring HATEOAS: first and last
// where there is another page, prev and next where there is one on that side.
func (p page) appendLinks(b []byte, path string, total int) []byte {
	last := max(p.pages(total)-1, 0)
	hasPrevious, hasNext := p.number > 0, p.number < last
	// All that differs between the links is a number, so the rest is put together once.
	var room [256]byte // on the stack
	quoted := wire.AppendString(room[:0], path)
	before := append(quoted[:len(quoted)-1], "?page="...)
	after := "&size=" + strconv.Itoa(p.size) + p.kept + p.sort + `"},` // in sort are names of ours, and nothing to escape
	link := func(rel string, number int) {
		b = append(b, `{"rel":"`...)
		b = append(b, rel...)
		b = append(b, `","href":`...)
		b = append(b, before...)
		b = strconv.AppendInt(b, int64(number), 10)
		b = append(b, after...)
	}
	b = append(b, '[')
	if hasPrevious || hasNext {
		link("first", 0)
	}
	if hasPrevious {
		link("prev", p.number-1)
	}
	link("self", p.number)
	if hasNext {
		link("next", p.number+1)
	}
	if hasPrevious || hasNext {
		link("last", last)
	}
	b[len(b)-1] = ']' // in the place of the last comma
	return b
}

// appendSummary appends the page object of the envelope.
func (p page) appendSummary(b []byte, total int) []byte {
	b = append(b, `{"size":`...)
	b = strconv.AppendInt(b, int64(p.size), 10)
	b = append(b, `,"totalElements":`...)
	b = strconv.AppendInt(b, int64(total), 10)
	b = append(b, `,"totalPages":`...)
	b = strconv.AppendInt(b, int64(p.pages(total)), 10)
	b = append(b, `,"number":`...)
	b = strconv.AppendInt(b, int64(p.number), 10)
	return append(b, '}')
}

// pageReply returns the reply with a page of a list, whose content a function appends as JSON of about so many bytes.
func (x *exchange) pageReply(p page, path string, total, size int, content func([]byte) []byte) reply {
	if total <= p.number*p.size && p.number > 0 {
		x.restsOn(contract.GroupsListPastTheEnd)
	}
	var room [1 << 10]byte // on the stack
	links := p.appendLinks(append(room[:0], `{"links":`...), path, total)
	b := append(make([]byte, 0, len(links)+size+112), links...) // 112 around the rows: the journal would keep more
	b = content(append(b, `,"content":`...))
	b = p.appendSummary(append(b, `,"page":`...), total)
	return x.jsonReply(append(b, '}'))
}
