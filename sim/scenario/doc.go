// Package scenario turns YAML into a world: a scenario file says what a simulated bank holds at the start and how
// it behaves.
//
// A file is read in steps, each of which adds what it finds wrong to one report, so that all problems are told at
// once, each with its file, line and column:
//
//   - read.go, syntax.go: the text becomes a tree of YAML nodes, within limits.
//   - extends.go, merge.go: what the scenario extends is merged in. Nodes keep the place they were written at.
//   - structure.go: the tree is validated with the JSON Schema, which is generated from the types in document.go.
//   - check.go: the document is checked for duplicates, references and contradictions.
//   - world.go, behavior.go, generate.go: the document becomes a world.
//
// Beside that, starter.go writes a scenario to begin with, and diff.go compares two.
//
// It is the only package that knows YAML.
package scenario
