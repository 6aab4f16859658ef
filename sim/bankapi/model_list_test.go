package bankapi_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// pageRequest selects a part of the groups; nil members are left out.
type pageRequest struct {
	page, size *string
	again      string // further parameters page and size, which don't count
	sorts      []sortRequest
}

type sortRequest struct {
	properties []string
	direction  string // asc, desc or nothing
}

func (s sortRequest) String() string {
	return strings.Trim(strings.Join(s.properties, ",")+","+s.direction, ",")
}

func drawPage(t *rapid.T) pageRequest {
	p := pageRequest{
		page: optional(t, "page", "0", "1", "2", "3", "-1", "x", "2147483647", "2147483648", ""),
		size: optional(t, "size", "1", "2", "3", "5", "6", "2000", "2001", "2147483648", "0", "-1", "x", ""),
	}
	if p.page != nil && p.size != nil && chance(t, 6, "page and size twice") {
		p.again = "&page=1&size=4"
	}
	for range pick(t, "sorts", 0, 1, 1, 2) {
		s := sortRequest{direction: pick(t, "direction", "", "asc", "desc", "DESC")}
		for range pick(t, "properties", 1, 1, 2, 3) {
			s.properties = append(s.properties, pick(t, "property", "groupName", "noOfParticipants", "groupId", "groupType", "noOfParticipants", "groupType.groupTypeName"))
		}
		if chance(t, 15, "unknown property") {
			s.properties = append(s.properties, "groupDir")
		}
		p.sorts = append(p.sorts, s)
	}
	return p
}

func (r groupRequest) wireList(op *contract.Operation) simtest.Call {
	var query []string
	if r.page.page != nil {
		query = append(query, "page="+*r.page.page)
	}
	if r.page.size != nil {
		query = append(query, "size="+*r.page.size+r.page.again)
	}
	for _, s := range r.page.sorts {
		query = append(query, "sort="+s.String())
	}
	return r.wire(op).WithBody("").WithQuery(strings.Join(query, "&"))
}

// listBody is the page of groups that 4.6 answers.
type listBody struct {
	Links   []linkBody `json:"links"`
	Content []itemBody `json:"content"`
	Page    pageBody   `json:"page"`
}

type pageBody struct {
	Size          int `json:"size"`
	TotalElements int `json:"totalElements"`
	TotalPages    int `json:"totalPages"`
	Number        int `json:"number"`
}

type linkBody struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

type itemBody struct {
	GroupID          string     `json:"groupId"`
	GroupName        string     `json:"groupName"`
	GroupType        string     `json:"groupType"`
	NoOfParticipants int        `json:"noOfParticipants"`
	Links            []linkBody `json:"links"`
}

// listGroups predicts the answer of groups.list to a caller that uses a base URL.
func (b *refBank) listGroups(r groupRequest, baseURL string, now time.Time) verdict {
	dialect := b.behavior.Dialect
	if dialect != sim.DialectPublic {
		dialect = sim.DialectDocument
	}
	institutionID, wrong := b.groupInstitution(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	is := b.behavior.Groups
	known := func(property string) bool { return property != "groupDir" }
	var sorts []sortRequest
	for _, s := range r.page.sorts {
		if !slices.ContainsFunc(s.properties, func(p string) bool { return !known(p) }) {
			sorts = append(sorts, s)
			continue
		}
		if is.UnknownSort == sim.UnknownSortError {
			return refused(sim.SortPropertyUnknown)
		}
		s.properties = slices.DeleteFunc(slices.Clone(s.properties), func(p string) bool { return !known(p) })
		sorts = append(sorts, s)
	}
	b.useTransactionID(institutionID, r)

	var want listBody
	want.Page.Number = numberOr(r.page.page, 0, 0)
	want.Page.Size = numberOr(r.page.size, 1, is.DefaultPageSize)
	if r.page.size != nil && *r.page.size != "" {
		want.Page.Size = min(want.Page.Size, is.MaxPageSize)
	}
	groups := slices.DeleteFunc(slices.Clone(b.institution(institutionID).Groups), func(g refGroup) bool { return g.Status != sim.GroupStatusActive })
	slices.SortStableFunc(groups, func(x, y refGroup) int { return compareGroups(sorts, x, y) })
	want.Page.TotalElements = len(groups)
	want.Page.TotalPages = (len(groups) + want.Page.Size - 1) / want.Page.Size
	want.Content = []itemBody{}
	for at, g := range groups {
		if at/want.Page.Size == want.Page.Number {
			want.Content = append(want.Content, itemBody{g.ID, g.Name, "EXPERIENCE_GROUP", g.Participants, []linkBody{}})
		}
	}
	want.links(baseURL+contract.GroupsList.In(dialect).Path, "", sorts)
	return wants(want)
}

// numberOr returns a parameter that is a number of 32 bits from low on, else the default.
func numberOr(text *string, low, otherwise int) int {
	if text == nil {
		return otherwise
	}
	for n := range 2002 {
		if fmt.Sprint(n) == *text && n >= low {
			return n
		}
	}
	if *text == "2147483647" {
		return 1<<31 - 1
	}
	return otherwise
}

func compareGroups(sorts []sortRequest, x, y refGroup) int {
	for _, s := range sorts {
		for _, property := range s.properties {
			c := map[string]int{
				"groupId": cmp.Compare(x.ID, y.ID), "groupName": cmp.Compare(x.Name, y.Name),
				"noOfParticipants": cmp.Compare(x.Participants, y.Participants),
			}[property]
			if strings.EqualFold(s.direction, "desc") {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
	}
	return 0
}

// links adds those of first, prev, self, next and last that the page has, to an address with further parameters.
func (l *listBody) links(url, kept string, sorts []sortRequest) {
	suffix := kept
	for _, s := range sorts {
		if len(s.properties) > 0 {
			suffix += "&sort=" + strings.Join(s.properties, ",") + "," + strings.ToLower(cmp.Or(s.direction, "asc"))
		}
	}
	add := func(rel string, page int) {
		l.Links = append(l.Links, linkBody{rel, fmt.Sprintf("%s?page=%d&size=%d%s", url, page, l.Page.Size, suffix)})
	}
	last := max(l.Page.TotalPages-1, 0)
	number := l.Page.Number
	if number > 0 || number < last {
		add("first", 0)
	}
	if number > 0 {
		add("prev", number-1)
	}
	add("self", number)
	if number < last {
		add("next", number+1)
	}
	if number > 0 || number < last {
		add("last", last)
	}
}
