package control

import (
	"net/http"
	"runtime"
	"time"
)

// healthz answers 200 while the process lives.
func (a api) healthz(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, map[string]string{"status": "ok"})
}

// readyz answers 200 while the service listener answers, 503 before and after.
func (a api) readyz(w http.ResponseWriter, _ *http.Request) error {
	if !a.Ready() {
		return refuse(http.StatusServiceUnavailable, "the service listener does not answer: starting or draining")
	}
	return reply(w, map[string]string{"status": "ready"})
}

// info says what runs here.
func (a api) info(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, struct {
		Version   string    `json:"version"`
		GoVersion string    `json:"goVersion"`
		StartedAt time.Time `json:"startedAt"`
		BaseURL   string    `json:"baseUrl"`
		Scenario  string    `json:"scenario"` // of the default sandbox
		Sandboxes int       `json:"sandboxes"`
	}{a.Version, runtime.Version(), a.StartedAt, a.ServiceURL, a.Sandboxes.Default().Scenario().Name, a.Sandboxes.Len()})
}
