// Package server runs a simulator: the service listener and the control listener, their limits, and an orderly
// end. Both may listen on port 0.
package server
