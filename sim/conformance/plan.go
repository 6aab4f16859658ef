package conformance

import (
	"fmt"
	"io"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Plan is what a check would send, with the values of the golden exchanges in the place of the service's own. What would
// be deleted and revoked afterwards is not in it.
type Plan struct {
	BaseURL   string            `json:"baseUrl"`
	Exchanges []PlannedExchange `json:"exchanges"`
}

// PlannedExchange is what the replay of an exchange would send.
type PlannedExchange struct {
	Exchange string           `json:"exchange"`
	Skipped  string           `json:"skipped,omitzero"` // the reason; empty: it would be replayed
	Requests []PlannedRequest `json:"requests,omitzero"`
}

// PlannedRequest is a request that would be sent.
type PlannedRequest struct {
	Method string `json:"method"`
	URL    string `json:"url"`
}

// DryRun returns what [Run] would send, and sends nothing.
func DryRun(cfg Config) (Plan, error) {
	if err := cfg.Validate(); err != nil {
		return Plan{}, err
	}
	r, err := newReplayer(cfg)
	if err != nil {
		return Plan{}, err
	}
	defer r.close()
	plan := Plan{BaseURL: r.BaseURL, Exchanges: []PlannedExchange{}}
	for _, e := range r.golden {
		x := PlannedExchange{Exchange: e.Name, Skipped: r.reasonToSkip(e)}
		if x.Skipped == "" {
			var all []fixtures.Request
			for _, g := range ownGrants(e) {
				all = append(all, r.issueRequest(g))
			}
			for _, request := range append(all, requests(e)...) {
				x.Requests = append(x.Requests, PlannedRequest{request.Method, r.client.baseURL(request.Path) + request.Path})
			}
		}
		plan.Exchanges = append(plan.Exchanges, x)
	}
	return plan, nil
}

// WriteJSON writes the plan as JSON.
func (p Plan) WriteJSON(w io.Writer) error {
	data, err := wire.EncodeIndented(p)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// WriteText writes the plan for people.
func (p Plan) WriteText(w io.Writer) error {
	var text strings.Builder
	var skipped reasons
	planned, sent := 0, 0
	for _, x := range p.Exchanges {
		if x.Skipped != "" {
			skipped.add(x.Skipped)
			continue
		}
		planned++
		fmt.Fprintf(&text, "%s\n", x.Exchange)
		for _, r := range x.Requests {
			sent++
			fmt.Fprintf(&text, "  %s %s\n", r.Method, r.URL)
		}
	}
	fmt.Fprintf(&text, "%d exchanges with %d requests, and those that undo them, would be sent\n%s", planned, sent, &skipped)
	_, err := io.WriteString(w, text.String())
	return err
}
