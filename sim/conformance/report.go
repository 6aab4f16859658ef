package conformance

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// Report is what the replays have found.
type Report struct {
	BaseURL string
	Stopped string   // why the rest was not run, or "" if the check came to its end
	Seed    uint64   // of the journeys, or 0 if there are none
	Results []Result // by exchange, and then by journey

	Dialect sim.Dialect
	Started time.Time
	policy  *sim.Policy // of the service
}

// Result is the outcome of one golden exchange or one journey.
type Result struct {
	Exchange    string
	Operation   string
	About       string       // of a journey, its steps
	Skipped     string       // the reason, or "" if it was replayed
	Error       string       // why it could not be finished, or ""
	Differences []Difference // empty if the service answers as the simulator does
	Ignored     []Difference // about entries that are to be ignored
	LeftBehind  []string     // what the replay made and could not undo

	isJourney bool
}

// Difference is a difference between the simulator and the service.
type Difference struct {
	Exchange string
	Entry    string // of the ledger
	Basis    contract.Basis
	Source   string
	Place    string // a status that was answered, a header, a member, or a preceding request
	Message  string

	isConvention bool // whether it doesn't count
	shown        *report.Shown
}

// Differences returns all differences but ignored ones, and those from conventions.
func (r Report) Differences() []Difference {
	var all []Difference
	for _, result := range r.Results {
		all = append(all, result.Differences...)
	}
	return slices.DeleteFunc(all, func(d Difference) bool { return d.isConvention })
}

// Errors returns why exchanges could not be finished or undone.
func (r Report) Errors() []string {
	var all []string
	for _, result := range r.Results {
		if result.Error != "" {
			all = append(all, result.Exchange+": "+result.Error)
		}
	}
	return all
}

// LeftBehind returns what the check made and could not undo.
func (r Report) LeftBehind() []string {
	var all []string
	for _, result := range r.Results {
		all = append(all, result.LeftBehind...)
	}
	return all
}

// Check returns the report by entries of the ledger, the best founded first. The shortest exchange shows each.
func (r Report) Check() *report.Check {
	c := &report.Check{
		BaseURL: r.BaseURL, Dialect: string(r.Dialect), Started: r.Started, Seed: r.Seed, Stopped: r.Stopped,
		LeftBehind: []string{},
	}
	var counted, conventions, ignored []Difference
	for _, result := range r.Results {
		one := report.Case{
			Name: result.Exchange, Operation: result.Operation, NotAsked: result.Skipped, Error: result.Error,
			Left: result.LeftBehind,
		}
		for _, d := range result.Differences {
			if d = d.in(result); d.isConvention {
				conventions = append(conventions, d)
				continue
			}
			counted = append(counted, d)
			if !slices.Contains(one.Entries, d.Entry) {
				one.Entries = append(one.Entries, d.Entry)
			}
		}
		for _, d := range result.Ignored {
			ignored = append(ignored, d.in(result))
		}
		for _, left := range result.LeftBehind {
			c.LeftBehind = append(c.LeftBehind, result.Exchange+": "+left)
		}
		c.Cases = append(c.Cases, one)
	}
	c.Findings, c.Conventions, c.Ignored = r.findings(counted), r.findings(conventions), r.findings(ignored)
	return c
}

// in returns a difference of a journey with its steps.
func (d Difference) in(result Result) Difference {
	if result.isJourney {
		shown := *cmp.Or(d.shown, &report.Shown{Case: d.Exchange})
		shown.Steps = strings.Split(result.About, "\n")
		d.shown = &shown
	}
	return d
}

// findings returns differences by their entries.
func (r Report) findings(differences []Difference) (all []report.Finding) {
	at := map[string]int{}
	for _, d := range differences {
		index, found := at[d.Entry]
		if !found {
			e, _ := contract.FindEntry(d.Entry)
			index = len(all)
			at[d.Entry] = index
			all = append(all, report.Finding{
				Entry: d.Entry, Question: e.Question, Answer: e.AnswerUnder(r.policy), Basis: string(d.Basis),
				Source: d.Source, Others: []string{},
			})
		}
		all[index].Add(d.Message, cmp.Or(d.shown, &report.Shown{Case: d.Exchange}))
	}
	rank := func(f report.Finding) int { return slices.Index(contract.Bases, contract.Basis(f.Basis)) }
	slices.SortStableFunc(all, func(a, b report.Finding) int { return rank(a) - rank(b) })
	return all
}
