// Package server runs a simulator: the listener of the bank API, the listener of the control API, their limits, the access
// to the control API, and an orderly shutdown. Both listeners may use port 0.
package server
