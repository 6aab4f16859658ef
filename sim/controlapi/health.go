package controlapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// healthz answers 200 while the process lives.
func (a api) healthz(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, map[string]string{"status": "ok"})
}

// readyz answers 200 while the service listener answers, 503 before and after. It is also asked without the token: who
// doesn't bring it learns that the scenario's files hold something bad, and not what.
func (a api) readyz(w http.ResponseWriter, r *http.Request) error {
	if !a.Ready() {
		return refuse(http.StatusServiceUnavailable, "the service listener does not answer: starting or draining")
	}
	ready := struct {
		Status   string   `json:"status"`
		Detail   string   `json:"detail,omitempty"`
		Problems []Defect `json:"problems,omitempty"`
	}{Status: "ready"}
	if origin := a.Sandboxes.Origin(); origin.Problem != nil {
		ready.Detail = fmt.Sprintf("the scenario's files have changed and were not taken: that of %s still serves; GET /v1/info tells why",
			origin.LoadedAt.UTC().Format(time.RFC3339))
		if a.Access.admits(r) {
			ready.Problems = refusedFor(origin)
		}
	}
	return reply(w, ready)
}

// originInfo describes the scenario that sandboxes start from by themselves.
type originInfo struct {
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Version  string    `json:"version"`  // equal for equal content
	LoadedAt time.Time `json:"loadedAt"` // real time
	Problems []Defect  `json:"problems"` // why what its files hold now was not taken; empty: it was
}

func describeOrigin(origin sandbox.Origin) originInfo {
	sc := origin.Scenario
	return originInfo{sc.Name, sc.File, sc.Version, origin.LoadedAt.UTC(), refusedFor(origin)}
}

// refusedFor returns all that is wrong with what the scenario's files hold now.
func refusedFor(origin sandbox.Origin) []Defect {
	if origin.Problem == nil {
		return []Defect{}
	}
	if wrong := (scenario.Problems)(nil); errors.As(origin.Problem, &wrong) {
		return defects(wrong)
	}
	return []Defect{{File: origin.Scenario.File, Message: origin.Problem.Error()}}
}

// info says what runs here.
func (a api) info(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, struct {
		Version   string     `json:"version"`
		GoVersion string     `json:"goVersion"`
		StartedAt time.Time  `json:"startedAt"`
		BaseURL   string     `json:"baseUrl"`
		Scenario  originInfo `json:"scenario"`
		Sandboxes int        `json:"sandboxes"`
	}{a.Version, runtime.Version(), a.StartedAt, a.ServiceURL, describeOrigin(a.Sandboxes.Origin()), a.Sandboxes.Len()})
}
