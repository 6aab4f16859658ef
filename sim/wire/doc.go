// Package wire reads and writes JSON bodies.
//
// [Decode] is strict: it refuses every text that two parsers could read differently, such as one with a duplicate
// member, invalid UTF-8 or data behind the value. encoding/json accepts those, so this package, and no other, uses the
// experimental decoder of github.com/go-json-experiment/json. [Encode] is encoding/json without HTML escapes.
package wire
