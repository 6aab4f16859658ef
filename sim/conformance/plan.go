package conformance

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Plan is what a check would send, with the values of the golden exchanges in the place of the service's own.
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

// PlannedRequest is a request that would be sent. One that undoes something would be sent only if there is something to
// undo.
type PlannedRequest struct {
	For     string `json:"for"` // prepare, exchange or undo
	Method  string `json:"method"`
	BaseURL string `json:"baseUrl,omitzero"` // of its family, if that has one of its own
	Path    string `json:"path"`
	Changes string `json:"changes,omitzero"` // what it could change
	Undone  string `json:"undone,omitzero"`  // how
}

// DryRun returns what [Run] would send, and sends nothing.
func DryRun(cfg Config) (Plan, error) {
	if err := cfg.Validate(); err != nil {
		return Plan{}, err
	}
	golden, err := fixtures.Load()
	if err != nil {
		return Plan{}, err
	}
	r, err := newReplayer(cfg)
	if err != nil {
		return Plan{}, err
	}
	defer r.close()
	plan := Plan{BaseURL: r.BaseURL, Exchanges: []PlannedExchange{}}
	for _, e := range golden {
		if cfg.speaks(e) && selected(e, cfg.Only) {
			x := PlannedExchange{Exchange: e.Name, Skipped: r.reasonToSkip(e)}
			if x.Skipped == "" {
				x.Requests = r.newReplay(r.withTokens(e)).plan()
			}
			plan.Exchanges = append(plan.Exchanges, x)
		}
	}
	return plan, nil
}

// plan returns the requests that the replay would send.
func (r *replay) plan() []PlannedRequest {
	var all []PlannedRequest
	add := func(purpose string, request fixtures.Request, changes, undone string) {
		p := PlannedRequest{For: purpose, Method: request.Method, Path: request.Path, Changes: changes, Undone: undone}
		if base := r.client.baseURL(request.Path); base != r.BaseURL {
			p.BaseURL = base
		}
		all = append(all, p)
	}
	for _, a := range r.aims {
		for _, user := range a.unknown {
			add("prepare", r.readRequest(account{user, fixtures.Users[0].Accounts[0]}, ""), "", "")
		}
	}
	for _, acc := range r.accounts {
		add("prepare", r.readRequest(acc, ""), "", "")
	}
	var holders []string
	for _, a := range r.aims {
		for _, t := range a.disclosures {
			if !slices.Contains(holders, t.user) {
				holders = append(holders, t.user)
				add("prepare", r.listRequest(t.user), "", "")
			}
		}
	}
	const revoked = "the tokens are revoked"
	for _, g := range r.grants {
		add("prepare", r.issueRequest(g), "issues tokens for this exchange", revoked)
	}
	issues := len(r.grants) > 0
	for i, request := range requests(r.exchange) {
		a := r.aims[i]
		changes, undone := "", ""
		switch {
		case a.op == contract.TokensIssue:
			changes, undone, issues = "may issue tokens; a wrong password may count as a failed sign-in", revoked, true
		case a.op == contract.TokensRevoke:
			changes = "may revoke tokens that were issued for this exchange"
		case a.op == nil:
		case changesDisclosures(a.op):
			changes, undone = "may change disclosures of "+usersText(a), "listed before and after, and put back where they differ"
		case about(a.op) != "":
			changes, undone = "may change "+things[about(a.op)]+" that this exchange creates", things[about(a.op)]+" is deleted"
		case len(a.accounts)+len(a.unknown) == 0:
			changes, undone = "may create "+leaves(a.op, request), "deleted, if the service has the operation; otherwise listed"
		default:
			changes, undone = "may change the settings of "+settingsText(r.accounts, a), "read before and after, and put back where they differ"
		}
		add("exchange", request, changes, undone)
	}
	for _, acc := range r.accounts {
		add("undo", r.readRequest(acc, ""), "", "")
		add("undo", r.restoreRequest(acc, false), "puts the setting back", "")
	}
	for _, user := range r.users {
		add("undo", r.restoreAllRequest(user, false), "puts the settings back", "")
	}
	for _, user := range holders {
		add("undo", r.listRequest(user), "", "")
		add("undo", r.ownRequest(contract.DisclosuresCreateUser, nil, nil), "puts the disclosures back", "")
		add("undo", r.ownRequest(contract.DisclosuresUpdateUser, nil, nil), "puts the disclosures back", "")
		add("undo", r.ownRequest(contract.DisclosuresDeleteUser, nil, nil), "removes a disclosure of an account that is new", "")
	}
	if issues {
		add("undo", r.ownRequest(contract.TokensRevoke, nil, nil), "revokes the tokens that were issued", "")
	}
	for _, c := range contract.Cleanups {
		if slices.ContainsFunc(r.aims, func(a aim) bool { return a.op == c.Of }) {
			add("undo", fixtures.Request{Method: c.Method, Path: c.PathIn(r.dialect())}, "deletes what was created", "")
		}
	}
	return all
}

// about returns the name of the id of what an operation is about, which the exchange has created before; empty: it is about
// nothing such.
func about(op *contract.Operation) string {
	switch op {
	case contract.GroupsUpdate, contract.GroupsDelete, contract.GroupsUploadParticipants:
		return "groupId"
	case contract.AlertsUpdatePreference, contract.AlertsDeletePreference:
		return "alertPrefId"
	}
	return ""
}

// things are what operations are about, by the names of their ids.
var things = map[string]string{"groupId": "the group", "alertPrefId": "the alert preference"}

// settingsText names the accounts that a request could change.
func settingsText(read []account, a aim) string {
	var names []string
	for _, acc := range read {
		if slices.Contains(a.accounts, acc) {
			names = append(names, acc.id)
		}
	}
	for _, user := range a.unknown {
		names = append(names, "user "+user+", if the service has one")
	}
	return strings.Join(names, ", ")
}

// usersText names the users whose disclosures a request could change.
func usersText(a aim) string {
	var names []string
	for _, t := range a.disclosures {
		names = append(names, "user "+t.user)
	}
	for _, user := range a.unknown {
		names = append(names, "user "+user+", if the service has one")
	}
	return strings.Join(names, ", ")
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
	reasons := map[string]int{}
	var order []string
	planned, sent := 0, 0
	for _, x := range p.Exchanges {
		if x.Skipped != "" {
			if reasons[x.Skipped]++; reasons[x.Skipped] == 1 {
				order = append(order, x.Skipped)
			}
			continue
		}
		planned++
		fmt.Fprintf(&text, "%s\n", x.Exchange)
		for _, r := range x.Requests {
			if r.For != "undo" {
				sent++
			}
			fmt.Fprintf(&text, "  %-8s %s %s%s\n", r.For, r.Method, r.BaseURL, r.Path)
			if r.Changes != "" {
				fmt.Fprintf(&text, "             %s\n", r.Changes)
			}
			if r.Undone != "" {
				fmt.Fprintf(&text, "             undone: %s\n", r.Undone)
			}
		}
	}
	fmt.Fprintf(&text, "%d exchanges with %d requests, and those that undo them, would be sent to %s\n", planned, sent, p.BaseURL)
	for _, reason := range order {
		fmt.Fprintf(&text, "  %d skipped: %s\n", reasons[reason], reason)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
