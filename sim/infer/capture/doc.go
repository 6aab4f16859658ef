// Package capture reads recorded exchanges: HTTP archives (HAR 1.2) as browsers, proxies and this simulator write them.
//
// An entry that says nothing about a service, such as a WebSocket or an answer that never came, is left out and named.
// One bad entry never stops the others. A size that the body contradicts doesn't count: some tools note how many bytes
// were sent. Start at archive.go.
package capture
