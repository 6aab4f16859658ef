package conformance

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// listPage is a page of a list (section 2.6).
type listPage struct {
	Links   []struct{ Rel, Href string }
	Content []map[string]any
	Page    *struct{ Size, TotalElements, TotalPages, Number int }
}

// compareList compares what follows from the place of a page in its list: how many elements it has, its links, and
// the order of its elements. Which elements there are depends on the bank.
func (x comparison) compareList(wanted, body []byte) []mismatch {
	var want, got listPage
	if json.Unmarshal(wanted, &want) != nil || json.Unmarshal(body, &got) != nil {
		return nil
	}
	if x.Operation() == contract.AlertsListPreferences.Name {
		return x.compareAlerts(body)
	}
	if want.Page == nil || got.Page == nil || got.Page.Size <= 0 {
		return nil
	}
	page := *got.Page
	pages := (page.TotalElements + page.Size - 1) / page.Size
	elements := max(min(page.TotalElements-page.Number*page.Size, page.Size), 0)
	link := func(rel string, number int) string { return rel + " " + x.address(want, number) }
	links := []string{link("self", page.Number)}
	hasPrevious, hasNext := page.Number > 0, page.Number+1 < pages
	if hasPrevious {
		links = slices.Insert(links, 0, link("prev", page.Number-1))
	}
	if hasNext {
		links = append(links, link("next", page.Number+1))
	}
	if hasPrevious || hasNext {
		links = append(slices.Insert(links, 0, link("first", 0)), link("last", max(pages-1, 0)))
	}
	var given []string
	for _, l := range got.Links {
		given = append(given, l.Rel+" "+inOrder(l.Href))
	}
	listed := len(got.Content)
	switch {
	case page.TotalPages != pages:
		expected, given := strconv.Itoa(pages), strconv.Itoa(page.TotalPages)
		return []mismatch{{".page.totalPages", contract.GroupsListPaging, expected, given}}
	case listed != elements:
		expected := wording.Count(elements, "element")
		return []mismatch{{".content", contract.GroupsListPaging, expected, strconv.Itoa(listed)}}
	case !slices.Equal(links, given):
		return []mismatch{{".links", contract.GroupsListLinks, strings.Join(links, ", "), strings.Join(given, ", ")}}
	case len(want.Content) == 0, listed == 0:
		return nil
	}
	return append(x.wrongOrder(want, got), x.wrongLinks(want, got)...)
}

// compareAlerts compares what every list of alert preferences has: no more elements than were asked for, in the
// order of their ids.
func (x comparison) compareAlerts(body []byte) []mismatch {
	var list struct {
		AlertPreferences []struct{ AlertPreferenceDetails struct{ AlertPrefID int64 } }
	}
	_, query, _ := strings.Cut(x.path, "?")
	values, _ := url.ParseQuery(query) // of the exchange, which parses
	if json.Unmarshal(body, &list) != nil {
		return nil
	}
	size, err := strconv.Atoi(values.Get("pageSize"))
	if listed := len(list.AlertPreferences); err == nil && size > 0 && listed > size {
		most := "at most " + wording.Count(size, "element")
		return []mismatch{{".alertPreferences", contract.AlertsListOperation, most, strconv.Itoa(listed)}}
	}
	last := int64(0)
	for _, p := range list.AlertPreferences {
		id := p.AlertPreferenceDetails.AlertPrefID
		if id < last && id != 0 { // defaults of the institution have none
			return []mismatch{{".alertPreferences", contract.AlertsListOrder, "elements by their ids", "another order"}}
		}
		last = max(last, id)
	}
	return nil
}

// self returns the simulator's link of a page to itself.
func (p listPage) self() *url.URL {
	for _, l := range p.Links {
		if address, err := url.Parse(l.Href); err == nil && l.Rel == "self" {
			return address
		}
	}
	return &url.URL{}
}

// address returns the address of a page of the list at the service.
func (x comparison) address(want listPage, number int) string {
	path, _, _ := strings.Cut(x.path, "?")
	query := want.self().Query()
	query.Set("page", strconv.Itoa(number))
	return x.check.cfg.BaseURL + path + "?" + query.Encode()
}

// inOrder returns an address with the parameters in its query sorted by name.
func inOrder(address string) string {
	path, query, _ := strings.Cut(address, "?")
	values, err := url.ParseQuery(query)
	if err != nil || query == "" {
		return address
	}
	return path + "?" + values.Encode()
}

// memberOf maps a sort property to the member that it stands for, if the names differ.
var memberOf = map[string]string{
	"groupType.groupTypeName": "groupType", "group.groupName": "groupName", "insertDateTime": "createdDateTime",
}

// wrongOrder compares the order of the elements with the sort properties in the simulator's link. Without properties,
// the newest job is the first one, and a group that the exchange creates is the last one.
func (x comparison) wrongOrder(want, got listPage) []mismatch {
	entry, sorts := contract.GroupsListSort, want.self().Query()["sort"]
	if x.Operation() == contract.JobsList.Name {
		entry = contract.JobsListSort
		if sorts == nil {
			entry, sorts = contract.JobsListOrder, []string{"createdDateTime,desc"}
		}
	}
	less := func(a, b map[string]any) int {
		for _, sort := range sorts {
			names := strings.Split(sort, ",")
			if slices.Contains(names, "ignorecase") {
				return 0
			}
			for _, name := range names[:len(names)-1] {
				member := cmp.Or(memberOf[name], name)
				order := compareAny(a[member], b[member])
				if names[len(names)-1] == "desc" {
					order = -order
				}
				if order != 0 {
					return order
				}
			}
		}
		return 0
	}
	for i, element := range got.Content[1:] {
		if less(got.Content[i], element) > 0 {
			sorted := "elements sorted by " + strings.Join(sorts, " and ")
			return []mismatch{{".content", entry, sorted, "another order"}}
		}
	}
	lastOf := func(p listPage) any { return p.Content[len(p.Content)-1]["groupName"] }
	created, isCreated := lastOf(want).(string)
	isCreated = isCreated && slices.Contains(x.echoes.drawn, created)
	if sorts == nil && isCreated && got.Page.Number+1 == got.Page.TotalPages && lastOf(got) != created {
		return []mismatch{{".content", contract.GroupsListOrder, "the created group at the end", "another one"}}
	}
	return nil
}

// compareAny compares two texts or two numbers. Anything else is equal.
func compareAny(a, b any) int {
	switch a := a.(type) {
	case string:
		b, _ := b.(string)
		return cmp.Compare(a, b)
	case float64:
		b, _ := b.(float64)
		return cmp.Compare(a, b)
	}
	return 0
}

// wrongLinks compares the links of elements to themselves. Such a link names the element by its id.
func (x comparison) wrongLinks(want, got listPage) []mismatch {
	href := func(element map[string]any) string {
		links, _ := element["links"].([]any)
		if len(links) == 0 {
			return ""
		}
		link, _ := links[0].(map[string]any)
		text, _ := link["href"].(string)
		return text
	}
	first := want.Content[0]
	id, _ := first["jobId"].(string)
	simulated := want.self()
	path := strings.TrimPrefix(href(first), simulated.Scheme+"://"+simulated.Host)
	for _, element := range got.Content {
		served, _ := element["jobId"].(string)
		if wanted := x.check.cfg.BaseURL + strings.Replace(path, id, served, 1); path != "" && href(element) != wanted {
			return []mismatch{{".content.links", contract.GroupsListLinks, wanted, href(element)}}
		}
	}
	return nil
}
