package explore_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// imagined is an app that is only imagined, with its bank: it makes calls in order, and does after a failure what it is
// told.
type imagined struct {
	calls    []string // operations
	retries  int      // how often it retries a call
	givesUp  bool     // whether it makes no more calls after one that failed for good
	takeBack string   // an operation that it calls then; empty: none
}

// run returns what a run of it comes to.
func (a imagined) run(r explore.Run) explore.Observation {
	o := explore.Observation{Ended: explore.Passed}
	counts := map[string]int{}
	call := func(operation, id string) bool {
		counts[operation]++
		x := journal.Exchange{Operation: operation, Dialect: "document",
			Request: journal.Request{Path: "/" + operation,
				Headers: journal.Header("transactionId:" + id + "\nAuthorization:Bearer tok_1\n")},
			Response: journal.Response{Status: 200, Body: "{}"}}
		for i, rule := range r.Rules() {
			w, n := rule.When, counts[operation]
			if !rule.Operation.Include(operation) || w.Nth > 0 && w.Nth != n || w.First > 0 && n > w.First ||
				n <= w.After {
				continue
			}
			x.Fault = &journal.Fault{Fired: []string{rule.Name}, AnsweredBy: rule.Name, Phase: string(rule.InPhase())}
			x.Response = journal.Response{Status: rule.Then.Status, Body: fmt.Sprintf(`{"code":"%d"}`, i)}
			if rule.Then.Error != nil {
				x.Response.Body = fmt.Sprintf(`{"code":%q}`, rule.Then.Error.Code)
			}
			if rule.Then.Connection != nil {
				x.Fault.Connection = rule.Then.Connection.Name()
			}
		}
		op := contract.Document().Operation(operation)
		x.Changed = op.Changes && (x.Fault == nil || x.Fault.Phase == string(fault.After))
		o.Exchanges = append(o.Exchanges, x)
		return x.Fault == nil
	}
	for i, operation := range a.calls {
		ok := call(operation, fmt.Sprint(i))
		for n := 0; !ok && n < a.retries; n++ {
			ok = call(operation, fmt.Sprint(i, n))
		}
		if !ok && a.takeBack != "" {
			call(a.takeBack, "back")
		}
		if !ok && a.givesUp {
			break
		}
	}
	return o
}

// explored returns the names of the runs that an exploration makes, in the order of its report.
func (a imagined) explored(t require.TestingT, o explore.Options, shuffle *rand.Rand) ([]string, explore.Report) {
	e, err := explore.New(o, a.run(explore.Run{}), a.run(explore.Run{}))
	require.NoError(t, err)
	for runs := e.Next(); len(runs) > 0; runs = e.Next() {
		if shuffle != nil {
			shuffle.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		}
		for _, run := range runs {
			e.Done(run, a.run(run))
		}
	}
	report := e.Report()
	var names []string
	for _, result := range report.Results {
		names = append(names, result.Name)
	}
	return names, report
}

var anyApp = rapid.Custom(func(t *rapid.T) imagined {
	operations := []string{"groups.create", "groups.list", "jobs.get", "groups.delete"}
	return imagined{
		calls:    rapid.SliceOfN(rapid.SampledFrom(operations), 1, 4).Draw(t, "calls"),
		retries:  rapid.IntRange(0, 2).Draw(t, "retries"),
		givesUp:  rapid.Bool().Draw(t, "gives up"),
		takeBack: rapid.SampledFrom([]string{"", "groups.delete", "groups.update"}).Draw(t, "takes back"),
	}
})

