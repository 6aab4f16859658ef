// Package scenario loads scenario files: YAML that defines what a simulated bank contains at the start, how it behaves
// and which faults are injected.
//
// Loading takes several steps. Each adds what it finds wrong to one report, so that all problems are reported together,
// each with file, line and column:
//
//   - read.go: parse the text into a tree of YAML nodes, within limits. If it isn't YAML, say where, and why in words.
//   - files.go: read what the scenario extends. merge.go: merge it in. Nodes keep the position they were written at.
//   - structure.go: validate the tree with the JSON Schema (part.go), which is generated from the types in document.go and the
//     switches of the contract. message.go words what is wrong, typed.go what a value was meant to be.
//   - check.go, fault.go: find duplicates, dangling references and contradictions.
//   - problem.go: report what is wrong only because of what is inherited where it was changed.
//   - world.go, generate.go: build the world.
//
// Besides, starter.go writes a first scenario, resolve.go one with all that it extends, and save.go and saverows.go write a
// bank as it is at a moment. doubts.go finds what is probably not meant.
//
// It is no YAML tool: it formats and mends nothing. This is the only package that knows YAML. Start at scenario.go.
package scenario

// Generated files: each has one directive, which runs the test that compares the file, with the flag -update, so that
// the test writes it instead. To refresh all generated files of the module, run go generate ./... and read the diff.

//go:generate go test . -run TestSchemaIsFresh -update
//go:generate go test . -run TestBadScenarios -update
//go:generate go test . -run TestReference -update
