// Package tlsca has the certificates of a simulator that speaks https: those that it signs with a certificate authority (CA)
// of its own, for the names that clients ask for, or one that it was given. It serves nothing.
//
// The CA is made at the start and kept in memory, or in a directory that several simulators can share. Certificates that it
// signs are made in memory when a client needs them, and made again before they expire.
package tlsca
