package mcp

// faultTools make requests fail, and stop that.
var faultTools = []tool{
	{
		name: "add_fault", title: "Add a fault", does: adds, answer: listed{},
		about: "Make requests fail on purpose: with an error, a delay, a broken connection or a lost answer. The " +
			"fault acts until remove_fault or the next reset.",
		args: struct {
			inSandbox
			Name      string         `json:"name,omitzero" jsonschema:"For remove_fault. Default: one is assigned."`
			Operation string         `json:"operation,omitzero" jsonschema:"Of list_operations, or a family: groups.*"`
			Path      string         `json:"path,omitzero" jsonschema:"Of no operation, which this answers: a stub."`
			Method    string         `json:"method,omitzero" jsonschema:"Of a stub. Default: any."`
			Required  bool           `json:"required,omitzero" jsonschema:"Whether get_verdict asks for its effect."`
			When      map[string]any `json:"when,omitzero" jsonschema:"{first: 1}, {nth: 3} or {every: 2} requests."`
			Then      map[string]any `json:"then" jsonschema:"{status: 503}, {delay: 2s}, {connection: reset}."`
			Phase     string         `json:"phase,omitzero" jsonschema:"after: it is carried out. Default: before."`
		}{},
		run: listing(route{"POST", bankPath + "/faults", nil}, objects("faults"), "added: {name} ({summary})"),
	},
	{
		name: "list_faults", title: "List faults", does: reads, answer: listed{},
		about: "The faults of a sandbox, how many requests matched each, for how many it fired, and how often that had an " +
			"effect.",
		args: struct {
			inSandbox
			page
		}{},
		run: listing(route{"GET", bankPath + "/faults", nil}, objects("faults"),
			"{name} ({summary}): matched {matched}, fired for {fired}, with effect {effective}"),
	},
	{
		name: "remove_fault", title: "Remove faults", does: replaces,
		about: "Remove a fault of a sandbox, or all of them.",
		args: struct {
			inSandbox
			Name string `json:"name,omitzero" jsonschema:"From add_fault or list_faults. Default: all."`
		}{},
		run: calling(route{"DELETE", bankPath + "/faults", map[string]string{"name": "{name}"}}, "removed"),
	},
}
