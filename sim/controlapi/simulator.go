package controlapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/export"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// simulatorCalls returns the calls about the simulator as a whole.
func (c control) simulatorCalls() []Call {
	return []Call{
		newCall("GET", healthPath, "getHealth", "Whether the process runs.", c.getHealth).public(),
		newCall("GET", readyPath, "getReadiness", "Whether the service listener answers.", c.getReadiness).public(),
		newCall("GET", "/metrics", "getMetrics", "Metrics in the Prometheus text format.", c.getMetrics).
			answers("text/plain", "Metrics.").aboutAll(),
		newCall("GET", caPath, "getCA",
			"The certificate of the CA (PEM). Clients of https must trust it. It needs no token.", c.getCA).
			public().answers(pemMedia, "A certificate."),
		newCall("GET", "/v1/info", "getInfo", "The running simulator and its scenario.", c.getInfo),
		newCall("GET", "/v1/coverage", "getCoverage",
			"Which answers were covered, and how often. Over all sandboxes, unless one is named.", c.getCoverage).
			large(reflect.TypeFor[coverage.File]()),
		newCall("POST", "/v1/keepalive", "holdSimulator",
			"Keep the simulator running. It doesn't end as idle until the answer is closed.", c.keepAlive).
			answers("text/plain", "A line. The answer then stays open."),
		newCall("GET", "/v1/operations", "getOperations",
			"All that a form needs: operations, ledger, kinds of faults.", c.getOperations).
			large(reflect.TypeFor[interfaceForm]()),
		newCall("GET", "/v1/openapi.json", "getContract",
			"The OpenAPI document of the simulated interface.", c.getContract).
			large(reflect.TypeFor[map[string]any]()),
		newCall("GET", "/v1/export", "exportBanks",
			"All banks with their journals, for `banksim import`. Secrets are in the clear. "+
				"The last line says that the export is whole.", c.exportBanks).
			answers(linesMedia, "A JSON object in each line.").large(nil).aboutAll(),
	}
}

const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
	caPath     = "/ca.pem"
)

// health says that the process runs, or that the service listener answers.
type health struct {
	Status string `json:"status"`
	Detail string `json:"detail,omitempty" doc:"What is wrong although the service answers."`
}

// getHealth answers 200 while the process runs.
func (c control) getHealth(context.Context, *nothing) (health, error) {
	return health{Status: "ok"}, nil
}

// getReadiness answers 200 while the service listener answers, and 503 before and after that. It answers 503, too,
// once the store of the banks has failed for five seconds. An unread log is a detail, because the service does its
// work. Callers without the token learn that the scenario's files are bad, but not why.
func (c control) getReadiness(context.Context, *nothing) (health, error) {
	if !c.Ready() {
		return health{}, refuse(http.StatusServiceUnavailable, "not ready: starting or draining")
	}
	var details []string
	if origin := c.Sandboxes.Origin(); origin.Problem != nil {
		details = append(details, fmt.Sprintf("the scenario's files have changed and were refused: "+
			"the version of %s stays in use; GET /v1/info has the problems",
			origin.LoadedAt.UTC().Format(time.RFC3339)))
	}
	isLasting, problem := c.Sandboxes.StoreProblem()
	switch {
	case isLasting:
		return health{}, refuse(http.StatusServiceUnavailable, "not ready: %v", problem)
	case problem != nil:
		details = append(details, "the banks could not be stored last: changes are refused; the log says why")
	}
	if c.LogStuck != nil && c.LogStuck() {
		details = append(details, "the log is stuck: what reads standard error does not go on, or has ended; "+
			"log lines are dropped, requests are answered")
	}
	if named := c.Access.Named; named != nil && named.Problem() != nil {
		details = append(details,
			"the control tokens can't be read again: the earlier ones stay valid; the log says why")
	}
	if c.CertProblem != nil && c.CertProblem() != nil {
		details = append(details, "the https certificate can't be read again: the one before stays; the log says why")
	}
	return health{"ready", strings.Join(details, "; ")}, nil
}

func (c control) getMetrics(context.Context, *nothing) (stream, error) {
	if c.Metrics == nil {
		return nil, refuse(http.StatusNotFound, "this simulator has no metrics: it runs within a test")
	}
	return c.Metrics.ServeHTTP, nil
}

func (c control) getCA(context.Context, *nothing) (stream, error) {
	if c.CA == nil {
		return nil, refuse(http.StatusNotFound,
			"the simulator has no CA: it speaks no https, or has a certificate of its own")
	}
	return largeText(pemMedia, c.CA), nil
}

// simulatorInfo describes a running simulator.
type simulatorInfo struct {
	Version      string      `json:"version"`
	GoVersion    string      `json:"goVersion"`
	StartedAt    time.Time   `json:"startedAt" doc:"When the simulator was started, in real time."`
	BaseURL      string      `json:"baseUrl" doc:"The base URL of the default sandbox."`
	HTTPSURL     string      `json:"httpsUrl,omitempty" doc:"The base URL for https. Not there: baseUrl is for all requests."`
	Scenario     originInfo  `json:"scenario"`
	Kept         string      `json:"kept" doc:"Where the banks are kept."`
	Sandboxes    int         `json:"sandboxes" doc:"How many sandboxes there are."`
	CaptureBytes int64       `json:"captureBytes,omitempty" doc:"How many bytes a capture may have. Not there: the simulator finds no banks behind captures."`
	FirstRequest requestPlan `json:"firstRequest" doc:"A request to begin with. Any access token may make it, and it changes nothing."`
}

// originInfo describes the default scenario of new sandboxes.
type originInfo struct {
	Name     string       `json:"name"`
	File     string       `json:"file"`
	Version  string       `json:"version" doc:"A text that is equal for equal content."`
	LoadedAt time.Time    `json:"loadedAt" doc:"When the scenario was loaded, in real time."`
	Problems []api.Defect `json:"problems" doc:"Why the present content of its files was refused. Empty if it was not."`
}

