package mcp

import (
	"cmp"
	"context"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// sandboxTools create, list, save, reset and delete sandboxes.
var sandboxTools = []tool{
	{
		name: "create_sandbox", title: "Create a sandbox", does: adds, call: "createSandbox", says: sandboxSays,
		about: "Create a bank of your own, apart from all others. The result has its name, which the other tools " +
			"take, and its base URL, to which the app under test appends the interface's paths.",
		words: map[string]string{
			"seed": "Of ids and tokens. Default: for retail the one of the examples, else the scenario's or a " +
				"drawn one.",
			"ttl": "Real time after which it is deleted. Default: 24h.",
		},
		defaults: map[string]string{"ttl": "24h"}, // agents seldom tidy up
		complete: seedOfExamples,
	},
	{
		name: "fork_sandbox", title: "Fork a sandbox", does: adds, call: "forkSandbox", says: sandboxSays,
		about: "Create a sandbox that starts as another one is now, or was around an exchange.",
	},
	{
		name: "list_sandboxes", title: "List sandboxes", does: reads, call: "listSandboxes",
		about: "The sandboxes of the simulator, by name.",
		items: listed("sandboxes"), says: sandboxSays,
	},
	{
		name: "delete_sandbox", title: "Delete a sandbox", does: replaces, call: "deleteSandbox", without: verdict,
		about: "Delete a sandbox and all that it holds. The default one can't be deleted.",
		says:  "deleted, with the forks of it that have no ttl of their own",
	},
	{
		name: "reset", title: "Reset a sandbox", does: replaces, call: "resetSandbox", without: verdict,
		about: "Return a sandbox to its start: bank, faults, requests and clock.",
		says:  "the sandbox is as it was at its start",
	},
	{
		name: "take_snapshot", title: "Take a snapshot", does: adds, call: "takeSnapshot",
		about: "Save the bank and its clock under a name.",
		says:  "taken: restore_snapshot returns to {name}, as often as you like",
	},
	{
		name: "restore_snapshot", title: "Restore a snapshot", does: replaces, call: "restoreSnapshot",
		about: "Return the bank and its clock to a snapshot. Faults and requests stay. reset returns to the start.",
		says:  "the bank is as it was in the snapshot",
	},
}

// verdict has the parameters of calls that can answer with the verdict. get_verdict does.
var verdict = []string{"verdict", "after", "lints"}

const sandboxSays = "sandbox {name} is at base URL {baseUrl}"

// seedOfExamples gives a sandbox of the examples' scenario their seed, so that it has the ids that they name.
func seedOfExamples(ctx context.Context, bank *api.Client, in object) error {
	var info struct{ Scenario struct{ Name string } }
	if err := bank.Get(ctx, "/v1/info", &info); err != nil {
		return err
	}
	if in["seed"] == nil && in["scenarioYaml"] == nil &&
		cmp.Or(in["scenario"], any(info.Scenario.Name)) == contract.ExampleScenario {
		in["seed"] = contract.ExampleSeed
	}
	return nil
}
