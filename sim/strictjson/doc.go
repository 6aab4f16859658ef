// Package strictjson reads and writes JSON bodies, strictly: [Decode] refuses texts that two parsers could read
// differently. For that it uses github.com/go-json-experiment/json, as the only package of the project. Start at
// decode.go.
package strictjson
