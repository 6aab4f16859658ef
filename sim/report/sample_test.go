package report_test

import (
	"time"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// met returns a point of an operation in the document's dialect.
func met(
	operation string,
	kind coverage.Kind,
	status int,
	code, rule string,
	byBank, injected uint64,
) coverage.PointCount {
	return coverage.PointCount{
		Point: coverage.Point{
			Operation: operation,
			Dialect:   "document",
			Kind:      kind,
			Status:    status,
			Code:      code,
			Rule:      rule,
		},
		Count:    coverage.Count{ByBank: byBank, Injected: injected},
		Possible: true,
	}
}

func lost(operation, connection, phase string, injected uint64) coverage.PointCount {
	return coverage.PointCount{
		Point: coverage.Point{
			Operation:  operation,
			Dialect:    "document",
			Kind:       coverage.Connection,
			Connection: connection,
			Phase:      phase,
		},
		Count:    coverage.Count{Injected: injected},
		Possible: true,
	}
}

// sample is a small report that has everything.
func sample() report.Report {
	const create, list = "groups.create", "groups.list"
	taken := met(create, coverage.Refused, 400, "2009", "multistatement-off", 0, 0)
	taken.Possible = false
	public := met(create, coverage.Accepted, 204, "", "", 0, 0)
	public.Dialect, public.Possible = "public", false
	return report.Report{
		Version: "v1.2.3",
		Coverage: &coverage.Summary{
			Runs: 2,
			Operations: []coverage.OperationSummary{
				{
					Operation: create, Called: true,
					Answers:     coverage.Share{Possible: 5, Covered: 3, OnlyByFault: 1, NotCovered: 2},
					Connections: coverage.Share{Possible: 4, Covered: 1, OnlyByFault: 1, NotCovered: 3},
					Points: []coverage.PointCount{
						met(create, coverage.Accepted, 200, "", "", 4, 0),
						met(create, coverage.Refused, 400, "2004", "group-name-taken", 1, 2),
						met(create, coverage.Refused, 400, "2010", "group-name-too-long", 0, 0),
						taken,
						met(create, coverage.Refused, 401, "1001", "token-expired", 0, 0),
						met(create, coverage.Injected, 500, "2001", "", 0, 2),
						lost(create, "reset", "before", 3), lost(create, "reset", "after", 0),
						lost(create, "timeout", "before", 0), lost(create, "timeout", "after", 0),
						public,
					},
					Other: []coverage.PointCount{met(create, coverage.Injected, 418, "", "", 0, 1)},
				},
				{
					Operation:   list,
					Called:      true,
					Answers:     coverage.Share{Possible: 1, Covered: 1},
					Connections: coverage.Share{Possible: 1, NotCovered: 1},
					Points: []coverage.PointCount{
						met(list, coverage.Accepted, 200, "", "", 12, 0),
						lost(list, "reset", "", 0),
					},
				},
				{
					Operation: "jobs.get", Answers: coverage.Share{Possible: 2, NotCovered: 2},
					Points: []coverage.PointCount{met("jobs.get", coverage.Accepted, 200, "", "", 0, 0),
						met("jobs.get", coverage.Refused, 400, "3001", "job-missing", 0, 0)},
				},
			},
			Total: coverage.Share{Possible: 6, Covered: 4, OnlyByFault: 1, NotCovered: 2},
			Entries: []coverage.EntryCount{
				{ID: "groups.create.status", Basis: "document", Answers: 5},
				{ID: "groups.name-taken", Basis: "choice", Answers: 1},
			},
		},
		Explorations: []explore.Report{
			{
				Name: "TestSignUp",
				Calls: []string{
					"groups.create#1",
					"groups.list#1",
				},
				Runs:             7,
				SameAsAnother:    1,
				LeftOut:          2,
				Took:             1234 * time.Millisecond,
				Ended:            "the bound of 7 runs was reached",
				Refused:          []string{"groups.list#1 404"},
				NotDeterministic: "call 2: groups.create in one run, groups.list in the other",
				Results: []explore.Result{
					result("groups.create#1/500_2001", explore.NothingHappened, explore.GaveUp, "groups.create#1 500"),
					result("groups.create#1/reset", explore.Completed, explore.RetriedSameID, "groups.create#1 lost",
						"groups.create#2 200"),
					twice(),
					result(
						"groups.list#1/500_2001", explore.HalfDone, explore.WentOn, "groups.create#1 200",
						"groups.list#1 500",
					),
					result("groups.create#2/500_2001", explore.NothingHappened, explore.GaveUp, "groups.create#1 lost",
						"groups.create#2 500"),
					result(
						"groups.create#1/reset+groups.create#2/500_2001", explore.NothingHappened, explore.Compensated,
						"groups.create#1 lost", "groups.create#2 500",
					),
				},
			},
			{Name: "TestList", Calls: []string{"groups.list#1"}, Runs: 2, Took: 800 * time.Microsecond},
		},
		FailUnder: "8",
	}
}

func result(name string, verdict explore.Verdict, reaction explore.Reaction, calls ...string) explore.Result {
	return explore.Result{
		Name:     name,
		Verdict:  verdict,
		Reaction: reaction,
		Ended:    explore.Passed,
		Took:     12 * time.Millisecond,
		Calls:    calls,
	}
}

// twice is a run with a finding.
func twice() explore.Result {
	r := result(
		"groups.create#1/answer-lost-after-commit", explore.DoneTwice, explore.RetriedNewID, "groups.create#1 lost",
		"groups.create#2 200", "groups.list#1 200",
	)
	r.Faults = []explore.FailingCall{{
		Call: explore.Call{Operation: "groups.create", Dialect: "document", Number: 1, Request: "POST {groupName}"},
		Failure: explore.Failure{
			Name: "answer-lost-after-commit", About: "The group is made, and the answer is lost.", Committed: true,
			Then: fault.Then{Connection: &fault.Connection{Kind: fault.Reset{}}}, Phase: fault.After,
		},
	}}
	r.Ended, r.Message = explore.Failed, "signup_test.go:31: there are 2 groups\nwant 1"
	r.Differences = []string{`+ groups/02688/<id 2>: {"groupName":"Night owls"}`}
	r.Findings = []string{
		"After groups.create#1 failed with answer-lost-after-commit, it is done twice.",
		"After groups.create#1 failed with answer-lost-after-commit, it failed: signup_test.go:31: there are 2 groups want 1",
	}
	r.YAML = "faults:\n  - when: {operation: groups.create}\n    phase: after\n    then: {connection: reset}\n"
	r.Run = "go test ./signup -run 'TestSignUp/^groups\\.create#1/answer-lost-after-commit$'"
	return r
}

// forged is a line that a report could have.
const forged = "\nFinding: forged\n"

// hostile is the sample with texts of apps that try to get out of their place.
func hostile() report.Report {
	const evil = "</script></style></pre>\"'><img src=x onerror=alert(1)>\x00\x1b[31m\xff\u202e]]>&amp;\uffff"
	r := sample()
	e := &r.Explorations[0]
	e.Name += evil
	e.NotDeterministic, e.Ended = evil+forged, evil+forged
	e.Calls = append(e.Calls, evil+forged)
	r.Version = evil
	bad := &e.Results[2]
	bad.Name += evil
	bad.Message, bad.Run, bad.YAML = evil+forged, evil, evil
	bad.Findings, bad.Differences, bad.Calls = []string{evil + forged}, []string{evil + forged}, []string{evil + forged}
	bad.Faults[0].Failure.About = evil
	bad.Reaction, bad.Ended = evil, evil
	o := &r.Coverage.Operations[0]
	o.Operation += evil
	o.Points[1].Code, o.Points[1].Rule = evil, evil
	o.Points[6].Connection, o.Points[6].Phase = evil, evil
	r.Coverage.Entries[0] = coverage.EntryCount{ID: evil, Basis: evil}
	return r
}

// checked is a report of a check with a finding, a difference from a convention, and all else.
func checked() report.Report {
	shown := func(name, difference, got string, steps ...string) report.Shown {
		return report.Shown{
			Case: name, Differences: []string{difference}, Steps: steps,
			Curl: "curl -i -X POST 'https://bank.example/v3/groups' \\\n  -H 'transactionId: 1'", Got: got,
			Expected: "200 OK\nContent-Type: application/json\n\n{\"groupName\":\"Owls <1>\"}",
			At:       "2026-11-29T23:48:07Z", RequestID: "1",
		}
	}
	created := report.Finding{
		Entry: "groups.create.status", Question: "Which status does a created group get?", Answer: "200.",
		Basis: "published", Source: "public API description: POST /v3/groups",
		Others: []string{"groups.create/200-created"},
		Shown: shown("groups.create/200-name", "expected status 200 (basis published), got 201", "201 Created",
			"1. groups.create: \"Owls\""),
	}
	pragma := report.Finding{
		Entry: "tokens.no-store", Question: "How are answers kept out of caches?", Answer: "By two headers.",
		Basis: "convention", Source: "RFC 6749 5.1", Others: []string{},
		Shown: shown("tokens.issue/200-password", "Pragma: expected no-cache (basis convention), got none", "200 OK"),
	}
	refused := report.Finding{ // whose preceding request failed
		Entry: "groups.update.answer", Question: "What does an update answer?", Answer: "The group.",
		Basis: "document", Source: "section 4.7", Others: []string{},
		Shown: report.Shown{
			Case:        "groups.update/200",
			Differences: []string{"expected the preceding request to succeed, got status 500"},
		},
	}
	return report.Report{Version: "1.2.3", Check: &report.Check{
		BaseURL: "https://bank.example", Dialect: "public", Seed: 7, Stopped: "not run: the check was interrupted",
		Started:     time.Date(2026, 11, 29, 23, 48, 0, 0, time.UTC),
		Findings:    []report.Finding{created, refused},
		Conventions: []report.Finding{pragma}, Ignored: []report.Finding{pragma},
		Cases: []report.Case{
			{Name: "groups.create/200-name", Operation: "groups.create", Entries: []string{"groups.create.status"}},
			{Name: "groups.create/200-created", Operation: "groups.create", Entries: []string{"groups.create.status"},
				Left: []string{"a group named \"Owls\""}},
			{Name: "groups.update/200", Operation: "groups.update", Entries: []string{"groups.update.answer"}},
			{Name: "groups.delete/200", Operation: "groups.delete", Left: []string{"a group named \"Bats\""}},
			{Name: "groups.list/200", Operation: "groups.list", NotAsked: "needs a clock that can be advanced"},
			{Name: "tokens.issue/200-password", Operation: "tokens.issue"},
			{Name: "journey 1 of seed 7", Operation: "journeys", Error: "the answer broke off"},
		},
		LeftBehind: []string{
			"groups.create/200-created: a group named \"Owls\"", "groups.delete/200: a group named \"Bats\"",
		},
	}}
}
