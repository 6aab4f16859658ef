package controlapi

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// tags are the groups of calls, by the beginnings of their paths, the longest first.
var tags = []struct{ prefix, name, about string }{
	{"/v1/sandboxes/{sandbox}/journal", "journal", "The requests that a sandbox got, with the answers and why they are what they are."},
	{"/v1/sandboxes/{sandbox}/faults", "faults", "Rules that make requests fail on purpose."},
	{"/v1/sandboxes/{sandbox}/clock", "clock", "The virtual clock of a sandbox."},
	{"/v1/sandboxes/{sandbox}/institutions", "state", "What a simulated bank holds."},
	{"/v1/sandboxes/{sandbox}/state", "state", ""},
	{"/v1/sandboxes/{sandbox}/users", "state", ""},
	{"/v1/sandboxes/{sandbox}/diff", "state", ""},
	{"/v1/sandboxes/{sandbox}/coverage", "coverage", "Which answers of the simulated interface were met, and how often."},
	{"/v1/coverage", "coverage", ""},
	{"/v1/sandboxes/{sandbox}/snapshots", "state", ""},
	{"/v1/sandboxes", "sandboxes", "Isolated banks."},
	{"/v1/scenarios", "scenarios", "What sandboxes can start from."},
	{"/", "simulator", "The running simulator."},
}

// variables describe the variables of paths.
var variables = map[string]string{
	"sandbox":     "The name of the sandbox.",
	"scenario":    "The name of a built-in scenario.",
	"snapshot":    "The name of the snapshot.",
	"institution": "The institutionId.",
	"user":        "The hostUserId.",
	"account":     "The accountId.",
	"fault":       "The name of the fault rule.",
	"exchange":    "The id of the exchange.",
}

// refusals describe the error statuses.
var refusals = map[int]string{
	400: "The call is not understood: its query, its body or one of its values.",
	401: "The control token is missing or wrong.",
	403: "A page of another origin may not change anything.",
	404: "What the path or the query names isn't there.",
	409: "It contradicts what there is.",
	413: "The body is too large.",
	421: "A listener on loopback doesn't answer for this host.",
	422: "The scenario or the fault rules have problems.",
	429: "A limit is reached.",
	500: "The simulator failed.",
	503: "It can't be answered now.",
	507: "The simulated bank is full.",
}

const aboutControl = "Manages the simulator from outside of the simulated bank. The content type of a request doesn't matter. Refusals are problem " +
	"documents and change nothing. Calls without query parameters refuse all of them."

// object is an object of the document.
type object = map[string]any

// openAPI is the whole document.
type openAPI struct {
	Version    string   `json:"openapi"`
	Info       object   `json:"info"`
	Servers    []object `json:"servers"`
	Tags       []object `json:"tags"`
	Paths      object   `json:"paths"`
	Components object   `json:"components"`
}

// Document returns the control API as an OpenAPI document, version 3.1.0, in JSON. It is derived from the routes and the Go
// types of their bodies. The server is the URL of the control API, or / for that from which the document comes.
func Document(server string) []byte {
	types := newSchemas()
	types.of(api.Problem{}, answered)
	paths, problems := object{}, object{}
	for _, rt := range routes() {
		calls, _ := paths[rt.Path].(object)
		if calls == nil {
			calls = object{}
			paths[rt.Path] = calls
		}
		calls[strings.ToLower(rt.Method)] = rt.describe(types)
	}
	for status, about := range refusals {
		problems[strconv.Itoa(status)] = describeProblem(status, about)
	}
	var groups []object
	for _, tag := range tags {
		if tag.about != "" {
			groups = append(groups, object{"name": tag.name, "description": tag.about})
		}
	}
	document, err := wire.EncodeIndented(openAPI{
		Version: "3.1.0",
		Info: object{
			"title": "The control API of banksim", "version": "1", "description": aboutControl,
			"contact": object{"name": "banksim", "url": "https://github.com/digitalbanking-sim/banksim"},
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		Servers: []object{{"url": server, "description": "The control listener."}},
		Tags:    groups,
		Paths:   paths,
		Components: object{
			"schemas": types.components, "responses": problems,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer",
				"description": "The control token. A listener on loopback needs none, unless it was given one."}},
		},
	})
	if err != nil {
		panic(fmt.Sprintf("controlapi: the document can't be encoded: %v", err))
	}
	return document
}

// describeProblem describes the answers with an error status.
func describeProblem(status int, about string) object {
	headers := object{}
	add := func(name, about string) {
		headers[name] = object{"description": about, "required": true, "schema": schema{"type": "string"}}
	}
	switch status {
	case http.StatusUnauthorized:
		add("WWW-Authenticate", "How to authenticate.")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		add("Retry-After", "After how many seconds the call is worth repeating.")
	}
	problem := object{"description": about, "content": object{problemMedia: object{"schema": ref("Problem")}}}
	if len(headers) > 0 {
		problem["headers"] = headers
	}
	return problem
}

var pathVariable = regexp.MustCompile(`\{(\w+)\}`)

// describe describes the call.
func (rt *Route) describe(types schemas) object {
	tag := slices.IndexFunc(tags, func(tag struct{ prefix, name, about string }) bool { return strings.HasPrefix(rt.Path, tag.prefix) })
	summary, _, _ := strings.Cut(rt.about, ".")
	parameters := []object{}
	for _, variable := range pathVariable.FindAllStringSubmatch(rt.Path, -1) {
		parameters = append(parameters, object{"name": variable[1], "in": "path", "required": true, "description": variables[variable[1]],
			"schema": schema{"type": "string"}})
	}
	for _, p := range rt.Query {
		parameters = append(parameters, object{"name": p.Name, "in": "query", "description": p.about, "schema": p.value})
	}
	accepted := object{"description": http.StatusText(rt.status) + "."}
	if rt.answer.media != nil {
		content := rt.answer.describe(types, answered)
		maps.Copy(content, rt.other.describe(types, answered))
		accepted["content"] = content
	}
	for name, about := range rt.headers {
		accepted["headers"] = object{name: object{"description": about, "required": true, "schema": schema{"type": "string"}}}
	}
	responses := object{strconv.Itoa(rt.status): accepted}
	for _, status := range rt.refusals() {
		code := strconv.Itoa(status)
		responses[code] = object{"$ref": "#/components/responses/" + code}
	}
	call := object{
		"operationId": rt.name, "tags": []string{tags[tag].name}, "summary": summary, "description": rt.about,
		"parameters": parameters, "responses": responses, "security": []object{{}, {"token": []string{}}},
	}
	if open[rt.Path] {
		call["security"] = []object{}
	}
	if rt.body.media != nil {
		as := requested
		if rt.Method == http.MethodPatch {
			as = patched
		}
		call["requestBody"] = object{"content": rt.body.describe(types, as)}
	}
	return call
}

// refusals returns the error statuses of the call.
func (rt *Route) refusals() []int {
	all := append([]int{http.StatusBadRequest, http.StatusMisdirectedRequest, http.StatusInternalServerError}, rt.refusal...)
	if !open[rt.Path] {
		all = append(all, http.StatusUnauthorized)
	}
	if rt.Method != http.MethodGet {
		all = append(all, http.StatusForbidden)
	}
	if strings.Contains(rt.Path, "{") {
		all = append(all, http.StatusNotFound)
	}
	if rt.body.media != nil {
		all = append(all, http.StatusRequestEntityTooLarge)
	}
	return all
}

func (p payload) describe(types schemas, as role) object {
	content := object{}
	for _, media := range p.media {
		content[media] = object{"schema": types.of(p.value, as)}
	}
	return content
}
