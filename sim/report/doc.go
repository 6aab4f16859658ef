// Package report writes what a test suite met (package coverage) and what failures did to an app (package explore): as a page that
// needs nothing besides itself, as JSON, as JUnit XML, and as text. It judges nothing. Start at report.go.
package report

//go:generate go test . -run TestGolden -update
