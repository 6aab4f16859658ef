// Package controlapi is the control API over HTTP: what stands outside the simulated bank and looks after it. It
// speaks JSON; its errors are problem documents (RFC 9457).
package controlapi
