// Package server runs a simulator: the listeners of the bank API and of the control API, their limits, the access to
// the control API, and an orderly shutdown. It answers no request itself: packages bankapi and controlapi do. Start at
// server.go.
package server
