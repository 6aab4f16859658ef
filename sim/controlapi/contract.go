package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
)

// openapi takes ?sandbox=NAME and answers with the OpenAPI document of the simulated interface: with what any behaviour does
// or, for a sandbox, with what its behaviour selects. 404 if there is no such sandbox.
func (a control) openapi(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if !query.Has("sandbox") {
		return writeDocument(w, a.contract())
	}
	sb, err := a.sandbox(query.Get("sandbox"))
	if err != nil {
		return err
	}
	// It is made for the call, and large.
	if err := a.large.take(r.Context()); err != nil {
		return err
	}
	defer a.large.leave()
	behavior := *sb.Now().World.Behavior()
	behavior.Strict = behavior.Strict || a.Strict
	return writeDocument(w, openapi.Document(openapi.Service{URL: a.baseURL(sb.Name()), Behavior: &behavior}))
}

// controlOpenAPI answers with the OpenAPI document of the control API. Its server is the one that the caller has asked.
func (a control) controlOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, a.document())
}

func writeDocument(w http.ResponseWriter, document []byte) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document) // it fails if the client has disconnected, and then nobody can be told
	return nil
}
