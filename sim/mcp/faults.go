package mcp

import (
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// faultTools make requests fail, and stop that.
var faultTools = []tool{
	{
		name: "add_fault", title: "Add a fault", does: adds, call: "addFaults",
		about: "Make requests fail on purpose: with an error, a delay, a broken connection or a lost answer. The " +
			"fault acts until remove_fault or the next reset. With path in place of operation, it is a stub.",
		without: []string{"off", "from"},
		words: map[string]string{
			"when": "Such as {first: 1}, {nth: 3} or {every: 2} requests. Default: every request.",
			"then": "Such as {status: 503}, {delay: 2s} or {connection: reset}. " + connectionKinds(),
			"phase": "before: the operation isn't carried out. after: it is, and then the fault fires. " +
				"Default: before, and after where connection damages an answer.",
		},
		tells: func(_, answer object) (text string, value object, err error) {
			for _, added := range objects("faults", answer) {
				text += expand("added: {name} ({summary})\n", added)
			}
			return text, answer, nil
		},
	},
	{
		name: "list_faults", title: "List faults", does: reads, call: "listFaults",
		about: "The faults of a sandbox, how many requests matched each, for how many it fired, and how often that had an " +
			"effect.",
		items: listed("faults"),
		says:  "{name} ({summary}): matched {matched}, fired for {fired}, with effect {effective}",
	},
	{
		name: "remove_fault", title: "Remove faults", does: replaces, call: "clearFaults", without: verdict,
		about: "Remove a fault of a sandbox, or all of them.",
		words: map[string]string{"name": "The name of the fault, or names joined by commas. Default: all."},
		says:  "removed",
	},
}

// connectionKinds says what each fault of a connection does to the answer.
func connectionKinds() string {
	var losing, damaging []string
	for _, kind := range fault.Kinds {
		if about := kind.Describe(); about.Delivers {
			damaging = append(damaging, about.Name)
		} else {
			losing = append(losing, about.Name)
		}
	}
	return fmt.Sprintf("These lose the answer: %s. These damage it: %s.", wording.Names(losing), wording.Names(damaging))
}
