package controlapi

import "net/http"

// caPath is where the certificate of the CA is.
const caPath = "/ca.pem"

// serveCA answers with the certificate of the CA.
func (a control) serveCA(w http.ResponseWriter, _ *http.Request) error {
	if a.CA == nil {
		return refuse(http.StatusNotFound, "the simulator has no CA: it was started without --tls-listen and --control-tls, or with a certificate of its own")
	}
	w.Header().Set("Content-Type", pemMedia)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(a.CA) // it fails if the client has disconnected, and then nobody can be told
	return nil
}

// scheme returns the scheme of the URL that was asked.
func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}
