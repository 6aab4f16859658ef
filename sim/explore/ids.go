package explore

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// ids are the ids and tokens that a bank has generated in a run, with what stands for them: they depend on how often the bank
// drew, so they differ between runs that are equal otherwise.
type ids struct {
	names  map[string]string // of what was generated
	seen   map[string]bool   // all ids and tokens that occurred so far
	counts map[string]int    // of the exchanges that generated something, by what they are called after
}

func newIDs() *ids {
	return &ids{names: map[string]string{}, seen: map[string]bool{}, counts: map[string]int{}}
}

// Alert preferences have numbers for ids, which say nothing by themselves: they are known by their places.
var (
	preferenceID   = "alertPrefId"
	preferencePath = regexp.MustCompile(`(/alert-preferences/)([0-9]+)$`)
)

// inText replaces what was generated in a text.
func (i *ids) inText(text string) string {
	text = i.renamed(text)
	return preferencePath.ReplaceAllStringFunc(text, func(end string) string {
		at := strings.LastIndex(end, "/") + 1
		if name, ok := i.names[preferenceID+" "+end[at:]]; ok {
			return end[:at] + name
		}
		return end
	})
}

// renamed replaces the ids and tokens in a text.
func (i *ids) renamed(text string) string {
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

// note takes note of an exchange. What its answer shows for the first time, and its change has generated, is called after a
// text, in which %d is for the how many-th of them it is.
func (i *ids) note(x *journal.Exchange, after string) {
	for _, text := range []string{x.Request.Path, x.Request.Body} {
		for _, id := range drawn(text) {
			i.seen[id] = true
		}
	}
	whole := x.Fault == nil || x.Fault.Connection == "" // an app can't read an answer that is damaged
	generates := x.Changed && whole
	var fresh []string
	for _, id := range drawn(x.Response.Body) {
		if generates && !i.seen[id] {
			fresh = append(fresh, id)
		}
		i.seen[id] = true
	}
	if generates {
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
	if at := preferencePath.FindStringSubmatch(x.Request.Path); at != nil {
		return nil // it is that of the path
	}
	return []string{preferenceID + " " + answer.Details.ID.String()}
}
