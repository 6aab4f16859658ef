package explore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// ids are the ids and tokens that a bank has generated in a run, with what stands for them: they depend on how often the bank
// drew, so they differ between runs that are equal otherwise.
type ids struct {
	names map[string]string // of what was generated
	seen  map[string]bool   // all ids and tokens that occurred so far
}

func newIDs() *ids { return &ids{names: map[string]string{}, seen: map[string]bool{}} }

// Alert preferences have numbers for ids, which say nothing by themselves: they are known by their places.
var (
	preferences, _ = contract.CleanupOf(contract.AlertsCreatePreference)
	preferenceID   = preferences.ID[len(preferences.ID)-1]
)

// namesPreference reports whether a request names an alert preference at the end of its path.
func namesPreference(x *journal.Exchange) bool {
	op, ok := contract.FindIn(x.Operation, sim.Dialect(x.Dialect))
	return ok && op.Path == preferences.PathIn(op.Dialect)
}

// inPath returns the path of a request without what was generated.
func (i *ids) inPath(x *journal.Exchange) string {
	path := i.inText(x.Request.Path)
	if !namesPreference(x) {
		return path
	}
	at := strings.LastIndex(path, "/") + 1
	return path[:at] + cmp.Or(i.names[preferenceID+" "+path[at:]], path[at:])
}

// inText replaces the ids and tokens in a text.
func (i *ids) inText(text string) string {
	var b strings.Builder
	done := 0
	for from, id := range drawn(text) {
		if name, ok := i.names[id]; ok {
			b.WriteString(text[done:from] + name)
			done = from + len(id)
		}
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// inValue replaces what was generated in a JSON value, and times.
func (i *ids) inValue(value any) any {
	switch value := value.(type) {
	case string:
		return steady(i.inText(value))
	case []any:
		changed := make([]any, len(value))
		for n, element := range value {
			changed[n] = i.inValue(element)
		}
		return changed
	case map[string]any:
		changed := make(map[string]any, len(value))
		for name, of := range value {
			if number, ok := of.(json.Number); ok && name == preferenceID {
				if known, ok := i.names[preferenceID+" "+number.String()]; ok {
					changed[name] = known
					continue
				}
			}
			changed[name] = i.inValue(of)
		}
		return changed
	}
	return value
}

// note takes note of an exchange. What its answer shows for the first time where it changed something, the change has generated: it is
// called after a text.
func (i *ids) note(x *journal.Exchange, after string) {
	for _, text := range []string{x.Request.Path, x.Request.Body} {
		for _, id := range drawn(text) {
			i.seen[id] = true
		}
	}
	var fresh []string
	for _, id := range drawn(x.Response.Body) {
		if x.Changed && !i.seen[id] {
			fresh = append(fresh, id)
		}
		i.seen[id] = true
	}
	if x.Changed {
		for _, id := range preferenceIDs(x) {
			if !i.seen[id] {
				fresh = append(fresh, id)
			}
			i.seen[id] = true
		}
	}
	for n, id := range fresh {
		i.names[id] = fmt.Sprintf("(id %d of %s)", n+1, after)
	}
}

// preferenceIDs returns the id of the alert preference that is answered, as ids have it.
func preferenceIDs(x *journal.Exchange) []string {
	var answer struct {
		Details struct {
			ID json.Number `json:"alertPrefId"`
		} `json:"alertPreferenceDetails"`
	}
	if json.Unmarshal([]byte(x.Response.Body), &answer) != nil || answer.Details.ID == "" {
		return nil
	}
	if namesPreference(x) {
		return nil // it is that of the path
	}
	return []string{preferenceID + " " + answer.Details.ID.String()}
}
