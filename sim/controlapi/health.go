package controlapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// health says that the process runs, or that the service listener answers.
type health struct {
	Status string `json:"status"`
	Detail string `json:"detail,omitempty" doc:"What is wrong although the service answers."`
}

// healthz answers 200 while the process runs.
func (a control) healthz(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, health{Status: "ok"})
}

// readyz answers 200 while the service listener answers, and 503 before and after that. It answers 503, too, once the
// store of the banks has failed for five seconds. A log that is stuck is a detail: the service does its work. Callers
// without the token learn that the scenario's files are bad, but not why.
func (a control) readyz(w http.ResponseWriter, _ *http.Request) error {
	if !a.Ready() {
		return refuse(http.StatusServiceUnavailable, "not ready: starting or draining")
	}
	var details []string
	if origin := a.Sandboxes.Origin(); origin.Problem != nil {
		details = append(details, fmt.Sprintf("the scenario's files have changed and were refused: "+
			"the version of %s stays in use; GET /v1/info has the problems",
			origin.LoadedAt.UTC().Format(time.RFC3339)))
	}
	problem, isLasting := a.Sandboxes.StoreProblem()
	switch {
	case isLasting:
		return refuse(http.StatusServiceUnavailable, "not ready: %v", problem)
	case problem != nil:
		details = append(details, "the banks could not be stored last: changes are refused; the log says why")
	}
	if a.LogStuck != nil && a.LogStuck() {
		details = append(details, "the log is stuck: what reads standard error does not go on, or has ended; "+
			"log lines are dropped, requests are answered")
	}
	return reply(w, health{"ready", strings.Join(details, "; ")})
}

// originInfo describes the default scenario of new sandboxes.
type originInfo struct {
	Name     string       `json:"name"`
	File     string       `json:"file"`
	Version  string       `json:"version" doc:"Equal for equal content."`
	LoadedAt time.Time    `json:"loadedAt" doc:"Real time."`
	Problems []api.Defect `json:"problems" doc:"Why the present content of its files was refused; empty: it was not."`
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

// simulatorInfo describes a running simulator.
type simulatorInfo struct {
	Version      string      `json:"version"`
	GoVersion    string      `json:"goVersion"`
	StartedAt    time.Time   `json:"startedAt" doc:"Real time."`
	BaseURL      string      `json:"baseUrl" doc:"Of the default sandbox."`
	HTTPSURL     string      `json:"httpsUrl,omitempty" doc:"The same for https; none: it isn't spoken, or baseUrl is for all."`
	Scenario     originInfo  `json:"scenario"`
	Kept         string      `json:"kept" doc:"Where the banks are kept."`
	Sandboxes    int         `json:"sandboxes" doc:"How many there are."`
	FirstRequest requestPlan `json:"firstRequest" doc:"A request to begin with: any access token may make it, and it changes nothing."`
}

// info describes the running simulator.
func (a control) info(w http.ResponseWriter, _ *http.Request) error {
	origin := a.Sandboxes.Origin()
	sc := origin.Scenario
	return reply(w, simulatorInfo{
		Version: a.Version, GoVersion: runtime.Version(), StartedAt: a.StartedAt,
		BaseURL: a.baseURL(sandbox.Default), HTTPSURL: a.httpsURL(sandbox.Default),
		Scenario:  originInfo{sc.Name, sc.File, sc.Version, origin.LoadedAt.UTC(), originDefects(origin)},
		Kept:      a.Sandboxes.Location(),
		Sandboxes: a.Sandboxes.Len(), FirstRequest: newFirstRequest(),
	})
}
