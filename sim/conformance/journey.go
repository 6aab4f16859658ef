package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	maxJourneys = 10_000
	maxShrinks  = 60 // runs that look for a shorter journey with the same difference (choice)
)

func (cfg Config) journeyName(number int) string {
	return fmt.Sprintf("journey %d of seed %d", number, cfg.Seed)
}

// tryJourney runs a random journey, unless there is a reason not to or the check is stopped. It goes on over
// differences about entries that an earlier journey has found.
func (r *replayer) tryJourney(ctx context.Context, number int, stopped string) Result {
	result := Result{Exchange: r.cfg.journeyName(number), Operation: "journeys", isJourney: true}
	if result.Skipped = cmp.Or(r.whyNoJourney, stopped); result.Skipped != "" {
		return result
	}
	steps := r.drawJourney(number)
	for _, s := range steps {
		if result.Skipped = r.stopped[s.op]; result.Skipped != "" {
			return result
		}
	}
	result, steps = r.runJourney(ctx, result, steps)
	if len(result.Differences) > 0 {
		result, steps = r.shrink(ctx, result, steps)
		result.Operation = steps[len(steps)-1].op.Name
		for _, d := range result.Differences {
			r.foundByJourneys[d.Entry] = true
		}
	}
	result.About = describe(steps)
	return result
}

// possibleActs returns the acts that the configuration allows, by subject, or why a journey can't begin with any.
func (r *replayer) possibleActs() (subjects [][]*act, reason string) {
	var reasons []string
	for _, all := range acts {
		var possible []*act
		for _, a := range all {
			e := fixtures.Exchange{Request: r.cfg.translated(a.request(r.cfg, step{act: a, name: nightOwls(0)}))}
			if why := r.reasonToSkip(e, r.cfg.planOf(e)); why == "" {
				possible = append(possible, a)
			} else if !slices.Contains(reasons, why) {
				reasons = append(reasons, why)
			}
		}
		if slices.ContainsFunc(possible, func(a *act) bool { return a.needs == "" }) {
			subjects = append(subjects, possible)
		}
	}
	if subjects != nil {
		return subjects, ""
	}
	return nil, strings.Join(reasons, "; ")
}

// translated returns a request of the document's dialect in the dialect that is checked.
func (cfg Config) translated(request fixtures.Request) fixtures.Request {
	if cfg.dialect() == sim.DialectPublic {
		return requestInPublic(request, false)
	}
	return request
}

// runJourney runs a journey until the first difference, and undoes it. It returns the steps until there.
func (r *replayer) runJourney(ctx context.Context, result Result, steps []step) (Result, []step) {
	run := journeyRun{r.newReplay(fixtures.Exchange{Name: result.Exchange}, plan{}), map[int]*row{}}
	for number := range maxSteps {
		golden := nightOwls(number + 1)
		unique := uniqueName(golden)
		run.sub.names[quoted(golden)] = quoted(unique)
		run.sub.names[quoted(strings.ToUpper(golden))] = quoted(strings.ToUpper(unique))
	}
	last := len(steps)
	run.undoing(ctx, &result, func(ctx context.Context, result *Result) error {
		if err := r.simulator.reset(); err != nil {
			return err
		}
		for i, s := range steps {
			found, err := run.compareStep(ctx, s)
			result.Differences = found
			if r.keepNew(result); err != nil || len(result.Differences) > 0 {
				last = i + 1
				return err
			}
		}
		return nil
	})
	r.keepNew(&result) // of what the undoing found
	return result, steps[:last]
}

// keepNew drops differences about entries that an earlier journey has found, and separates those to be ignored.
func (r *replayer) keepNew(result *Result) {
	isOld := func(d Difference) bool { return r.foundByJourneys[d.Entry] }
	result.Differences = slices.DeleteFunc(result.Differences, isOld)
	r.ignore(result)
}

// shrink leaves out steps as long as the rest shows a difference about one of the same entries. It returns the shortest
// journey and its result.
func (r *replayer) shrink(ctx context.Context, result Result, steps []step) (Result, []step) {
	result, again := r.rerun(ctx, result, steps)
	if again == nil {
		for i := range result.Differences {
			if !result.isUnsafe() {
				result.Differences[i].Message += "; the same steps didn't show it again"
			}
		}
		return result, steps
	}
	steps = again
	runs := 1
	for isShorter := true; isShorter; {
		isShorter = false
		for at := len(steps) - 2; at >= 0; at-- { // the last step shows the difference
			for _, shorter := range shorterJourneys(steps, at) {
				if runs++; runs > maxShrinks {
					return result, steps
				}
				if result, again = r.rerun(ctx, result, shorter); again != nil {
					steps, isShorter = again, true
					at = min(at, len(steps)-1)
					break
				}
			}
		}
	}
	return result, steps
}

