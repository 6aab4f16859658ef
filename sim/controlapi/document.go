package controlapi

import (
	"bytes"
	_ "embed" // the document

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// object is an object in JSON.
type object = map[string]any

// document is what Document returns for the server /. The tests derive it from the routes and the Go types of their bodies.
//
//go:generate go test . -run TestDocumentIsFresh -update
//go:embed openapi.json
var document []byte

// Document returns the control API as an OpenAPI document, version 3.1.0, in JSON. The server is the URL of the control API, or / for
// that from which the document comes.
func Document(server string) []byte {
	return bytes.Replace(document, []byte(`"url": "/"`), wire.AppendString([]byte(`"url": `), server), 1)
}
