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
	Results []Result `json:"results"` // by exchange
}

// Result is the outcome of one golden exchange.
type Result struct {
	Exchange   string   `json:"exchange"`
	Operation  string   `json:"operation"`
	About      string   `json:"about"`
	Skipped    string   `json:"skipped,omitzero"`    // the reason; empty: it was replayed
	Drifts     []Drift  `json:"drifts,omitzero"`     // none: the service answers as the simulator does
	LeftBehind []string `json:"leftBehind,omitzero"` // what the replay made and could not undo
}

// Drift is a difference between the simulator and the service.
type Drift struct {
	Exchange string         `json:"exchange"`
	Entry    string         `json:"entry"` // of the ledger
	Basis    contract.Basis `json:"basis"`
	Source   string         `json:"source"`
	Message  string         `json:"message"`
}

// Drifts returns all drifts.
func (r Report) Drifts() []Drift {
	var all []Drift
	for _, result := range r.Results {
		all = append(all, result.Drifts...)
	}
	return all
}

// counts returns how many exchanges passed, drifted and were skipped.
func (r Report) counts() (passed, drifted, skipped int) {
	for _, result := range r.Results {
		switch {
		case result.Skipped != "":
			skipped++
		case len(result.Drifts) > 0:
			drifted++
		default:
			passed++
		}
	}
	return passed, drifted, skipped
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

// WriteText writes the report for people: drifts, what is left behind, and how many exchanges were skipped and why.
func (r Report) WriteText(w io.Writer) error {
	var text strings.Builder
	reasons := map[string]int{}
	var order []string
	for _, result := range r.Results {
		for _, d := range result.Drifts {
			fmt.Fprintf(&text, "DRIFT %s\n  %s (%s)\n  %s\n", d.Exchange, d.Entry, d.Source, d.Message)
		}
		for _, left := range result.LeftBehind {
			fmt.Fprintf(&text, "LEFT BEHIND by %s: %s\n", result.Exchange, left)
		}
		if result.Skipped != "" {
			if reasons[result.Skipped]++; reasons[result.Skipped] == 1 {
				order = append(order, result.Skipped)
			}
		}
	}
	passed, drifted, skipped := r.counts()
	fmt.Fprintf(&text, "%d passed, %d drifted, %d skipped, at %s\n", passed, drifted, skipped, r.BaseURL)
	for _, reason := range order {
		fmt.Fprintf(&text, "  %d skipped: %s\n", reasons[reason], reason)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
