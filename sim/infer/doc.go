// Package infer finds the bank behind a capture: a scenario under which the simulator answers every request of the
// capture as the service did.
//
// It runs the exchanges against a bank that begins empty. Where an answer differs, a table says which row or value the
// bank must have had: facts for refusals are in refusals.go, facts for the rows of an answer in rows.go. The bank with
// the new facts answers the capture again, until nothing more is learned. Then every fact is left out once, and stays
// only if an answer differs without it. Start at infer.go.
//
// Secrets, logins, names of groups and numbers of cards never leave the capture: mask.go gives others in their place.
package infer
