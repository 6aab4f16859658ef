package conformance

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// explanation is a setting that lets the simulator answer as the service did.
type explanation struct {
	contract.Candidate
	places []string // where the two no longer differ
}

// explain gives differences the entries whose settings let the simulator answer as the service did. again compares the
// service's answer once more, with the simulator of another setting. The setting that explains the most comes first. A
// limit comes last, because its number is a guess. Differences that no setting explains keep their entries. A large
// answer is not explained.
func (r *replay) explain(found []Difference, a asked, again func(setting) ([]Difference, error)) error {
	if len(found) == 0 || len(a.got.body) > maxMasked {
		return nil
	}
	operations := []string{a.Operation()}
	for _, request := range r.plan.requests {
		if request.changes != nil {
			operations = append(operations, request.changes.Name)
		}
	}
	var all []explanation
	seen := map[string]bool{}
	for _, operation := range operations {
		for _, c := range contract.Candidates(operation, r.numbers(found)) {
			if seen[c.String()] {
				continue
			}
			seen[c.String()] = true
			places, err := r.placesUnder(c, found, again)
			if err != nil {
				return err
			}
			if len(places) > 0 {
				all = append(all, explanation{c, places})
			}
		}
	}
	guesses := func(e explanation) int {
		if _, isNumber := e.Value.(int); isNumber && e.Entry.Switch.Kind == contract.Number {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b explanation) int {
		return cmp.Or(cmp.Compare(len(b.places), len(a.places)), cmp.Compare(guesses(a), guesses(b)))
	})
	for i, d := range found {
		at := slices.IndexFunc(all, func(e explanation) bool { return slices.Contains(e.places, d.Place) })
		if at >= 0 {
			found[i] = d.explainedBy(all[at].Candidate, r)
		}
	}
	return nil
}

// placesUnder returns where the service's answer agrees with a simulator that has a setting. If it then differs in
// another place, the setting explains nothing.
func (r *replay) placesUnder(
	c contract.Candidate, found []Difference, again func(setting) ([]Difference, error),
) (places []string, err error) {
	other, err := r.check.under(c)
	if err != nil {
		return nil, err
	}
	left, err := again(other)
	if err != nil { // under the setting, the exchange can't be replayed
		return nil, nil
	}
	at := func(all []Difference, where string) bool {
		return slices.ContainsFunc(all, func(d Difference) bool { return d.Place == where })
	}
	for _, d := range left {
		if !at(found, d.Place) {
			return nil, nil
		}
	}
	for _, d := range found {
		if !at(left, d.Place) {
			places = append(places, d.Place)
		}
	}
	return places, nil
}

// explainedBy returns the difference as one about the entry of a setting.
func (d Difference) explainedBy(c contract.Candidate, r *replay) Difference {
	basis := func(b contract.Basis) string { return "(basis " + string(b) + ")" }
	message := strings.Replace(d.Message, basis(d.Basis), basis(c.Entry.BasisUnder(r.check.policy)), 1)
	explained := r.newDifference(c.Entry, d.Place, message+"; the simulator answers the same with "+c.String())
	explained.isConvention, explained.shown = d.isConvention, d.shown
	return explained
}

// under returns the setting that a candidate makes.
func (r *replayer) under(c contract.Candidate) (setting, error) {
	if other, known := r.settings[c.String()]; known {
		return other, nil
	}
	behavior, err := c.Set(*r.cfg.Behavior)
	if err != nil {
		return setting{}, err
	}
	other, err := newSetting(behavior, r.cfg.dialect())
	if err == nil {
		r.settings[c.String()] = other
	}
	return other, err
}

var digits = lazy.Regexp(`\b\d{1,6}\b`)

// numbers returns numbers that may be a limit of the service, the largest first. They stand in the differences, or are
// lengths of texts in the request.
func (r *replay) numbers(found []Difference) (all []int) {
	for _, d := range found {
		for _, text := range digits().FindAllString(d.Message, maxNumbers) {
			n, _ := strconv.Atoi(text) // it has six digits at most
			all = append(all, n)
		}
	}
	var body map[string]any
	_ = json.Unmarshal([]byte(r.exchange.Request.Content()), &body) // without JSON there are no texts
	for _, value := range body {
		if text, isText := value.(string); isText {
			all = append(all, utf8.RuneCountInString(text)-1)
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxNumbers)]
}

// maxNumbers is how many numbers are tried for each limit of a service (choice).
const maxNumbers = 20
