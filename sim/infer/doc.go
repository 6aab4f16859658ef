// Package infer finds the bank behind a capture. It returns a scenario: with it the simulator answers every request of
// the capture as the service did.
//
// It sends the requests to a bank that begins empty. Where an answer differs, table.go says which row or value the bank
// must have had. The bank with these facts answers the capture again, until nothing more is learned. Then each fact is
// left out once, and stays only if an answer differs without it. Start at infer.go.
//
// Secrets, logins, e-mail addresses, names of groups and numbers of cards never leave the capture: mask.go puts others
// in their place. In what other services say, it replaces only e-mail addresses, and those secrets and logins that the
// interface's own exchanges have, too. So look at stubs before you share them.
package infer
