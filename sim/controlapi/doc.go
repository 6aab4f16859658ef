// Package controlapi serves the control API over HTTP: sandboxes, their state, clock, faults and journal, which users read about
// in docs/control-api.md. It decides nothing about the bank: packages sandbox, journal, fault and scenario do. Start at table.go,
// which lists the calls; a handler returns an error rather than writing one, an [api.Problem] where it refuses the request.
package controlapi
