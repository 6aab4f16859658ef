package controlapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// operations is what a form reads of GET /v1/operations.
type operations struct {
	Operations []struct {
		Name, Family, Title, Method, Path, About, BodyMedia string
		Changes                                             bool
		Parameters                                          []struct {
			In, Name, About, Limits string
			Required                bool
		}
		Members []struct {
			Name, Type, About, Limits string
			Required, Secret          bool
		}
		Answers []struct {
			Status               int
			About, Switch, Value string
			Entries              []string
		}
		Errors []struct {
			Status                            int
			Code, Message, Rule               string
			Entries                           []string
			Natural, ByDefault, Usual, Listed bool
		}
		Entries  []string
		Examples []struct {
			Request struct {
				Method  string              `json:"method"`
				Path    string              `json:"path"`
				Query   url.Values          `json:"query"`
				Headers map[string][]string `json:"headers"`
				Body    string              `json:"body"`
			}
			Response struct{ Status int }
		}
	}
	Faults struct {
		Connections []struct {
			Kind, About string
			Delivers    bool
			Example     json.RawMessage
		}
		Phases     []struct{ Phase, About string }
		When, Then []struct {
			Key, Type, About, Form string
			Example                any
		}
		AnyStatus []int
	}
}

func getOperations(t *testing.T, b *simtest.Bank) operations {
	t.Helper()
	var all operations
	require.NoError(t, json.Unmarshal([]byte(b.Control(200, "GET /v1/operations", "").Body), &all))
	return all
}

// The operations agree with the OpenAPI document, with the ledger and with the contract, and lack nothing.
func TestOperationsAgreeWithTheDocument(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	all := getOperations(t, b)
	document, err := openapi3.NewLoader().LoadFromData([]byte(b.Control(200, "GET /v1/openapi.json", "").Body))
	require.NoError(t, err)
	require.Len(t, all.Operations, len(contract.Operations))
	for _, op := range all.Operations {
		item := document.Paths.Find(op.Path)
		require.NotNil(t, item, op.Path)
		described := item.GetOperation(op.Method)
		require.NotNil(t, described, op.Name)
		assert.Equal(t, []string{described.OperationID, described.Tags[0], described.Summary, described.Description}, []string{op.Name, op.Family, op.Title, op.About})
		of, _ := contract.Find(op.Name)
		assert.Equal(t, of.Changes, op.Changes)

		var parameters []string
		for _, p := range op.Parameters {
			if p.Name == "Authorization" {
				assert.Equal(t, len((*described.Security)[0]) > 0, p.Required, op.Name)
			} else if found := described.Parameters.GetByInAndName(p.In, p.Name); assert.NotNil(t, found, "%s: %s", op.Name, p.Name) {
				assert.Equal(t, []any{found.Required, found.Description}, []any{p.Required, p.About})
				parameters = append(parameters, p.Name)
			}
			assert.NotEmpty(t, p.About)
		}
		assert.Len(t, parameters, len(described.Parameters))

		var members []string
		if described.RequestBody != nil {
			require.Contains(t, described.RequestBody.Value.Content, op.BodyMedia)
			members = namesIn("", described.RequestBody.Value.Content[op.BodyMedia].Schema.Value)
		}
		var own []string
		for _, m := range op.Members {
			own = append(own, fmt.Sprint(m.Name, m.Type, m.Required))
		}
		assert.ElementsMatch(t, members, own, op.Name)

		statuses := map[string]bool{}
		for _, a := range op.Answers {
			require.NotNil(t, described.Responses.Status(a.Status), "%s %d", op.Name, a.Status)
			statuses[fmt.Sprint(a.Status)] = true
			assertEntries(t, op.Name, a.Entries)
		}
		codes := map[string][]string{}
		for _, e := range op.Errors {
			statuses[fmt.Sprint(e.Status)] = statuses[fmt.Sprint(e.Status)] || e.Natural || e.Listed
			codes[fmt.Sprint(e.Status)] = append(codes[fmt.Sprint(e.Status)], e.Code)
			for _, id := range e.Entries {
				_, known := contract.FindEntry(id)
				assert.True(t, known, id)
			}
			assert.True(t, e.Rule != "" || !e.Natural)
			assert.True(t, e.Natural || !e.ByDefault)
			assert.True(t, e.Message != "" || e.Natural, "%s: %d %s has no message", op.Name, e.Status, e.Code)
		}
		for status, res := range described.Responses.Map() {
			assert.True(t, statuses[status], "%s lacks %s", op.Name, status)
			if media := res.Value.Content.Get("application/json"); media != nil && status >= "400" {
				for _, code := range codesIn(media.Schema.Value) {
					assert.Contains(t, codes[status], code, "%s %s", op.Name, status)
				}
			}
		}
		var entries []string
		for _, e := range contract.Select(op.Name, "") {
			entries = append(entries, e.ID)
		}
		assert.Equal(t, entries, op.Entries)
	}
}

