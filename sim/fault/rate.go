package fault

import (
	"maps"
	"time"
)

// Rate lets a rule fire for the requests of a caller beyond a number of them in a length of virtual time. The time
// begins with the first request that is counted, and the next one begins with the first request after it.
type Rate struct {
	// How many requests pass.
	Requests int `json:"requests" yaml:"requests" jsonschema:"required,minimum=1,example=10"`
	// In how much time of the sandbox's clock.
	Per Duration `json:"per" yaml:"per" jsonschema:"required,example=1s"`
	// Whose requests count together: of a client, of a user, or all. Default: all.
	By string `json:"by,omitzero" yaml:"by" jsonschema:"enum=client,enum=user,enum=all"`
}

// Window counts the requests of a caller since a time.
type Window struct {
	Since    time.Time `json:"since"`
	Requests int       `json:"requests"`
}

// maxWindows is how many callers of a rule are counted at most (choice). Beyond it, the requests of others pass.
const maxWindows = 1000

// windows are the present windows of a rule by caller. They never change. A count has a pointer, because counts are
// compared.
type windows map[string]Window

// caller returns whose requests a request counts with.
func (r *Rate) caller(q *Query) string {
	institutionID, hostUserID := "", ""
	switch r.By {
	case "client":
		return q.Client()
	case "user":
		institutionID, hostUserID = q.Scope()
	}
	return institutionID + "/" + hostUserID
}

// count counts a request. It returns the windows after it, and how long the caller has to wait if the request is beyond
// the rate, or else 0.
func (r *Rate) count(counted *windows, q *Query) (next *windows, wait time.Duration) {
	per, present := time.Duration(r.Per), windows{}
	if counted != nil {
		present = maps.Clone(*counted)
	}
	isOver := func(w Window) bool { return w.Since.After(q.Now) || !q.Now.Before(w.Since.Add(per)) }
	maps.DeleteFunc(present, func(_ string, w Window) bool { return isOver(w) })
	caller := r.caller(q)
	window, found := present[caller]
	if !found && len(present) == maxWindows {
		return &present, 0
	}
	if !found {
		window.Since = q.Now
	}
	window.Requests++
	present[caller] = window
	if window.Requests > r.Requests {
		wait = window.Since.Add(per).Sub(q.Now)
	}
	return &present, wait
}
