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

// stubsYAML returns stubs as the faults of a scenario. Their bodies are the capture's own.
func stubsYAML(stubs []stub) []byte {
	var rules []any
	for i, s := range stubs {
		then := map[string]any{"status": s.status}
		headers := map[string]string{}
		if s.media != "" {
			headers["Content-Type"] = s.media
		}
		if s.target != "" {
			headers["Location"] = s.target
		}
		if len(headers) > 0 {
			then["headers"] = headers
		}
		if s.status != http.StatusNoContent && s.status != http.StatusNotModified {
			then["body"] = string(s.body)
		}
		name := fmt.Sprintf("stub-%d", i+1)
		rules = append(rules, map[string]any{"name": name, "method": s.method, "path": s.path, "then": then})
	}
	return encode(map[string]any{"faults": rules})
}
