// Package wire reads and writes JSON bodies, strictly: [Decode] refuses what two parsers could read differently, which is why it,
// and no other package, uses github.com/go-json-experiment/json. It knows no body's members. Start at decode.go.
package wire
