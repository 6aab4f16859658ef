package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Check is how the answers of a service differ from the simulator's.
type Check struct {
	BaseURL string    `json:"baseUrl"`
	Dialect string    `json:"dialect"`
	Started time.Time `json:"started"`
	Seed    uint64    `json:"seed,omitzero"`    // of the journeys, or 0 if there are none
	Stopped string    `json:"stopped,omitzero"` // why the rest was not run, or "" if the check came to its end

	Findings    []Finding `json:"findings"`    // one for each entry of the ledger, the best founded first
	Conventions []Finding `json:"conventions"` // differences from a convention, which don't count
	Ignored     []Finding `json:"ignored"`     // differences that the caller ignores

	Cases      []Case   `json:"cases"` // by exchange, and then by journey
	LeftBehind []string `json:"leftBehind"`
}

// Finding is what a check found about an entry of the ledger.
type Finding struct {
	Entry    string   `json:"entry"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"` // the simulator's, in words
	Basis    string   `json:"basis"`
	Source   string   `json:"source"`
	Shown    Shown    `json:"shown"`
	Others   []string `json:"others"` // the other cases that show it
}

// Add adds a difference, and shows the shortest exchange with one.
func (f *Finding) Add(difference string, shown *Shown) {
	isSame := f.Shown.Case == shown.Case && f.Shown.Curl == shown.Curl
	switch {
	case isSame && !slices.Contains(f.Shown.Differences, difference):
		f.Shown.Differences = append(f.Shown.Differences, difference)
	case isSame:
	case f.Shown.Case == "", shown.isShorter(f.Shown):
		f.addOther(f.Shown.Case)
		f.Shown = *shown
		f.Shown.Differences = []string{difference}
	default:
		f.addOther(shown.Case)
	}
	isShown := func(name string) bool { return name == f.Shown.Case }
	f.Others = slices.DeleteFunc(f.Others, isShown) // a case may have two exchanges that show it
}

func (f *Finding) addOther(name string) {
	if name != "" && !slices.Contains(f.Others, name) {
		f.Others = append(f.Others, name)
	}
}

// isShorter reports whether an exchange needs fewer requests than another one, or as many shorter ones.
func (s Shown) isShorter(than Shown) bool {
	return s.Curl != "" && (than.Curl == "" || cmp.Or(len(s.Steps)-len(than.Steps), len(s.Curl)-len(than.Curl)) < 0)
}

// Shown is the shortest exchange that shows a difference.
type Shown struct {
	Case        string   `json:"case"`
	Differences []string `json:"differences"`
	Steps       []string `json:"steps"` // the requests before, or the steps of a journey
	Curl        string   `json:"curl"`
	Got         string   `json:"got"`      // the answer of the service: status line, headers and body
	Expected    string   `json:"expected"` // the simulator's, with what is compared
	At          string   `json:"at"`       // the time of the request in UTC
	RequestID   string   `json:"requestId,omitzero"`
}

// Case is an exchange or a journey of a check.
type Case struct {
	Name      string   `json:"name"`
	Operation string   `json:"operation"`
	Status    string   `json:"status"`            // passed, differs, failed or not asked; Write sets it
	NotAsked  string   `json:"notAsked,omitzero"` // why it was not sent, or ""
	Error     string   `json:"error,omitzero"`    // why it could not be finished, or ""
	Entries   []string `json:"entries,omitzero"`  // of the ledger, about which it differs
	Left      []string `json:"left,omitzero"`     // what it left behind
}

// Statuses of a case.
const (
	passed  = "passed"
	differs = "differs"
	failed  = "failed" // it could not be finished or undone
	skipped = "not asked"
)

// status returns the one status that a case has in all formats.
func (c Case) status() string {
	switch {
	case c.Error != "":
		return failed
	case len(c.Entries) > 0:
		return differs
	case len(c.Left) > 0:
		return failed
	case c.NotAsked != "":
		return skipped
	}
	return passed
}

// withStatuses returns a check whose cases say their status.
func (c Check) withStatuses() *Check {
	c.Cases = slices.Clone(c.Cases)
	for i, one := range c.Cases {
		c.Cases[i].Status = one.status()
	}
	return &c
}

// Summary says in a line what the check found. Each case counts once.
func (c *Check) Summary() string {
	n := map[string]int{}
	for _, one := range c.Cases {
		n[one.status()]++
	}
	return fmt.Sprintf("%s; exchanges: %d differ, %d passed, %d failed, %d not asked",
		wording.Count(len(c.Findings), "finding"), n[differs], n[passed], n[failed], n[skipped])
}

// notAsked is a reason and the cases that were not sent for it.
type notAsked struct {
	Reason string
	Names  []string
}

// notAskedOf returns the reasons why cases were not sent, the most frequent first.
func notAskedOf(c *Check) (all []notAsked) {
	at := map[string]int{}
	for _, one := range c.Cases {
		if one.NotAsked == "" {
			continue
		}
		place, found := at[one.NotAsked]
		if !found {
			place = len(all)
			at[one.NotAsked], all = place, append(all, notAsked{Reason: one.NotAsked})
		}
		all[place].Names = append(all[place].Names, one.Name)
	}
	slices.SortStableFunc(all, func(a, b notAsked) int { return len(b.Names) - len(a.Names) })
	return all
}
