package explore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// end is the end of a run: the rows in which its bank differs from its start.
type end struct {
	rows   []row
	moving map[string]bool // the groups in which jobs are at work: what is in them depends on the time
}

// row is such a row, up to generated ids, tokens and times.
type row struct {
	table   string
	place   string         // its path, without the id of a row that is new
	isNew   bool           // whether it was not there
	before  map[string]any // nil: it was not there
	after   map[string]any // nil: it is not there any more
	group   string         // that it belongs to, or is
	working bool           // whether it is a job that has not ended
}

// The tables of rows that are compared in ways of their own, as their rows are called in a diff.
const (
	grantsTable       = "grants"
	groupsTable       = "groups"
	jobsTable         = "jobs"
	participantsTable = "participants"
	preferencesTable  = "alertPreferences"
)

// byClock are the members of a job that change with the time, and countOf is that of its group.
var byClock = []string{"jobStatus", "jobDetails", "totalRecordsCount", "successRecordsCount", "failedRecordsCount", "errors"}

const countOf = "groupParticipantCount"

// newEnd returns the end of a run. An issued grant isn't part of it: an app that logs in again is fine.
func newEnd(changes []Change, t trace, varying loose) end {
	n := &normal{trace: t, groups: map[string]string{}, loose: varying}
	for _, c := range changes {
		n.nameGroup(c)
	}
	e := end{moving: map[string]bool{}}
	for _, c := range changes {
		r, ok := n.row(c)
		if !ok {
			continue
		}
		if r.working {
			e.moving[r.group] = true
		}
		if r.table == jobsTable && !r.isNew && r.after != nil {
			e.moving[r.group] = true
			continue // it goes on by itself
		}
		e.rows = append(e.rows, r)
	}
	return e
}

// normal makes rows comparable.
type normal struct {
	trace  trace
	groups map[string]string // what stands for the ids of new groups
	loose  loose
}

// object returns a row of a diff; nil: there is none.
func object(data json.RawMessage) map[string]any {
	value, _ := decode(string(data))
	members, _ := value.(map[string]any)
	return members
}

// nameGroup names a new group after what is in it, so that what refers to it is equal if that is.
func (n *normal) nameGroup(c Change) {
	table, path := parts(c.Row)
	if table != groupsTable || object(c.Before) != nil || len(path) == 0 {
		return
	}
	after := object(c.After)
	name, _ := after["groupName"].(string)
	n.groups[path[len(path)-1]] = fmt.Sprintf("(the new group %s)", n.value(name))
}

// parts returns the table of a row, and its key.
func parts(name string) (table string, key []string) {
	all := strings.Split(name, "/")
	return all[0], all[1:]
}

// row returns a row as it is compared; ok is false for one that doesn't count.
func (n *normal) row(c Change) (r row, ok bool) {
	table, key := parts(c.Row)
	r = row{table: table, before: object(c.Before), after: object(c.After)}
	r.isNew = r.before == nil
	if table == grantsTable {
		if r.isNew || r.after == nil {
			return r, false
		}
		for _, token := range []string{"accessToken", "refreshToken"} { // a refresh replaces them
			delete(r.before, token)
			delete(r.after, token)
		}
	}
	either := r.after
	if either == nil {
		either = r.before
	}
	switch table {
	case groupsTable:
		r.group = n.group(last(key))
	case jobsTable:
		id, _ := either["groupId"].(string)
		r.group = n.group(id)
		status, _ := either["jobStatus"].(string)
		r.working = status == sim.JobStatusCreated || status == sim.JobStatusProcessing
	case participantsTable:
		if len(key) > 1 {
			r.group = n.group(key[1])
		}
	}
	if own := map[string]string{groupsTable: "groupId", jobsTable: "jobId", preferencesTable: preferences.ID[0]}[table]; own != "" && r.isNew && len(key) > 0 {
		key = key[:len(key)-1]
		if details, ok := r.after[own].(map[string]any); ok {
			delete(details, preferenceID)
		} else {
			delete(r.after, own)
		}
	}
	for i, part := range key {
		key[i] = n.group(part)
	}
	r.place = strings.Join(append([]string{table}, key...), "/")
	r.before, r.after = n.loose.without(r.place, n.members(r.before)), n.loose.without(r.place, n.members(r.after))
	return r, !r.unchanged()
}

// unchanged reports whether nothing but times and tokens differs in a row: then an app that takes back what it did leaves it so.
func (r row) unchanged() bool {
	return r.before != nil && r.after != nil && encode(r.before) == encode(r.after)
}

func last(key []string) string {
	if len(key) == 0 {
		return ""
	}
	return key[len(key)-1]
}

// group returns what stands for an id, if it is that of a new group.
func (n *normal) group(id string) string { return cmp.Or(n.groups[id], id) }

// members returns the members of a row without times and generated ids; nil for none.
func (n *normal) members(of map[string]any) map[string]any {
	if of == nil {
		return nil
	}
	changed := make(map[string]any, len(of))
	for name, value := range of {
		changed[name] = n.value(value)
	}
	return changed
}

func (n *normal) value(value any) any {
	switch value := value.(type) {
	case string:
		if varies, ok := n.trace.varied[value]; ok {
			return varies
		}
		return steady(n.group(value))
	case []any:
		changed := make([]any, len(value))
		for i, element := range value {
			changed[i] = n.value(element)
		}
		return changed
	case map[string]any:
		return n.members(value)
	}
	return value
}

// lines returns the rows, each as a text, as they are compared with another end: without what jobs at work have changed in one of the two.
func (e end) lines(moving map[string]bool) []line {
	lines := make([]line, 0, len(e.rows))
	for _, r := range e.rows {
		if moving[r.group] {
			switch r.table {
			case participantsTable:
				continue
			case jobsTable:
				r.after = without(r.after, byClock...)
			case groupsTable:
				r.before, r.after = without(r.before, countOf), without(r.after, countOf)
				if r.unchanged() {
					continue
				}
			}
		}
		lines = append(lines, line{row: r, text: r.String()})
	}
	return lines
}

// line is a row with its text.
type line struct {
	row
	text string
}

// what says in few words which change a row is.
func (r row) what() string {
	switch {
	case r.after == nil:
		return "the end of " + r.place
	case r.isNew:
		return "a new row of " + r.place
	}
	return "the change of " + r.place
}

// String returns the row in a line.
func (r row) String() string {
	switch {
	case r.after == nil:
		return "the end of " + r.place
	case r.isNew:
		return "a new row of " + r.place + " " + encode(r.after)
	}
	var changed []string
	for _, name := range apart(r.before, r.after) {
		changed = append(changed, name+" "+valueAt(r.after, name))
	}
	return r.place + " with " + strings.Join(changed, ", ")
}

// without returns members without some.
func without(members map[string]any, names ...string) map[string]any {
	if members == nil {
		return nil
	}
	kept := maps.Clone(members)
	for _, name := range names {
		delete(kept, name)
	}
	return kept
}
