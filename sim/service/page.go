package service

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim"
)

// page is which part of a list is asked for: the paging and sorting parameters of section 4.6, read as Spring
// Data reads them (published, convention).
type page struct {
	number int // from 0
	size   int // items, at least 1
	order  sim.GroupOrder
	sort   string // the sort parameters that links repeat: "&sort=…"
}

// groupPage reads the parameters of a group list. What is not a number, or out of range, falls back to the
// default; an unknown sort property is refused with SortPropertyUnknown, unless the scenario says otherwise.
func (c *call) groupPage() (page, error) {
	b := c.behavior().Groups
	p := page{
		number: number(c.query.Get("page"), 0, math.MaxInt32, 0),
		size:   number(c.query.Get("size"), 1, b.MaxPageSize, b.DefaultPageSize),
	}
	for _, value := range c.query["sort"] {
		if err := p.addSort(value, b.UnknownSort); err != nil {
			return page{}, err
		}
	}
	return p, nil
}

func number(text string, low, high, fallback int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return fallback
	}
	return n
}

// addSort reads one sort parameter: property[,property…][,asc|desc].
func (p *page) addSort(value string, unknown sim.UnknownSort) error {
	names := strings.Split(value, ",")
	direction := "asc"
	if last := strings.ToLower(names[len(names)-1]); last == "asc" || last == "desc" {
		direction = last
		names = names[:len(names)-1]
	}
	var kept []string
	for _, name := range names {
		property := sim.GroupProperty(strings.TrimSpace(name))
		switch {
		case property == "":
		case isGroupProperty(property):
			p.order = p.order.Then(property, direction == "desc")
			kept = append(kept, string(property))
		case unknown == sim.UnknownSortError:
			return sim.Refuse(sim.SortPropertyUnknown, "a group has no property %q to sort by", property)
		}
	}
	if len(kept) > 0 {
		p.sort += "&sort=" + strings.Join(append(kept, direction), ",")
	}
	return nil
}

func isGroupProperty(p sim.GroupProperty) bool {
	for _, known := range sim.GroupProperties {
		if p == known {
			return true
		}
	}
	return false
}

// pages returns how many pages a list has.
func (p page) pages(total int) int { return (total + p.size - 1) / p.size }

// appendLinks appends the array of links, in the order and under the conditions of Spring HATEOAS: first and last
// where there is another page, prev and next where there is one on that side.
func (p page) appendLinks(b []byte, path string, total int) []byte {
	last := max(p.pages(total)-1, 0)
	hasPrevious, hasNext := p.number > 0, p.number < last
	b = append(b, '[')
	link := func(when bool, rel string, number int) {
		if !when {
			return
		}
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		b = append(b, `{"rel":"`...)
		b = append(b, rel...)
		b = append(b, `","href":`...)
		href := path + "?page=" + strconv.Itoa(number) + "&size=" + strconv.Itoa(p.size) + p.sort
		b, _ = jsontext.AppendQuote(b, href) // its only error, invalid UTF-8, it has mended
		b = append(b, '}')
	}
	link(hasPrevious || hasNext, "first", 0)
	link(hasPrevious, "prev", p.number-1)
	link(true, "self", p.number)
	link(hasNext, "next", p.number+1)
	link(hasPrevious || hasNext, "last", last)
	return append(b, ']')
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
