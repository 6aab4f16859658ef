// Package controlapi serves the control API over HTTP: it manages the sandboxes of a simulator, their state, clock, faults
// and journal. Users read about it in docs/control-api.md.
//
// Its bodies are JSON. An error is a problem document (RFC 9457). The exported types are the bodies of answers, for callers
// in Go.
//
// A handler returns an error rather than writing one. [api.Problem] describes the errors that refuse a request; any other error
// is logged and answered with status 500.
package controlapi
