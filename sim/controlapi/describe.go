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

const aboutControl = "Manages the simulator from outside of the simulated bank. The content type of a request doesn't matter. " +
	"Refusals are problem documents and change nothing. Calls without query parameters refuse all of them."

// object is an object of the document.
type object = map[string]any

// Document returns the control API as an OpenAPI document, version 3.1.0, in JSON. It is derived from the routes and the Go
// types of their bodies. The server is the URL of the control API, or / for that from which the document comes.
func Document(server string) []byte {
	types := newSchemas()
	types.of(api.Problem{})
	paths, tags := object{}, []object{}
	for _, rt := range Routes() {
		if !slices.ContainsFunc(tags, func(tag object) bool { return tag["name"] == rt.tag() }) {
			tags = append(tags, object{"name": rt.tag(), "description": "The calls about " + rt.tag() + "."})
		}
		calls, _ := paths[rt.Path].(object)
		if calls == nil {
			calls = object{}
			paths[rt.Path] = calls
		}
		calls[strings.ToLower(rt.Method)] = rt.describe(types)
	}
	document, err := wire.EncodeIndented(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "The control API of banksim", "version": "1", "description": aboutControl,
			"contact": object{"name": "banksim", "url": "https://github.com/digitalbanking-sim/banksim"},
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []object{{"url": server, "description": "The control listener."}},
		"tags":    tags,
		"paths":   paths,
		"components": object{
			"schemas": types.components,
			"responses": object{"problem": object{"description": "The call is refused, and changes nothing.",
				"content": object{problemMedia: object{"schema": ref("Problem")}}}},
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
		content := rt.answer.describe(types)
		maps.Copy(content, rt.other.describe(types))
		accepted["content"] = content
	}
	refused := object{"$ref": "#/components/responses/problem"}
	responses := object{strconv.Itoa(rt.status): accepted, "4XX": refused, "5XX": refused}
	call := object{
		"operationId": rt.name, "tags": []string{rt.tag()}, "summary": summary, "description": rt.about,
		"parameters": parameters, "responses": responses, "security": []object{{}, {"token": []string{}}},
	}
	if open[rt.Path] {
		call["security"] = []object{}
	}
	if rt.body.media != nil {
		call["requestBody"] = object{"content": rt.body.describe(types)}
	}
	return call
}

// tag returns the group of the call: what its path is about, in a sandbox or in the simulator.
func (rt *Route) tag() string {
	path := strings.TrimPrefix(rt.Path, "/v1/sandboxes/{sandbox}/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "v1/")
	return path[:strings.IndexAny(path+"/", "/.")]
}

func (p payload) describe(types schemas) object {
	content := object{}
	for _, media := range p.media {
		content[media] = object{"schema": types.of(p.value)}
	}
	return content
}
