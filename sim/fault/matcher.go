package fault

import (
	"github.com/digitalbanking-sim/banksim/sim/match"
)

// matcher finds the requests that match a rule.
type matcher struct {
	rule    Rule
	request match.Conditions[*Query]
}

// newMatcher returns the matcher of a rule that Check has passed.
func newMatcher(r Rule) *matcher {
	m := &matcher{rule: r}
	if r.When.Request != nil {
		m.request = r.When.Request.conditions()
	}
	if err := m.request.Err(); err != nil {
		panic("fault: a rule that was not checked: " + err.Error())
	}
	return m
}

func (m *matcher) matches(q *Query) bool {
	during := m.rule.When.During
	return m.rule.Operation.Include(q.Operation) && (during == nil || during.includes(q)) && m.request.Fulfilled(q)
}

// conditions returns the conditions for a request, with the mistakes in them.
func (r *Request) conditions() match.Conditions[*Query] {
	var c match.Conditions[*Query]
	c.Text("dialect", r.Dialect, nil, func(q *Query) any { return q.Dialect })
	c.Text("institutionId", r.InstitutionID, nil, func(q *Query) any { return id(q.InstitutionID) })
	c.Text("hostUserId", r.HostUserID, nil, func(q *Query) any { return id(q.HostUserID) })
	c.Values("header", r.Header, nil, func(q *Query, name string) []string { return q.Header.Values(name) })
	c.Values("query", r.Query, nil, func(q *Query, name string) []string { return q.Values[name] })
	if len(r.Body) > 0 {
		c.Body(r.Body, func(q *Query) any {
			if q.Body == nil {
				return nil
			}
			return q.Body()
		})
	}
	return c
}

// id returns an id that a query may know; nil: it doesn't, or the request has none.
func id(of func() string) any {
	if of == nil {
		return nil
	}
	if id := of(); id != "" {
		return id
	}
	return nil
}
