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
		name: "create_sandbox", title: "Create a sandbox", does: adds, run: createSandbox, answer: api.Sandbox{},
		about: "Create a bank of your own, apart from all others. The result has its name, which the other tools " +
			"take, and its base URL, to which the app under test appends the interface's paths.",
		args: struct {
			Name     string  `json:"name,omitzero" jsonschema:"1 to 63 of a-z, 0-9 and -. Default: one is assigned."`
			Scenario string  `json:"scenario,omitzero" jsonschema:"Such as retail. Default: the simulator's."`
			YAML     string  `json:"scenarioYaml,omitzero" jsonschema:"Its YAML. It may extend a built-in one."`
			Seed     *uint64 `json:"seed,omitzero" jsonschema:"Of ids and tokens. Default: the examples' one."`
			TTL      string  `json:"ttl,omitzero" jsonschema:"When it is deleted, such as 30m. Default: 24h."`
		}{},
	},
	{
		name: "fork_sandbox", title: "Fork a sandbox", does: adds, answer: api.Sandbox{},
		about: "Create a sandbox that starts as another one is now, or was around a request.",
		args: struct {
			inSandbox
			Name   string `json:"name,omitzero" jsonschema:"1 to 63 of a-z, 0-9 and -. Default: one is assigned."`
			Before string `json:"before,omitzero" jsonschema:"A request's number: as it was before that one."`
			After  string `json:"after,omitzero" jsonschema:"A request's number: as it was after that one."`
			TTL    string `json:"ttl,omitzero" jsonschema:"When it is deleted. Default: with the other one."`
		}{},
		run: calling(route{"POST", bankPath + "/fork", nil}, sandboxSays),
	},
	{
		name:  "list_sandboxes",
		title: "List sandboxes",
		does:  reads, answer: listed{},
		about: "The sandboxes of the simulator, by name.",
		args: struct {
			page
			Text string `json:"text,omitzero" jsonschema:"Only with this text in their or their scenario's name."`
		}{},
		run: listing(
			route{"GET", "/v1/sandboxes", map[string]string{"text": "{text}"}}, objects("sandboxes"), sandboxSays,
		),
	},
	{
		name: "delete_sandbox", title: "Delete a sandbox", does: replaces,
		about: "Delete a sandbox and all that it holds. The default one can't be deleted.",
		args: struct {
			Sandbox string `json:"sandbox" jsonschema:"Its name."`
		}{},
		run: calling(route{"DELETE", bankPath, nil}, "deleted"),
	},
	{
		name: "reset", title: "Reset a sandbox", does: replaces,
		about: "Return a sandbox to its start: bank, faults, requests and clock.", args: inSandbox{},
		run: calling(route{"POST", bankPath + "/reset", nil}, "the sandbox is as it was at its start"),
	},
	{
		name: "take_snapshot", title: "Take a snapshot", does: adds, answer: api.Snapshot{},
		about: "Save the bank and its clock under a name.",
		args: struct {
			inSandbox
			Name string `json:"name" jsonschema:"1 to 63 of a-z, 0-9 and -."`
		}{},
		run: calling(route{"POST", bankPath + "/snapshots", nil},
			"taken: restore_snapshot returns to {name}, as often as you like"),
	},
	{
		name:  "restore_snapshot",
		title: "Restore a snapshot",
		does:  replaces,
		about: "Return the bank and its clock to a snapshot. Faults and requests stay. reset returns to the start.",
		args: struct {
			inSandbox
			Name string `json:"name" jsonschema:"As take_snapshot saved it."`
		}{},
		run: calling(
			route{"POST", bankPath + "/snapshots/{name}/restore", nil}, "the bank is as it was in the snapshot",
		),
	},
}

const sandboxSays = "sandbox {name} is at base URL {baseUrl}"

// createSandbox gives a sandbox of the examples' scenario their seed, so that it has the ids that they name.
func createSandbox(ctx context.Context, bank *api.Client, in object) (string, object, error) {
	info, err := route{"GET", "/v1/info", nil}.call(ctx, bank, nil)
	if err != nil {
		return "", nil, err
	}
	if in["seed"] == nil && in["scenarioYaml"] == nil &&
		cmp.Or(in["scenario"], inner(info, "scenario")["name"]) == contract.ExampleScenario {
		in["seed"] = contract.ExampleSeed
	}
	in["ttl"] = cmp.Or(in["ttl"], any("24h")) // agents seldom tidy up
	return calling(route{"POST", "/v1/sandboxes", nil}, sandboxSays)(ctx, bank, in)
}
