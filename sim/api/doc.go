// Package api has the wire types of the control API, each once, and its one client, for the server, the commands,
// testkit and tests. It isn't the server: that is sim/controlapi, whose OpenAPI document has the text of a member's tag
// doc. Start at sandbox.go.
package api
