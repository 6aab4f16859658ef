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
	NotAsked  string   `json:"notAsked,omitzero"` // why it was not sent, or ""
	Error     string   `json:"error,omitzero"`    // why it could not be finished, or not be undone
	Entries   []string `json:"entries,omitzero"`  // of the ledger, about which it differs
	Left      []string `json:"left,omitzero"`     // what it left behind
}

// count returns how many cases a condition holds for.
func (c *Check) count(holds func(Case) bool) (n int) {
	for _, one := range c.Cases {
		if holds(one) {
			n++
		}
	}
	return n
}

func isPassed(c Case) bool {
	return c.NotAsked == "" && c.Error == "" && len(c.Entries)+len(c.Left) == 0
}

// Summary says in a line what the check found.
func (c *Check) Summary() string {
	differing := c.count(func(one Case) bool { return one.Error == "" && len(one.Entries) > 0 })
	failed := c.count(func(one Case) bool { return one.Error != "" })
	return fmt.Sprintf("%s; exchanges: %d differ, %d passed, %d failed",
		wording.Count(len(c.Findings), "finding"), differing, c.count(isPassed), failed)
}

// notAsked is a reason and the cases that were not sent for it.
type notAsked struct {
	Reason string
	Names  []string
}

// notAsked returns the reasons why cases were not sent, the most frequent first.
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