func (c control) getInfo(context.Context, *nothing) (simulatorInfo, error) {
	origin := c.Sandboxes.Origin()
	sc := origin.Scenario
	return simulatorInfo{
		Version: c.Version, GoVersion: runtime.Version(), StartedAt: c.StartedAt,
		BaseURL: c.baseURL(sandbox.Default), HTTPSURL: c.httpsURL(sandbox.Default),
		Scenario:  originInfo{sc.Name, sc.File, sc.Version, origin.LoadedAt.UTC(), originDefects(origin)},
		Kept:      c.Sandboxes.Location(),
		Sandboxes: c.Sandboxes.Len(), CaptureBytes: c.Inference.MaxBytes, FirstRequest: firstRequest(),
	}, nil
}

// originDefects returns all errors of the present content of the scenario's files.
func originDefects(origin sandbox.Origin) []api.Defect {
	if origin.Problem == nil {
		return []api.Defect{}
	}
	if wrong := (scenario.Problems)(nil); errors.As(origin.Problem, &wrong) {
		return defects(wrong)
	}
	return []api.Defect{{File: origin.Scenario.File, Message: origin.Problem.Error()}}
}

type coverageQuery struct {
	Sandbox   string        `query:"sandbox" minLength:"1" doc:"Only what this sandbox has covered since it was created, its resets notwithstanding."`
	Operation operationName `query:"operation" doc:"Only the points of this operation, and the ledger's entries about this operation alone."`
}

func (c control) getCoverage(ctx context.Context, in *coverageQuery) (stream, error) {
	counter, may := c.Sandboxes.Coverage(), rightsIn(ctx)
	switch {
	case in.Sandbox == "" && !may.hasAll():
		return nil, may.refuseAll()
	case in.Sandbox != "":
		sb, err := c.find(ctx, in.Sandbox)
		if err != nil {
			return nil, err
		}
		counter = sb.Coverage()
	}
	run := counter.Run(c.Version)
	if in.Operation != "" {
		run = run.Only(string(in.Operation))
	}
	return largeValue(coverage.File{Format: coverage.Format, Runs: []coverage.Run{run}}), nil
}

type contractQuery struct {
	Dialect dialectName `query:"dialect" doc:"Only the paths of this dialect. Default: the paths of both."`
}

// getContract answers with the OpenAPI document of the simulated interface under any behaviour.
func (c control) getContract(_ context.Context, in *contractQuery) (stream, error) {
	var dialects []sim.Dialect
	if in.Dialect != "" {
		dialects = append(dialects, sim.Dialect(in.Dialect))
	}
	return largeText(jsonMedia, openapi.Document(c.baseURL(sandbox.Default), dialects...)), nil
}

const (
	maxKeepAlives = 500       // how many may be open at a time (choice)
	maxLinger     = time.Hour // the largest value of linger (choice)
	usualLinger   = -1 * time.Second
)

type keepAliveQuery struct {
	Linger string `query:"linger" minLength:"1" doc:"How long the simulator runs after the last such answer is closed, such as 3s; at most 1h."`
}

// keepAlive answers with a line and leaves the answer open. Meanwhile the simulator is not idle. After the last such
// answer, the simulator runs for linger, whatever else is requested.
func (c control) keepAlive(ctx context.Context, in *keepAliveQuery) (stream, error) {
	linger := usualLinger
	if in.Linger != "" {
		var err error
		if linger, err = time.ParseDuration(in.Linger); err != nil || linger < 0 || linger > maxLinger {
			return nil, refuse(http.StatusBadRequest, "linger must be a duration from 0s to 1h, such as 3s")
		}
	}
	if c.keepAlives.Add(1) > maxKeepAlives {
		c.keepAlives.Add(-1)
		return nil, refuse(http.StatusTooManyRequests,
			"%d keepalives are open, as many as the simulator has: close some", maxKeepAlives)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		defer c.keepAlives.Add(-1)
		if c.Hold != nil {
			defer c.Hold(linger)()
		}
		open, cancel := c.untilDraining(r.Context())
		defer cancel()
		w.Header().Set("Content-Type", plainText)
		w.Header().Set("Cache-Control", "no-store")
		controller := http.NewResponseController(w)
		_ = controller.SetWriteDeadline(time.Time{}) // the answer stays open for any time
		_, err := io.WriteString(w, "held until this answer ends\n")
		if err == nil && controller.Flush() == nil { // else the client is gone already
			<-open.Done()
		}
	}, nil
}

// exportBanks writes all banks. If that fails, the answer is broken off: nothing else can tell a client then.
func (c control) exportBanks(ctx context.Context, _ *nothing) (stream, error) {
	infos, err := c.Sandboxes.List(ctx)
	switch {
	case err != nil:
		return nil, err
	case !c.exporting.TryLock(): // each holds a connection to a database
		return nil, refuse(http.StatusTooManyRequests, "another export is under way: ask again later")
	}
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	h := export.Header{Version: c.Version, ExportedAt: time.Now().UTC(), FingerprintKey: redact.Key()}
	write := largeAnswer(linesMedia, func(w io.Writer) {
		if _, err := export.Write(ctx, w, h, c.Sandboxes, names, func(int) {}); err != nil {
			if ctx.Err() == nil { // else the client has gone
				c.Log.Error("an export was broken off", "error", err)
			}
			panic(http.ErrAbortHandler)
		}
	})
	return func(w http.ResponseWriter, r *http.Request) {
		defer c.exporting.Unlock()
		w.Header().Set("Cache-Control", "no-store") // it has secrets
		write(w, r)
	}, nil
}
