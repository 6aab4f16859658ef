package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
)

// requestTools send requests to the bank, and say how it answered.
var requestTools = []tool{
	{
		name: "send_request", title: "Send a request", does: changes, run: waiting(sendRequest),
		about: "Send a request to the bank as an app would. list_operations has an example of each.",
		args: struct {
			inSandbox
			Method  string            `json:"method,omitzero" jsonschema:"Such as PUT. Default: GET."`
			Path    string            `json:"path" jsonschema:"Below the base URL of the sandbox, with the query."`
			Headers map[string]string `json:"headers,omitzero" jsonschema:"Most operations need Authorization."`
			Body    string            `json:"body,omitzero" jsonschema:"As sent. It needs the header Content-Type."`
			Timeout string            `json:"timeout,omitzero" jsonschema:"For the answer, at most 2m. Default: 30s."`
		}{},
	},
	{
		name: "list_requests", title: "List requests", does: reads, answer: listed{},
		about: "The requests that the bank had, and how it answered, the newest first.",
		args: struct {
			inSandbox
			page
			Q string `json:"q,omitzero" jsonschema:"Only those with these words, status:4xx, operation:groups.*, user:1001 …"`
		}{},
		run: listing(route{"GET", bankPath + "/journal", map[string]string{
			"limit": fmt.Sprint(maxLooked), "q": "{q}",
		}}, requestHeads, "{id}  {method} {path} → {status}, {outcome} by {rule}  {faults}"),
	},
	{
		name: "explain_request", title: "Explain a request", does: reads, run: explainRequest,
		about: "Why the bank answered a request: the rule that decided, the row that it looked at, the evidence, and " +
			"the rows that the request changed. Of a refusal, nextCalls has the tool call that gets past it.",
		args: struct {
			inSandbox
			Request string `json:"request,omitzero" jsonschema:"Its number, such as 3. Default: the newest."`
		}{},
	},
	{
		name: "verify_requests", title: "Verify requests", does: reads,
		about: "Check that the bank had the requests that you expect, and see what differs if not.",
		args: struct {
			inSandbox
			Operation string             `json:"operation,omitzero" jsonschema:"Or a family: groups.*"`
			Status    *int               `json:"status,omitzero" jsonschema:"Of the answer."`
			Path      string             `json:"path,omitzero" jsonschema:"Without base URL and query."`
			Header    map[string]*string `json:"header,omitzero" jsonschema:"Text, or ~EXPRESSION; null: absent."`
			Query     map[string]*string `json:"query,omitzero" jsonschema:"Likewise, of query parameters."`
			Body      map[string]any     `json:"body,omitzero" jsonschema:"The members that it contains; null: absent."`
			Exactly   *int               `json:"exactly,omitzero" jsonschema:"How many. Default: at least one."`
			AtLeast   *int               `json:"atLeast,omitzero"`
			AtMost    *int               `json:"atMost,omitzero"`
			After     string             `json:"after,omitzero" jsonschema:"Only requests after this number."`
			InOrder   []map[string]any   `json:"inOrder,omitzero" jsonschema:"Each like these arguments."`
			Within    string             `json:"within,omitzero" jsonschema:"How long to wait, at most 2m."`
		}{},
		run: waiting(calling(route{"POST", bankPath + "/journal/verify", nil}, "verified: {verified}. {text}")),
	},
	{
		name: "get_verdict", title: "Judge a test", does: reads, answer: verdict.Verdict{},
		about: "What a test has to fail with: required faults that had no effect. Notes say what may be meant so, as " +
			"that the client sent a request again by itself.",
		args: struct {
			inSandbox
			After string `json:"after,omitzero" jsonschema:"Only requests after the one with this number."`
			Lints string `json:"lints,omitzero" jsonschema:"refuse: lints are findings, too."`
		}{},
		run: calling(route{"GET", bankPath + "/verdict", map[string]string{"after": "{after}", "lints": "{lints}"}},
			"passed: {passed}, of {requests} requests"),
	},
}

func sendRequest(ctx context.Context, bank *api.Client, in object) (string, object, error) {
	sent, err := route{"POST", bankPath + "/requests", nil}.call(ctx, bank, in)
	var parts []string
	for _, part := range []struct{ member, says string }{
		{"exchange", "exchange {exchange}"}, {"lost", "{lost}"}, {"response", "{response.status} {response.body}"},
	} {
		if sent[part.member] != nil {
			parts = append(parts, expand(part.says, sent))
		}
	}
	return strings.Join(parts, ": "), sent, err
}

// requestHeads returns what a list shows of the requests of a journal, the newest first.
func requestHeads(journal object) (heads []object) {
	for _, exchange := range slices.Backward(objects("exchanges")(journal)) {
		head := pick(exchange, "id", "operation", "changed")
		maps.Copy(head, pick(inner(exchange, "request"), "method", "path"))
		maps.Copy(head, pick(inner(exchange, "response"), "status"))
		maps.Copy(head, pick(inner(exchange, "decision"), "outcome", "rule", "row"))
		if fired, _ := inner(exchange, "fault")["fired"].([]any); len(fired) > 0 {
			head["faults"] = strings.Trim(fmt.Sprint(fired), "[]")
		}
		clip(head, maxText/4, 0)
		heads = append(heads, head)
	}
	return heads
}

func explainRequest(ctx context.Context, bank *api.Client, in object) (string, object, error) {
	if in["request"] == nil {
		newest, err := route{"GET", bankPath + "/journal", map[string]string{"limit": "1"}}.call(ctx, bank, in)
		if err != nil {
			return "", nil, err
		}
		heads := requestHeads(newest)
		if len(heads) == 0 {
			return "", nil, errors.New("the bank had no request: send one, or have the app use its base URL")
		}
		in["request"] = heads[0]["id"]
	}
	why, err := route{"GET", bankPath + "/journal/{request}/why", nil}.call(ctx, bank, in)
	if err != nil {
		return "", nil, err
	}
	for _, name := range []string{"basis", "entries", "faults", "copies"} { // the sentence has them in words
		delete(why, name)
	}
	text := expand("{title}\n{sentence}", why)
	for _, change := range objects("changes")(why) {
		text += expand("\nchanged: {row}", change)
		removeEqual(inner(change, "before"), inner(change, "after"))
	}
	next := nextCalls(in["sandbox"], why)
	delete(why, "fixes")
	for _, n := range next {
		text += expand("\nnext: {tool} ", n) + string(strictjson.MustEncode(n["arguments"]))
	}
	why["nextCalls"] = next
	return text, why, nil
}

// removeEqual removes the members that a change of a row left alone.
func removeEqual(before, after object) {
	for name, value := range before {
		if reflect.DeepEqual(value, after[name]) {
			delete(before, name)
			delete(after, name)
		}
	}
}
