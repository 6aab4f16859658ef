package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
)

// startupProbe is the path at which the server probes its own listeners. A request for it reaches no API, so no log and no
// journal shows a request that no client made.
const startupProbe = "/.well-known/banksim/startup"

func answerStartupProbe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == startupProbe {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// awaitAnswer waits until the listener answers.
func (l *listener) awaitAnswer(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url()+startupProbe, nil)
	if err != nil {
		return err
	}
	// Whether a certificate is right, clients find out: here it may be for any name.
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	res, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return fmt.Errorf("listener %s does not answer: %w", l.net.Addr(), err)
	}
	return res.Body.Close()
}
