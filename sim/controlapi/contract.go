package controlapi

import "net/http"

// openapi answers with the OpenAPI document of the simulated interface: with what any behaviour does.
func (a control) openapi(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, a.contract())
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
