package mcp

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// requestTools send requests to the bank, and say how it answered.
var requestTools = []tool{
	{
		name: "send_request", title: "Send a request", does: changes, call: "sendRequest", tells: tellSent,
		about:   "Send a request to the bank as an app would. list_operations has an example of each.",
		without: []string{"secrets"},
	},
	{
		name: "list_requests", title: "List requests", does: reads, call: "getJournal",
		about:   "The requests that the bank had, and how it answered, the newest first.",
		without: []string{"after", "wait", "format"},
		items:   requestHeads, says: "{id}  {method} {path} → {status}, {outcome} by {rule}  {faults}",
	},
	{
		name: "explain_request", title: "Explain a request", does: reads, call: "explainExchange",
		tells: tellWhy, edits: true,
		about: "Why the bank answered a request: the rule that decided, the row that it looked at, the evidence, and " +
			"the rows that the request changed. Of a refusal, nextCalls has the tool call that gets past it.",
		without:  []string{"format"},
		words:    map[string]string{"exchange": "The id of the exchange, such as 3. Default: the newest."},
		defaults: map[string]string{"exchange": "newest"},
	},
	{
		name: "verify_requests", title: "Verify requests", does: reads, call: "verifyJournal",
		about: "Check that the bank had the requests that you expect, and see what differs if not.",
		says:  "verified: {verified}. {text}",
	},
	{
		name: "get_verdict", title: "Judge a test", does: reads, call: "getVerdict",
		about: "What a test has to fail with: required faults that had no effect. Notes say what may be intended, " +
			"such as a client that sent a request again by itself.",
		tells: tellVerdict,
	},
}

func tellVerdict(_, verdict object) (text string, value object, err error) {
	text = expand("passed: {passed}, of {requests} requests", verdict)
	for _, finding := range objects("findings", verdict) {
		text += expand("\nfinding: {text}", finding)
	}
	return text, verdict, nil
}

func tellSent(_, sent object) (string, object, error) {
	var parts []string
	for _, part := range []struct{ member, says string }{
		{"exchange", "exchange {exchange}"}, {"lost", "{lost}"}, {"response", "{response.status}"},
	} {
		if sent[part.member] != nil {
			parts = append(parts, expand(part.says, sent))
		}
	}
	return strings.Join(parts, ": "), sent, nil
}

// requestHeads returns what a list shows of the requests of a journal, the newest first.
func requestHeads(_, journal object) (heads []object) {
	for _, exchange := range slices.Backward(objects("exchanges", journal)) {
		head := pick(exchange, "id", "operation", "changed")
		maps.Copy(head, pick(inner(exchange, "request"), "method", "path"))
		maps.Copy(head, pick(inner(exchange, "response"), "status"))
		maps.Copy(head, pick(inner(exchange, "decision"), "outcome", "rule", "row"))
		if fired, _ := inner(exchange, "fault")["fired"].([]any); len(fired) > 0 {
			head["faults"] = strings.Trim(fmt.Sprint(fired), "[]")
		}
		heads = append(heads, clip(head, maxText/4, 0).(object))
	}
	return heads
}

func tellWhy(in, why object) (string, object, error) {
	text := expand("{title}\n{cause}", why)
	for _, fault := range objects("faults", why) {
		if !strings.Contains(fmt.Sprint(why["cause"]), fmt.Sprint(fault["effect"])) {
			text += expand("\nfault {name}: {effect}", fault)
		}
	}
	if entries, _ := why["entries"].([]any); len(entries) > 0 { // the first one decided
		text += expand("\n{question} {answer} ({basis}: {source})", objects("entries", why)[0])
		why["entries"] = entries[:1]
	}
	for _, name := range []string{"basis", "faults", "copies"} {
		delete(why, name)
	}
	for _, change := range objects("changes", why) {
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
