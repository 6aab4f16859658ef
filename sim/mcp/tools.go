package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// inSandbox is embedded in the arguments of tools that are about a sandbox.
type inSandbox struct {
	Sandbox string `json:"sandbox,omitzero" jsonschema:"Name of a sandbox, from create_sandbox. Default: the shared one, default."`
	part
}

// path returns the path of a call about the sandbox.
func (in inSandbox) path(call string) string {
	return api.SandboxPath(cmp.Or(in.Sandbox, sandbox.Default), call)
}

// forCall returns the arguments that are the call's own: what its body has.
func forCall(args any) (members map[string]any) {
	_ = json.Unmarshal(wire.MustEncode(args), &members)
	delete(members, "sandbox")
	delete(members, "offset")
	return members
}

// addTools adds a tool for each thing that one asks a simulator for: its arguments, and what it does with them.
func addTools(s *sdk.Server, bank *api.Client) {
	addTool(s, "list_operations", "What the simulated banking interface can be asked: name, method and path of each operation, with an "+
		"example request that a new sandbox accepts. Name one to see its parameters, members, answers and errors.",
		func(ctx context.Context, in struct {
			Operation string `json:"operation,omitzero" jsonschema:"The name of the one to see in full. Default: all, in short."`
			part
		}) (string, []byte, error) {
			var all struct{ Operations []map[string]any }
			if err := bank.Get(ctx, "/v1/operations", &all); err != nil {
				return "", nil, err
			}
			var text string
			var list []any
			for _, op := range all.Operations {
				if in.Operation == op["name"] {
					return fmt.Sprintf("%s: %s", op["title"], op["about"]), wire.MustEncode(op), nil
				}
				text += fmt.Sprintf("%s: %s %s  %s\n", op["name"], op["method"], op["path"], op["title"])
				list = append(list, map[string]any{"name": op["name"], "example": op["example"]})
			}
			if in.Operation != "" {
				return "", nil, fmt.Errorf("there is no operation %.99q. There are:\n%s", in.Operation, text)
			}
			return text, wire.MustEncode(list), nil
		})

	addTool(s, "create_sandbox", "Create a bank of your own, apart from all others. The result has its name, which the other tools take, "+
		"and its base URL, to which the app under test appends the interface's paths.",
		func(ctx context.Context, in struct {
			Name     string `json:"name,omitzero" jsonschema:"1 to 63 of a-z, 0-9 and -. Default: one is assigned."`
			Scenario string `json:"scenario,omitzero" jsonschema:"A built-in scenario such as retail. Default: that of the simulator."`
			YAML     string `json:"scenarioYaml,omitzero" jsonschema:"The YAML of a scenario instead. It may extend a built-in one."`
			TTL      string `json:"ttl,omitzero" jsonschema:"After which time it is deleted, such as 30m. Default: 24h."`
		}) (string, []byte, error) {
			in.TTL = cmp.Or(in.TTL, "24h") // agents seldom tidy up
			var made api.Sandbox
			err := bank.Call(ctx, "POST", "/v1/sandboxes", in, &made)
			return fmt.Sprintf("sandbox %s is at base URL %s", made.Name, made.BaseURL), wire.MustEncode(made), err
		})

	addTool(s, "send_request", "Send a request to the bank as an app would. list_operations has some to begin with.",
		func(ctx context.Context, in struct {
			inSandbox
			Method  string            `json:"method,omitzero" jsonschema:"Such as PUT. Default: GET."`
			Path    string            `json:"path" jsonschema:"Below the base URL of the sandbox, with the query."`
			Headers map[string]string `json:"headers,omitzero" jsonschema:"A value for each name. Most operations need Authorization."`
			Body    string            `json:"body,omitzero" jsonschema:"As it is sent: give its Content-Type as a header."`
		}) (string, []byte, error) {
			data, err := bank.Read(ctx, "POST", in.path("/requests"), forCall(in))
			return "what came of it; exchange is the number of the request:", data, err
		})

	addTool(s, "validate_scenario", "Whether a scenario, YAML that describes a bank, is valid, and all that is wrong with it or probably "+
		"is, with line and column. The resource banksim://docs/scenarios.md says how to write one.",
		func(_ context.Context, in struct {
			YAML string `json:"yaml" jsonschema:"The text of the scenario. It may extend a built-in one, such as retail."`
		}) (string, []byte, error) {
			sc, err := scenario.Parse("scenario.yaml", []byte(in.YAML), scenario.WithoutWorld()) // needs no simulator
			if err != nil {
				return "", nil, err
			}
			text := "valid"
			for _, warning := range sc.Warnings {
				text += "\nwarning: " + warning.String()
			}
			return text, wire.MustEncode(sc.Summary), nil
		})

	addTool(s, "list_requests", "The newest requests that the bank had, and what came of each. The newest is the last.",
		func(ctx context.Context, in struct {
			inSandbox
			Operation string `json:"operation,omitzero" jsonschema:"Only requests to this one, or to a family: groups.*"`
			Text      string `json:"text,omitzero" jsonschema:"Only those with these words in them; 4xx and >=400 are about the status."`
			Limit     int    `json:"limit,omitzero" jsonschema:"How many at most. Default: 20."`
		}) (string, []byte, error) {
			query := url.Values{"operation": {in.Operation}, "text": {in.Text}, "limit": {fmt.Sprint(cmp.Or(in.Limit, 20))}}
			var page journal.Page
			err := bank.Get(ctx, in.path("/journal?"+query.Encode()), &page)
			text := fmt.Sprintf("%d requests", len(page.Exchanges))
			for _, x := range page.Exchanges {
				q, d := x.Request, x.Decision
				text += fmt.Sprintf("\n%s  %s %s → %d, %s by %s", x.ID, q.Method, q.Path, x.Response.Status, d.Outcome, d.Rule)
			}
			return text, wire.MustEncode(page), err
		})

	addTool(s, "explain_request", "Why the bank answered a request as it did: the rule that decided, the row of the bank that it looked "+
		"at, what the answer rests on, and what the request changed. By default the newest request.",
		func(ctx context.Context, in struct {
			inSandbox
			Request string `json:"request,omitzero" jsonschema:"Its number, from list_requests or send_request. Default: the newest."`
		}) (string, []byte, error) {
			var page journal.Page
			if err := bank.Get(ctx, in.path("/journal?limit=1"), &page); err != nil {
				return "", nil, err
			} else if in.Request == "" && len(page.Exchanges) == 0 {
				return "", nil, errors.New("the bank had no request: send one, or have the app use its base URL")
			} else if in.Request == "" {
				in.Request = page.Exchanges[0].ID
			}
			path := in.path("/journal/" + url.PathEscape(in.Request) + "/why")
			text, err := bank.Read(ctx, "GET", path+"?format=text", nil)
			if err != nil {
				return "", nil, err
			}
			data, err := bank.Read(ctx, "GET", path, nil)
			return string(text), data, err
		})

	addTool(s, "verify_requests", "Check that the bank had the requests that you expect, and see what differs if it had not.",
		func(ctx context.Context, in struct {
			inSandbox
			Operation string             `json:"operation,omitzero" jsonschema:"A name from list_operations, or a family: groups.*"`
			Status    int                `json:"status,omitzero" jsonschema:"Of the answer."`
			Path      string             `json:"path,omitzero" jsonschema:"The interface's, without base URL and query."`
			Header    map[string]*string `json:"header,omitzero" jsonschema:"A value for each name, or ~ and an expression; null: absent."`
			Query     map[string]*string `json:"query,omitzero" jsonschema:"Likewise, of query parameters."`
			Body      map[string]any     `json:"body,omitzero" jsonschema:"What the request's JSON or form has to contain; null: absent."`
			Exactly   *int               `json:"exactly,omitzero" jsonschema:"How many such requests. Default of the three: at least one."`
			AtLeast   *int               `json:"atLeast,omitzero"`
			AtMost    *int               `json:"atMost,omitzero"`
		}) (string, []byte, error) {
			var verdict journal.Verdict
			err := bank.Call(ctx, "POST", in.path("/journal/verify"), forCall(in), &verdict)
			return fmt.Sprintf("verified: %t. %s", verdict.Verified, verdict.Text), wire.MustEncode(verdict), err
		})

	addTool(s, "add_fault", "Make requests fail on purpose: with an error, a delay, a broken connection or a lost answer.",
		func(ctx context.Context, in struct {
			inSandbox
			Operation string         `json:"operation,omitzero" jsonschema:"A name from list_operations, or a family: groups.*"`
			When      map[string]any `json:"when,omitzero" jsonschema:"Which of its requests: {first: 1}, {nth: 3}, {every: 2}."`
			Then      map[string]any `json:"then" jsonschema:"{status: 503}, {delay: 2s}, {connection: reset}, {expireToken: true}."`
			Phase     string         `json:"phase,omitzero" jsonschema:"before, or after: it is carried out, and the answer is lost."`
		}) (string, []byte, error) {
			data, err := bank.Read(ctx, "POST", in.path("/faults"), forCall(in))
			return "the fault acts until the next reset", data, err
		})

	addTool(s, "read_state", "What the bank holds: institutions, users with accounts and disclosures, tokens, groups, jobs.",
		func(ctx context.Context, in struct {
			inSandbox
			Institution string `json:"institution,omitzero" jsonschema:"Only this institution, by its institutionId."`
			User        string `json:"user,omitzero" jsonschema:"Only this user of the institution, by hostUserId."`
			Text        string `json:"text,omitzero" jsonschema:"Only rows with this text in their ids, names or descriptions."`
			Limit       int    `json:"limit,omitzero" jsonschema:"How many rows of each kind at most. Default: 20."`
		}) (string, []byte, error) {
			limit := fmt.Sprint(cmp.Or(in.Limit, 20))
			query := url.Values{"institution": {in.Institution}, "user": {in.User}, "text": {in.Text}, "limit": {limit}}
			data, err := bank.Read(ctx, "GET", in.path("/state?"+query.Encode()), nil)
			return "what the bank holds, or the part of it that was asked for:", data, err
		})

	addTool(s, "change_state", "Change an institution (multistatement), a user (active, disclosureStatus) or an account of a user "+
		"(activateEstatement, disclosureStatus, updateFails) past the rules of the bank: to bring about what you want to test.",
		func(ctx context.Context, in struct {
			inSandbox
			Institution string         `json:"institution" jsonschema:"Its institutionId."`
			User        string         `json:"user,omitzero" jsonschema:"Its hostUserId. Default: the institution itself is changed."`
			Account     string         `json:"account,omitzero" jsonschema:"Its accountId. Default: the user itself is changed."`
			Set         map[string]any `json:"set" jsonschema:"New values, such as {active: false} or {disclosureStatus: ACCEPTED}."`
		}) (string, []byte, error) {
			path := in.path("/institutions/" + url.PathEscape(in.Institution))
			if in.User+in.Account != "" {
				path += "/users/" + url.PathEscape(in.User)
			}
			if in.Account != "" {
				path += "/accounts/" + url.PathEscape(in.Account)
			}
			data, err := bank.Read(ctx, "PATCH", path, in.Set)
			return "changed; the row is now:", data, err
		})

	addTool(s, "advance_clock", "Move the bank's clock: tokens expire by it, import jobs end, and windows of faults open.",
		func(ctx context.Context, in struct {
			inSandbox
			Advance string `json:"advance" jsonschema:"A duration such as 90s, 15m or 24h; a negative one moves it back."`
		}) (string, []byte, error) {
			data, err := bank.Read(ctx, "POST", in.path("/clock"), forCall(in))
			return "the clock is moved", data, err
		})

	addTool(s, "reset", "Return a sandbox to its start: bank, faults, requests and clock.",
		func(ctx context.Context, in inSandbox) (string, []byte, error) {
			return "the sandbox is as it was at its start", nil, bank.Call(ctx, "POST", in.path("/reset"), nil, nil)
		})
}
