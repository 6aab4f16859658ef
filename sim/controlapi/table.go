package controlapi

import (
	"math"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

const (
	institutionPath = "/institutions/{institution}"

	aboutScenario = "A scenario. Its JSON Schema is what banksim print schema prints."
)

// Routes returns every call of the control API.
func Routes() []*Route {
	return []*Route{
		at("GET", "/healthz", control.healthz, "getHealth", "Whether the process runs.").answers(200, health{}),
		at("GET", "/readyz", control.readyz, "getReadiness", "Whether the service listener answers.").answers(200, health{}),
		at("GET", "/metrics", control.serveMetrics, "getMetrics", "Metrics in the Prometheus text format.").
			answers(200, aText("Metrics."), "text/plain"),
		at("GET", caPath, control.serveCA, "getCA", "The certificate of the CA that clients of https must trust (PEM). It needs no token.").
			answers(200, aText("A certificate."), pemMedia),
		at("GET", "/v1/info", control.info, "getInfo",
			"The running simulator, and the scenario from which sandboxes start.").answers(200, simulatorInfo{}),
		at("GET", "/v1/coverage", control.getCoverage, "getCoverage",
			"Which answers of the simulated interface were met since the start, in all sandboxes together, and how often.").
			with("sandbox", "Only what was met in this sandbox since it was created, before and after its resets.").
			with("operation", "Only points of this operation, and the entries of the ledger that are about it alone.", contract.Names()...).
			answers(200, coverage.File{}),
		at("GET", "/v1/lifeline", control.lifeline, "holdSimulator",
			"Keep a simulator that ends when idle from ending, until the answer is closed.").
			with("linger", "How long it runs on after the last lifeline, such as 3s; at most 1h.").
			answers(200, aText("A line. The answer then stays open.")),
		at("GET", "/v1/operations", control.getOperations, "getOperations",
			"The operations of the simulated interface, its ledger, and what faults can be: all that a form needs.").
			answers(200, anObject("{operations, ledger, faults}: operations by the contract, entries, and the members of fault rules.")),
		at("GET", "/v1/openapi.json", control.openapi, "getContract", "The OpenAPI document of the simulated interface.").
			with("dialect", "Only the paths of this dialect. Default: the paths of both.",
				string(sim.DialectDocument), string(sim.DialectPublic)).
			answers(200, anObject("An OpenAPI document.")),

		at("GET", "/v1/scenarios", control.listScenarios, "listScenarios",
			"All built-in scenarios, sorted by name.").answers(200, scenarioList{}),
		at("POST", "/v1/scenarios/validate", control.validateScenario, "validateScenario",
			"Whether a scenario is valid, and all that is wrong with it. Changes nothing.").
			takes(schema{"description": "The YAML of a scenario, or what should be it."}, yamlMedia, "text/plain").large().
			answers(200, scenarioVerdict{}),

		at("GET", "/v1/sandboxes", control.listSandboxes, "listSandboxes", "All sandboxes, sorted by name.").
			with("text", "Only sandboxes whose name, or the name of whose scenario, contains this.").
			withNumber("limit", "How many at most. Default: all.", 0, math.MaxInt32).answers(200, api.Sandboxes{}),
		at("POST", "/v1/sandboxes", control.createSandbox, "createSandbox", "Create a sandbox.").takes(api.NewSandbox{}).
			answers(201, api.Sandbox{}),
		in("GET", "", control.getSandbox, "getSandbox", "A sandbox.").answers(200, api.Sandbox{}),
		in("PATCH", "", control.patchSandbox, "patchSandbox",
			"Let a sandbox live for a time from now on. The default one can't expire.").
			takes(api.SandboxPatch{}, mergeMedia, jsonMedia).answers(200, api.Sandbox{}),
		in("DELETE", "", control.deleteSandbox, "deleteSandbox",
			"Delete a sandbox. All that it holds is gone. The default one can't be deleted."),
		taking("/fork", control.fork, "forkSandbox",
			"Create a sandbox that starts as this one is now, or was around an exchange.").answers(201, api.Sandbox{}),
		in("POST", "/reset", control.reset, "resetSandbox",
			"Return to the start. World, faults, journal and clock are as they were then; snapshots stay. A seed that nobody gave is "+
				"drawn anew."),
		in("GET", "/scenario", control.getScenario, "getScenario", "The scenario's YAML as it was given, without what it extends.").
			with("resolved", "Whether all that it extends is merged in, with a comment that says where each line was written.",
				"false", "true").large().
			answers(200, anObject(aboutScenario), yamlMedia),
		in("PUT", "/scenario", control.putScenario, "putScenario", "Start from another scenario, now and at each later reset.").
			takes(anObject(aboutScenario), yamlMedia).answers(200, api.Sandbox{}),

		taking("/requests", control.sendRequest, "sendRequest",
			"Have the simulated bank answer a request, as one of an app over HTTP/2.").answers(200, sentRequest{}),

		in("GET", "/state", control.getState, "getState",
			"The world at one moment, by institution. Secrets are left out, or are fingerprints.").
			with("institution", "Only this institution.").
			with("user", "Only this user of the institution, and the tokens that reach the user.").
			with("text", "Only users, tokens and groups that have this text in their ids, names or descriptions, in any case.").
			withNumber("limit", "The maximum number of rows of each kind in each institution. Default: all.", 0, maxRows).
			with("format", "As a scenario, the YAML loads to an equal bank. It has the secrets that the sandbox's scenario gave.",
				"json", "scenario").large().
			answers(200, api.State{}).orAnswers(anObject(aboutScenario), yamlMedia),
		in("GET", "/users", control.listUsers, "listUsers",
			"The users to test with, and what each is good for. It has the secrets that the sandbox's scenario gave.").
			with("institution", "Only users of this institution.").
			with("user", "Only this user of the institution.").
			with("text", "Only users that have this text in their ids, names or accounts, in any case.").large().
			answers(200, api.Users{}),
		in("GET", "/diff", control.getDiff, "getDiff", "The rows in which the world differs from another one.").
			with("since", "A snapshot, or start. Default: start.").
			withNumber("limit", "The maximum number of changes. Default: all.", 0, maxRows).large().
			answers(200, api.Diff{}),
		in("GET", "/snapshots", control.listSnapshots, "listSnapshots", "All snapshots, sorted by name.").answers(200, api.Snapshots{}),
		taking("/snapshots", control.takeSnapshot, "takeSnapshot", "Save the world, its random source and the virtual time.").
			answers(201, api.Snapshot{}),
		in("DELETE", "/snapshots/{snapshot}", control.deleteSnapshot, "deleteSnapshot", "Delete a snapshot."),
		in("POST", "/snapshots/{snapshot}/restore", control.restoreSnapshot, "restoreSnapshot", "Return to a snapshot."),
		patching(institutionPath, patchInstitution, "patchInstitution", "Change an institution past the bank's rules."),
		patching(institutionPath+"/users/{user}", patchUser, "patchUser", "Change a user past the bank's rules."),
		patching(institutionPath+"/users/{user}/accounts/{account}", patchAccount, "patchAccount",
			"Change an account past the bank's rules."),
		taking(institutionPath+"/users", control.addUser, "addUser",
			"Add a user, active and with accepted disclosures, past the bank's rules.").answers(201, api.User{}),
		taking(institutionPath+"/groups", control.addGroup, "addGroup", "Add a group, without an app's request.").
			answers(201, api.Group{}),
		taking(institutionPath+"/tokens", control.mintToken, "mintToken", "Mint an access token.").answers(201, api.MintedToken{}),
		taking("/token-status", control.tokenStatus, "getTokenStatus", "What became of an access or refresh token.").
			answers(200, api.TokenStatus{}),

		in("GET", "/keys", control.getKeys, "getKeys",
			"The key that signs id_tokens, as a JSON Web Key Set (RFC 7517). It needs no token.").
			answers(200, sandbox.KeySet{}),

		in("GET", "/clock", control.getClock, "getClock", "The virtual clock.").answers(200, api.Clock{}),
		taking("/clock", control.setClock, "setClock",
			"Move the virtual clock, let it run or stand still.").answers(200, api.Clock{}),

		in("GET", "/faults", control.listFaults, "listFaults", "All fault rules, in the order in which they apply.").answers(200,
			api.Faults{}),
		in("POST", "/faults", control.putFaults, "addFaults", "Add fault rules, until the next reset.").
			takes(newFaults, jsonMedia, yamlMedia).answers(201, api.Faults{}),
		in("PUT", "/faults", control.putFaults, "replaceFaults", "Replace all fault rules. Those that stay keep their counts.").
			takes(newFaults, jsonMedia, yamlMedia).answers(200, api.Faults{}),
		in("DELETE", "/faults", control.clearFaults, "clearFaults", "Remove all fault rules, or one, until the next reset.").
			with("name", "Only this one."),

		in("GET", "/journal", control.getJournal, "getJournal", "The exchanges that match, the newest last.").
			filters().
			with("after", "Only exchanges after the one with this id; 0: from the first. Default: the newest exchanges.").
			withNumber("limit", "How many at most. Default: 100.", 1, maxPage).
			with("format", "As text: what was asked and answered, and why, in a few lines each.", "json", "text").large().
			answers(200, journal.Page{}).orAnswers(aText("A few lines for each exchange."), plainText),
		in("DELETE", "/journal", control.clearJournal, "clearJournal", "Remove all exchanges."),
		in("GET", "/journal.har", control.getHAR, "getHAR", "All exchanges as an HTTP archive, HAR 1.2.").large().
			answers(200, anObject("An HTTP archive. Members that the format doesn't have begin with _.")),
		in("GET", "/journal/stream", control.stream, "streamJournal",
			"Exchanges as they happen. Server-sent events: exchange, gap and end.").
			filters().
			with("after", "Only exchanges after the one with this id; 0: from the first. The header Last-Event-ID comes first.").
			answers(200, aText("Events. The data of exchange is an Exchange, of gap {missed}, of end {reason}."), "text/event-stream"),
		in("POST", "/journal/verify", control.verify, "verifyJournal",
			"Whether the journal has the requests that are expected.").
			takes(expectations{}).answers(200, journal.Verdict{}),
		in("GET", "/journal/{exchange}", control.getExchange, "getExchange", "An exchange.").answers(200, journal.Exchange{}),
		in("GET", "/journal/{exchange}/why", control.explain, "explainExchange",
			"An exchange, and why it was answered as it was, in words. With the rows that it has changed, and copies of it to go on with.").
			with("format", "As text, without the changes and the copies: what banksim why prints.", "json", "text").
			large().answers(200, explained{}).orAnswers(aText("The explanation."), "text/plain"),
	}
}

// newFaults is what adds fault rules: one, a list, or a list in an object.
var newFaults = schema{"anyOf": []schema{
	ref("FaultRule"), listOf(ref("FaultRule")),
	{
		"type": "object", "required": []string{"faults"}, "additionalProperties": false,
		"properties": schema{"faults": listOf(ref("FaultRule"))},
	},
}}

// filters adds the query parameters that choose exchanges.
func (rt *Route) filters() *Route {
	return rt.with("operation", "An operation, or a prefix of names and *.").
		with("dialect", "That the operation was answered in.", dialects()...).
		withNumber("status", "Of the answer.", 100, 599).
		with("outcome", "Of the decision.", journal.Outcomes...).
		with("text", "Words that are all somewhere in the exchange, as the journal shows it, in upper or lower case. 4xx, >=400 and "+
			"401,403 are about its status.")
}

// dialects are the names of the dialects of the interface.
func dialects() (names []string) {
	for _, i := range contract.Interfaces() {
		names = append(names, string(i.Dialect))
	}
	return names
}
