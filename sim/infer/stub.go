package infer

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// stub is an answer to requests to a path that the interface doesn't have.
type stub struct {
	method, path, media, target string
	status                      int
	body                        []byte
}

// stubsOf returns the last answers to requests to other paths. Paths that differ in one segment become one, whose last
// answer stays.
func stubsOf(all []exchange) (stubs []stub) {
	others := map[string]map[string]bool{} // the values of a segment, by the path without it
	each := func(x exchange, fn func(general, value string)) {
		segments := strings.Split(x.path, "/")
		for i := 1; i < len(segments); i++ {
			value := segments[i]
			segments[i] = "{id}"
			fn(x.method+" "+strings.Join(segments, "/"), value)
			segments[i] = value
		}
	}
	for _, x := range all {
		if x.isStub() {
			each(x, func(general, value string) {
				if others[general] == nil {
					others[general] = map[string]bool{}
				}
				others[general][value] = true
			})
		}
	}
	for _, x := range all {
		if !x.isStub() {
			continue
		}
		s := stub{x.method, fault.PathPattern(x.path), x.media, x.target, x.status, x.answer}
		most := 1
		each(x, func(general, _ string) {
			if len(others[general]) > most {
				most = len(others[general])
				_, s.path, _ = strings.Cut(general, " ")
			}
		})
		isSame := func(other stub) bool { return other.method == s.method && other.path == s.path }
		stubs = append(slices.DeleteFunc(stubs, isSame), s)
	}
	return stubs
}

// isStub reports whether a stub can answer the request.
func (x exchange) isStub() bool {
	return x.op == nil && x.status >= 200 && x.status < 600 && slices.Contains(stubMethods, x.method)
}

var stubMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// rule is a stub in a scenario.
type rule struct {
	Name   string `yaml:"name"`
	Method string `yaml:"method"`
	Path   string `yaml:"path"`
	Then   then   `yaml:"then"`
}

type then struct {
	Status  int               `yaml:"status"`
	Headers map[string]string `yaml:"headers,omitempty,flow"`
	Body    *string           `yaml:"body,omitempty"`
}

// rules returns stubs as a scenario has them. Their bodies are the capture's own.
func rules(stubs []stub) (all []rule) {
	for i, s := range stubs {
		r := rule{fmt.Sprintf("stub-%d", i+1), s.method, s.path, then{Status: s.status, Headers: map[string]string{}}}
		if s.media != "" {
			r.Then.Headers["Content-Type"] = s.media
		}
		if s.target != "" {
			r.Then.Headers["Location"] = s.target
		}
		if s.status != http.StatusNoContent && s.status != http.StatusNotModified {
			body := string(s.body)
			r.Then.Body = &body
		}
		all = append(all, r)
	}
	return all
}
