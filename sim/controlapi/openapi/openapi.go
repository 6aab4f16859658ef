// Package openapi has the OpenAPI document of the control API. It is made when the code changes, because what makes it
// is needed for nothing else.
package openapi

import (
	"bytes"
	_ "embed"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

//go:generate go run ../../internal/gen/controlapi openapi.json
//go:embed openapi.json
var document []byte

// DefaultServer is the URL of the control API in the document.
const DefaultServer = "http://127.0.0.1:8081"

// Document returns the document in JSON, for a control API at a URL.
func Document(server string) []byte {
	return bytes.Replace(document, strictjson.MustEncode(DefaultServer), strictjson.MustEncode(server), 1)
}