// rerun runs a journey again, perhaps without some steps. It returns the steps until the first difference and their
// result if that is about an entry of the known result. Otherwise it returns the known result and no steps. It doesn't
// run the journey if the known result is unsafe.
func (r *replayer) rerun(ctx context.Context, known Result, steps []step) (Result, []step) {
	if known.isUnsafe() {
		return known, nil
	}
	fresh := known
	fresh.Differences, fresh.Ignored = nil, nil
	result, until := r.runJourney(ctx, fresh, steps)
	for _, d := range result.Differences {
		if slices.ContainsFunc(known.Differences, func(other Difference) bool { return other.Entry == d.Entry }) {
			return result, until
		}
	}
	known.Error, known.LeftBehind = result.Error, result.LeftBehind
	return known, nil
}

// isUnsafe reports whether another run could leave something behind, or fail.
func (result *Result) isUnsafe() bool { return result.Error != "" || len(result.LeftBehind) > 0 }

// shorterJourneys returns a journey without one of its steps. There are up to two ways.
func shorterJourneys(steps []step, at int) [][]step {
	return slices.CompactFunc([][]step{without(steps, at), without(redirected(steps, at), at)}, slices.Equal)
}

// without returns a journey without one of its steps, and without those that are about its row.
func without(steps []step, at int) (rest []step) {
	created := map[int]bool{0: true}
	for i, s := range steps {
		if i != at && created[s.row] {
			rest, created[s.number] = append(rest, s), true
		}
	}
	return rest
}

// redirected returns a journey that needs one of its steps less: others are about an earlier row of the same kind, and
// use the name that a group had before. In both examples, step 3 no longer needs step 2:
//
//	1 create A, 2 create B, 3 delete the group of 2:    3 becomes: delete the group of 1
//	1 create A, 2 rename the group of 1 to B, 3 create B:    3 becomes: create A
func redirected(steps []step, at int) []step {
	all := slices.Clone(steps)
	gone := all[at]
	for _, earlier := range all[:at] {
		for i, s := range all {
			if s.row == gone.number && earlier.offers(s.needs) {
				all[i].row = earlier.number
			}
			if earlier.number == gone.row && s.name == gone.name {
				all[i].name = earlier.name
			}
		}
	}
	return all
}

// journeyRun is one run of a journey, at the simulator and at the service.
type journeyRun struct {
	*replay
	rows map[int]*row // by the number of the step that created it
}

// compareStep sends a step to the simulator and to the service, and returns how the answers differ. It leaves the step
// out if the row that it is about was never created.
func (run *journeyRun) compareStep(ctx context.Context, s step) ([]Difference, error) {
	cfg := run.check.cfg
	request := cfg.translated(s.request(cfg, s))
	e := fixtures.Exchange{Name: s.op.Name + "/" + run.exchange.Name, Dialect: cfg.dialect(), Request: request}
	about := &row{simulated: fixtures.IDs{}, served: fixtures.IDs{}}
	if s.row > 0 {
		if about = run.rows[s.row]; about == nil {
			return nil, nil
		}
		if about.write.Method != "" {
			e.Before = []fixtures.Request{about.write} // the answer may repeat its values
		}
	}
	run.ids = maps.Clone(about.served)
	before := len(run.issued)
	a, err := run.ask(ctx, e, about.simulated)
	if err != nil {
		return nil, err
	}
	a.Answer.JSON = run.withNames(a.Answer.JSON)
	for _, number := range slices.Sorted(maps.Keys(run.rows)) {
		if one := run.rows[number]; one != nil && one.kind != nil && one.kind.list == s.op {
			a.rows = append(a.rows, one)
		}
	}
	found := run.differences(run.check.setting, a)
	run.show(found, a)
	isAccepted := a.Answer.Status < 300
	switch {
	case isAccepted != a.got.accepted(): // nobody knows what the row is like now
		delete(run.rows, s.row)
	case !isAccepted:
	case s.op == contract.TokensIssue && len(run.issued) > before:
		run.noteTokens(s, a.Answer.JSON, run.issued[len(run.issued)-1])
	case a.sent.creates():
		run.rows[s.number] = run.rowAfter(a)
	case a.sent.removes():
		about.deleted = true
	case a.sent.kind != nil:
		about.write = request
	}
	return found, nil
}

// withNames returns the simulator's answer with the names of the journey's tokens in their place.
func (run *journeyRun) withNames(body json.RawMessage) json.RawMessage {
	for name, token := range run.toSimulator.values {
		body = bytes.ReplaceAll(body, []byte(token), []byte(name))
	}
	return body
}

// noteTokens notes the tokens that a step was issued.
func (run *journeyRun) noteTokens(s step, body json.RawMessage, served issued) {
	var simulated tokenPair
	isComplete := served.Access != "" && (served.Refresh != "" || s.creates == tokenRow)
	if json.Unmarshal(body, &simulated) != nil || !isComplete {
		return
	}
	note := func(name, simulated, served string) {
		run.toSimulator.values[name], run.sub.values[name] = simulated, served
	}
	note(accessOf(s.number), simulated.Access, served.Access)
	if s.creates == pairRow {
		note(refreshOf(s.number), simulated.Refresh, served.Refresh)
	}
	run.rows[s.number] = &row{}
}
