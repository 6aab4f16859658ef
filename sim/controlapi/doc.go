// Package controlapi serves the control API over HTTP: sandboxes, their state, clock, faults and journal. Users read
// about it in docs/control-api.md.
//
// A call has typed input and output, and package openapi below describes it from them. calls.go says how a call is
// added. Each file with the name of a subject has the calls about it and their handlers.
// The package decides nothing about the bank: packages sandbox, journal, fault and scenario do.
package controlapi
