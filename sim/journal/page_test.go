package journal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

func TestPages(t *testing.T) {
	j := journal.New(0, journal.NewBudget(0))
	for _, x := range []struct {
		operation string
		status    int
	}{
		{"groups.list", 200}, {"groups.create", 400}, {"tokens.issue", 200}, {"groups.list", 401}, {"groups.create", 200}, {"", 404},
	} {
		raw := list(0)
		raw.Operation, raw.Status = x.operation, x.status
		j.Add(raw)
	}
	for name, c := range map[string]struct {
		query journal.Query
		ids   []string
		next  string
	}{
		"all":                    {journal.Query{}, []string{"1", "2", "3", "4", "5", "6"}, ""},
		"of an operation":        {journal.Query{Operation: "groups.list"}, []string{"1", "4"}, ""},
		"of a family":            {journal.Query{Operation: "groups.*"}, []string{"1", "2", "4", "5"}, ""},
		"of any":                 {journal.Query{Operation: "*"}, []string{"1", "2", "3", "4", "5", "6"}, ""},
		"of none":                {journal.Query{Operation: "groups"}, []string{}, ""},
		"with a status":          {journal.Query{Status: 200}, []string{"1", "3", "5"}, ""},
		"with both":              {journal.Query{Operation: "groups.*", Status: 200}, []string{"1", "5"}, ""},
		"after":                  {journal.Query{After: 4}, []string{"5", "6"}, ""},
		"after the last":         {journal.Query{After: 6}, []string{}, ""},
		"long after the last":    {journal.Query{After: 1 << 63}, []string{}, ""},
		"the first":              {journal.Query{Limit: 2}, []string{"1", "2"}, "2"},
		"the next":               {journal.Query{Limit: 2, After: 2}, []string{"3", "4"}, "4"},
		"the last, as it is":     {journal.Query{Limit: 2, After: 4}, []string{"5", "6"}, ""},
		"the first that match":   {journal.Query{Limit: 2, Status: 200}, []string{"1", "3"}, "3"},
		"the newest":             {journal.Query{Limit: 2, Newest: true}, []string{"5", "6"}, ""},
		"the newest that match":  {journal.Query{Limit: 2, Newest: true, Status: 200}, []string{"3", "5"}, ""},
		"no more than there are": {journal.Query{Limit: 10}, []string{"1", "2", "3", "4", "5", "6"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			page := pageOf(j, c.query)
			assert.Equal(t, c.ids, ids(page.Exchanges))
			assert.Equal(t, c.next, page.Next)
		})
	}
}
