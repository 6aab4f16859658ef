package conformance

import (
	"fmt"
	"io"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Report is what the replays have found.
type Report struct {
	BaseURL string   `json:"baseUrl"`
	Stopped string   `json:"stopped,omitzero"` // why the rest was not run; empty: the check came to its end
	Results []Result `json:"results"`          // by exchange
}

// Result is the outcome of one golden exchange.
type Result struct {
	Exchange   string   `json:"exchange"`
	Operation  string   `json:"operation"`
	About      string   `json:"about"`
	Skipped    string   `json:"skipped,omitzero"`    // the reason; empty: it was replayed
	Error      string   `json:"error,omitzero"`      // why it could not be finished, or not be undone
	Drifts     []Drift  `json:"drifts,omitzero"`     // none: the service answers as the simulator does
	Known      []Drift  `json:"known,omitzero"`      // drifts of the baseline
	Ignored    []Drift  `json:"ignored,omitzero"`    // drifts of entries that are to be ignored
	Vanished   []Drift  `json:"vanished,omitzero"`   // drifts of the baseline that are no more
	LeftBehind []string `json:"leftBehind,omitzero"` // what the replay made and could not undo
}

// Drift is a difference between the simulator and the service.
type Drift struct {
	Exchange string         `json:"exchange"`
	Entry    string         `json:"entry"` // of the ledger
	Basis    contract.Basis `json:"basis"`
	Source   string         `json:"source"`
	Place    string         `json:"place"` // a status that was answered, a header, a member, or a preceding request
	Message  string         `json:"message"`
}

// Drifts returns all drifts but known and ignored ones.
func (r Report) Drifts() []Drift {
	var all []Drift
	for _, result := range r.Results {
		all = append(all, result.Drifts...)
	}
	return all
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

// counts are how many exchanges had which outcome, and how many drifts were let pass.
type counts struct{ passed, drifted, failed, skipped, known, ignored, vanished, left int }

func (r Report) counts() (n counts) {
	for _, result := range r.Results {
		switch {
		case result.Error != "":
			n.failed++
		case result.Skipped != "":
			n.skipped++
		case len(result.Drifts) > 0:
			n.drifted++
		default:
			n.passed++
		}
		n.known += len(result.Known)
		n.ignored += len(result.Ignored)
		n.vanished += len(result.Vanished)
		n.left += len(result.LeftBehind)
	}
	return n
}

// WriteJSON writes the report as JSON.
func (r Report) WriteJSON(w io.Writer) error {
	data, err := wire.EncodeIndented(r)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// WriteText writes the report for people: drifts, errors, what is left behind, and how many exchanges were skipped and why.
func (r Report) WriteText(w io.Writer) error {
	var text strings.Builder
	var skipped reasons
	for _, result := range r.Results {
		for _, list := range []struct {
			word   string
			drifts []Drift
		}{{"DRIFT", result.Drifts}, {"KNOWN", result.Known}, {"IGNORED", result.Ignored}, {"VANISHED", result.Vanished}} {
			for _, d := range list.drifts {
				fmt.Fprintf(&text, "%s %s\n  %s (%s)\n  %s\n", list.word, d.Exchange, d.Entry, d.Source, d.Message)
			}
		}
		if result.Error != "" {
			fmt.Fprintf(&text, "ERROR %s\n  %s\n", result.Exchange, result.Error)
		}
		for _, left := range result.LeftBehind {
			fmt.Fprintf(&text, "LEFT BEHIND by %s: %s\n", result.Exchange, left)
		}
		if result.Skipped != "" {
			skipped.add(result.Skipped)
		}
	}
	if r.Stopped != "" {
		fmt.Fprintf(&text, "STOPPED: %s\n", r.Stopped)
	}
	fmt.Fprintf(&text, "%s, at %s\n%s", r.counts(), r.BaseURL, &skipped)
	_, err := io.WriteString(w, text.String())
	return err
}

// reasons are why exchanges were skipped, in the order in which they were met.
type reasons struct {
	order []string
	count map[string]int
}

func (r *reasons) add(reason string) {
	if r.count == nil {
		r.count = map[string]int{}
	}
	if r.count[reason]++; r.count[reason] == 1 {
		r.order = append(r.order, reason)
	}
}

// String returns a line for each reason, with how many exchanges were skipped for it.
func (r *reasons) String() string {
	text := ""
	for _, reason := range r.order {
		text += fmt.Sprintf("  %d skipped: %s\n", r.count[reason], reason)
	}
	return text
}

// String returns the counts, of which all but the usual ones are left out where there are none.
func (n counts) String() string {
	text := fmt.Sprintf("%d passed, %d drifted, %d skipped", n.passed, n.drifted, n.skipped)
	for _, more := range []struct {
		count int
		what  string
	}{{n.failed, "failed"}, {n.known, "known drifts"}, {n.ignored, "ignored drifts"}, {n.vanished, "vanished drifts"}} {
		if more.count > 0 {
			text += fmt.Sprintf(", %d %s", more.count, more.what)
		}
	}
	return text
}