// Whatever an app does, and in whichever order its runs end, the same runs are made and reported in the same order;
// none twice, none with more failures than there may be, and each with the failures of one that was made before it.
func TestPlanIsDeterministic(t *testing.T) {
	bounds := []int{3, 40, 400}
	rapid.Check(t, func(t *rapid.T) {
		app := anyApp.Draw(t, "app")
		o := explore.Options{MaxRuns: rapid.SampledFrom(bounds).Draw(t, "runs")}
		names, report := app.explored(t, o, nil)
		shuffled, other := app.explored(t, o, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0)))
		assert.Equal(t, names, shuffled)
		assert.Equal(
			t, []int{report.Runs, report.SameAsAnother, report.LeftOut},
			[]int{other.Runs, other.SameAsAnother, other.LeftOut},
		)
		assert.Equal(t, len(names)+2, report.Runs)
		assert.LessOrEqual(t, report.Runs, o.MaxRuns)
		assert.Equal(t, report.LeftOut > 0, report.Ended != "")
		seen := map[string]bool{"": true}
		for _, name := range names {
			assert.False(t, seen[name], "%s is made twice", name)
			seen[name] = true
			faults := strings.Split(name, "+")
			assert.LessOrEqual(t, len(faults), 3)
			assert.True(t, seen[strings.Join(faults[:len(faults)-1], "+")], "%s extends none that was made", name)
			assert.NotContains(t, name, " ")
		}
	})
}

// A run is found by its name, also before it is planned.
func TestFind(t *testing.T) {
	app := imagined{calls: []string{"groups.create"}, retries: 5}
	e, err := explore.New(explore.Options{}, app.run(explore.Run{}), app.run(explore.Run{}))
	require.NoError(t, err)
	const name = "groups.create#1/500-after-commit+groups.create#2/reset+groups.delete#1/401_expired"
	run, err := e.Find(name)
	require.NoError(t, err)
	assert.Equal(t, name, run.Name())
	staying, err := e.Find("groups.create#2/reset-stays")
	require.NoError(t, err)
	assert.Equal(t, fault.When{After: 1, First: 51}, staying.Rules()[0].When)
	assert.Contains(t, e.Done(staying, app.run(staying)).YAML, `when: {"first":51,"after":1}`)
	require.Len(t, run.Rules(), 3)
	assert.Equal(t, 2, run.Rules()[1].When.Nth)
	result := e.Done(run, app.run(run))
	assert.Equal(t, []string{"groups.create#1 500", "groups.create#2 no answer", "groups.create#3 200"}, result.Calls)
	assert.Equal(t, explore.NotReached, result.Reaction, "the last one didn't fire")
	const noRun = " is no run: write calls of operations and their failures, joined by +, such as groups.create#1/500_2001"
	for name, want := range map[string]string{
		"groups.create":           `"groups.create"` + noRun,
		"groups.create#0/reset":   `"groups.create#0/reset"` + noRun,
		"groups.creates#1/reset":  `"groups.creates#1/reset"` + noRun,
		"groups.create#1/reset+x": `"x"` + noRun,
		"groups.list#1/404_2000": `"groups.list#1/404_2000" is no run: groups.list can't fail with "404_2000", but with 401_expired, ` +
			`500_2001, 500_CMN_90002, reset, timeout, truncated, malformed`,
	} {
		_, err := e.Find(name)
		assert.EqualError(t, err, want)
	}
}

// A run that go test -run leaves out still plans the one that stays.
func TestSkip(t *testing.T) {
	app := imagined{calls: []string{"groups.create"}}
	e, err := explore.New(explore.Options{}, app.run(explore.Run{}), app.run(explore.Run{}))
	require.NoError(t, err)
	skipped := e.Next()
	for _, run := range skipped {
		e.Skip(run)
	}
	assert.Equal(t, len(skipped), e.Report().LeftOut)
	staying := e.Next()
	assert.NotEmpty(t, staying)
	for _, run := range staying {
		assert.Regexp(t, "-stays$", run.Name())
	}
}

// A run is found in the dialect of the calls of its operation, and not in that of the first call.
func TestFindInTheDialectOfTheOperation(t *testing.T) {
	app := imagined{calls: []string{"groups.list", "estatements.getDisclosures"}}
	undisturbed := app.run(explore.Run{})
	undisturbed.Exchanges[1].Dialect = "public"
	e, err := explore.New(explore.Options{}, undisturbed, undisturbed)
	require.NoError(t, err)
	run, err := e.Find("estatements.getDisclosures#1/400_expired") // in the document, it is 401_expired
	require.NoError(t, err)
	assert.Equal(t, "public", run.Faults[0].Call.Dialect)
}
