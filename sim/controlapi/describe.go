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

const aboutControl = "Manages the simulator from outside of the simulated bank. The content type of a request doesn't matter. " +
	"Refusals are problem documents and change nothing. Calls without query parameters refuse all of them."

// object is an object of the document.
type object = map[string]any

// Document returns the control API as an OpenAPI document, version 3.1.0, in JSON. It is derived from the routes and the Go
// types of their bodies. The server is the URL of the control API, or / for that from which the document comes.
func Document(server string) []byte {
	types := newSchemas()
	types.of(api.Problem{}, answered)
	paths, problems := object{}, object{}
	tags := map[string]bool{}
	for _, rt := range Routes() {
		tags[rt.tag()] = true
		calls, _ := paths[rt.Path].(object)
		if calls == nil {
			calls = object{}
			paths[rt.Path] = calls
		}
		calls[strings.ToLower(rt.Method)] = rt.describe(types)
	}
	for status, about := range refusals {
		problems[strconv.Itoa(status)] = object{"description": about, "content": object{problemMedia: object{"schema": ref("Problem")}}}
	}
	var described []object
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		described = append(described, object{"name": tag, "description": "The calls about " + tag + "."})
	}
	document, err := wire.EncodeIndented(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "The control API of banksim", "version": "1", "description": aboutControl,
			"contact": object{"name": "banksim", "url": "https://github.com/digitalbanking-sim/banksim"},
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []object{{"url": server, "description": "The control listener."}},
		"tags":    described,
		"paths":   paths,
		"components": object{
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

var pathVariable = regexp.MustCompile(`\{(\w+)\}`)

// describe describes the call.
func (rt *Route) describe(types schemas) object {
	summary, _, _ := strings.Cut(rt.about, ".")
	parameters := []object{}
	for _, variable := range pathVariable.FindAllStringSubmatch(rt.Path, -1) {
		parameters = append(parameters, object{"name": variable[1], "in": "path", "required": true, "description": "Which " +
			variable[1] + ".",
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
		"operationId": rt.name, "tags": []string{rt.tag()}, "summary": summary, "description": rt.about,
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

// tag returns the group of the call: what its path is about, in a sandbox or in the simulator.
func (rt *Route) tag() string {
	path := strings.TrimPrefix(rt.Path, "/v1/sandboxes/{sandbox}/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "v1/")
	return path[:strings.IndexAny(path+"/", "/.")]
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
