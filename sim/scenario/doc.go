// Package scenario loads scenario files: YAML that defines what a simulated bank contains at the start, how it behaves
// and which faults are injected. Start at scenario.go.
//
// Loading takes several steps. Each step returns its findings, so that all problems are reported together, each with
// file, line and column:
//
//   - source.go finds a scenario: embedded, or in a file. family.go reads it and all that it extends, bodyfile.go the
//     bodies of stubs.
//   - tree.go parses a file into a tree of YAML nodes, within limits. syntax.go explains a file that is no YAML.
//   - merge.go merges the trees, and draft.go puts the steps together. inherited.go moves a problem to the file
//     that made it.
//   - strictschema.go reads strict.schema.json, and validate.go compares the merged tree with it. key.go finds the
//     words for unknown keys, hint.go the ones for values that don't fit, and lookalike.go characters that look like
//     others.
//   - check.go finds what no schema can say: doubled ids, references to nothing, contradictions, and what is valid and
//     probably not meant. The other check*.go do so for one part of a file each. problem.go lists all findings.
//   - world.go and generate.go build the world, generate.go with the lists of names.go.
//
// document.go has the types of a file, and value.go their notations. The schemas and the reference are generated from
// them. A new key is a field there. What it means goes into world.go, and back into a file by saverows.go.
//
// starter.go writes a first scenario. resolve.go writes a scenario with all that it extends. save.go and saverows.go
// write a bank at one moment. outline.go and files.go serve validate DIR and serve --watch. schema.go has the schema
// for editors, and summary.go a scenario in a few words.
//
// The package is no YAML tool: it formats and mends nothing.
package scenario

// To refresh all generated files of the module, run go generate ./... and read the diff. The schema comes first: the
// other programs load scenarios with it.

//go:generate go run ../internal/gen/schema
//go:generate go run ../internal/gen/reference
//go:generate go run ../internal/gen/messages