func assertEntries(t *testing.T, operation string, ids []string) {
	t.Helper()
	assert.NotEmpty(t, ids)
	for _, id := range ids {
		if e, known := contract.FindEntry(id); assert.True(t, known, id) {
			assert.True(t, e.Concerns(operation), "%s is not about %s", id, operation)
		}
	}
}

// namesIn returns the names, types and whether they are required of the members of a schema, as the operations have them.
func namesIn(prefix string, of *openapi3.Schema) (all []string) {
	for name, member := range of.Properties {
		all = append(all, fmt.Sprint(prefix+name, member.Value.Type.Slice()[0], slices.Contains(of.Required, name)))
		all = append(all, namesIn(prefix+name+".", member.Value)...)
	}
	return all
}

// codesIn returns the error codes that a schema has.
func codesIn(of *openapi3.Schema) (all []string) {
	for name, member := range of.Properties {
		if name == "code" || name == "errorCode" {
			for _, code := range member.Value.Enum {
				all = append(all, fmt.Sprint(code))
			}
		}
		all = append(all, codesIn(member.Value)...)
	}
	return all
}

// A form that is filled from an example gets the answer that the example has.
func TestExamplesOfOperations(t *testing.T) {
	t.Parallel()
	for _, op := range getOperations(t, simtest.NewBank(t, simtest.FrozenRetail)).Operations {
		require.Len(t, op.Examples, 1, op.Name)
		r := op.Examples[0].Request
		body := simtest.JSON(map[string]any{"method": r.Method, "path": r.Path + "?" + r.Query.Encode(), "headers": r.Headers, "body": r.Body})
		got := simtest.Decode[sent](t, simtest.NewBank(t, simtest.FrozenRetail).ControlSandbox(200, "POST /requests", body))
		if assert.NotNil(t, got.Response, got.Lost) {
			assert.Equal(t, op.Examples[0].Response.Status, got.Response.Status, "%s: %s", op.Name, got.Response.Body)
		}
	}
}

// Each error, connection fault, phase and condition that a form offers makes a rule that is accepted, and the error comes as it
// says.
func TestFaultsOfForms(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	all := getOperations(t, b)
	add := func(rule map[string]any) {
		b.ControlSandbox(201, "POST /faults", simtest.JSON(rule))
	}
	clear := func() { b.ControlSandbox(204, "DELETE /faults", "") }
	for _, op := range all.Operations {
		for _, e := range op.Errors {
			then := map[string]any{"status": e.Status}
			if !e.Usual {
				then["error"] = map[string]any{"code": e.Code}
			}
			add(map[string]any{"operation": op.Name, "then": then})
			res := simtest.Calls[op.Name].Send(b)
			assert.Equal(t, []any{e.Status, e.Code}, []any{res.StatusCode, res.Code()}, op.Name)
			if e.Message != "" {
				assert.Contains(t, res.Body, simtest.JSON(e.Message), op.Name)
			}
			assert.Equal(t, !e.Listed, b.Last().Fault.Undocumented)
			clear()
		}
	}
	assert.Len(t, all.Faults.Connections, len(fault.Kinds))
	for _, c := range all.Faults.Connections {
		assert.NotEmpty(t, c.About)
		then := map[string]any{"connection": c.Kind}
		add(map[string]any{"name": "named", "then": then})
		clear()
		if c.Example != nil {
			add(map[string]any{"then": map[string]any{"connection": c.Example}})
			clear()
		}
		then["status"] = 500
		b.ControlSandbox(map[bool]int{true: 201, false: 422}[c.Delivers], "POST /faults", simtest.JSON(map[string]any{"then": then}))
		clear()
	}
	for _, p := range all.Faults.Phases {
		assert.NotEmpty(t, p.About)
		add(map[string]any{"phase": p.Phase, "then": map[string]any{"status": 500}})
		clear()
	}
	var keys []string
	for _, w := range all.Faults.When {
		keys = append(keys, w.Key)
		assert.NotEmpty(t, w.About)
		if w.Example != nil {
			add(map[string]any{"when": nested(w.Key, w.Example), "then": map[string]any{"status": 500}})
			clear()
		}
	}
	assert.Equal(t, "first nth every after probability during.from during.until during.for request.dialect request.institutionId request.hostUserId request.header request.query request.body",
		strings.Join(keys, " "))
	for _, member := range all.Faults.Then {
		assert.NotEmpty(t, member.About)
		if member.Example != nil {
			then := nested(member.Key, member.Example)
			if !strings.HasPrefix(member.Key, "delay") {
				then["status"] = 500
			}
			add(map[string]any{"then": then})
			clear()
		}
	}
	least, most := all.Faults.AnyStatus[0], all.Faults.AnyStatus[1]
	for status, want := range map[int]int{least - 1: 422, least: 201, most: 201, most + 1: 422} {
		b.ControlSandbox(want, "POST /faults", fmt.Sprintf(`{"then":{"status":%d}}`, status))
		clear()
	}
}

// nested returns a value in objects with the names of a key.
func nested(key string, value any) map[string]any {
	name, rest, deeper := strings.Cut(key, ".")
	if deeper {
		value = nested(rest, value)
	}
	return map[string]any{name: value}
}
