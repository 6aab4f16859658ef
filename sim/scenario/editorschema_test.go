package scenario_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// editorSchema returns the compiled schema for editors.
func editorSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(scenario.Schema()))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("scenario.schema.json", document))
	schema, err := compiler.Compile("scenario.schema.json")
	require.NoError(t, err)
	return schema
}

// validate validates YAML as an editor does.
func validate(t *testing.T, schema *jsonschema.Schema, source string) error {
	t.Helper()
	var value any
	require.NoError(t, yaml.Unmarshal([]byte(source), &value))
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	require.NoError(t, err)
	return schema.Validate(instance)
}

func TestEditorAcceptsBuiltInScenarios(t *testing.T) {
	t.Parallel()
	schema := editorSchema(t)
	for _, name := range scenario.Names() {
		source, err := scenario.Source(name)
		require.NoError(t, err)
		assert.NoError(t, validate(t, schema, string(source)), name)
	}
}

// A file that extends nothing must be complete, and has nothing to remove.
func TestEditorMarksMistakes(t *testing.T) {
	t.Parallel()
	const whole = "institutions: [{institutionId: \"02688\"}]\n"
	const extending = "extends: retail\n"
	const user = "institutions: [{institutionId: \"02688\", users: [{hostUserId: \"1001\", "
	schema := editorSchema(t)
	for name, test := range map[string]struct {
		source  string
		mistake string // "" if the editor accepts the file
	}{
		"nothing":              {"name: mine", "missing property 'institutions'"},
		"a fault without then": {whole + "faults: [{name: late}]", "missing property 'then'"},
		"null":                 {whole + "seed: null", "got null"},
		"a mark":               {"institutions: [{institutionId: \"1\", remove: true}]", "'remove' not allowed"},
		"an unknown operation": {whole + "faults: [{operation: nope, then: {status: 500}}]", "value must be one of"},
		"a text for no code":   {whole + "behavior: {messages: {NOPE: Sorry}}", "value must be one of"},
		"an impossible day": {
			"institutions: [{institutionId: \"1\", generate: {start: \"2026-02-30T09:00:00Z\"}}]",
			"is not valid date-time",
		},
		"a change":        {extending + "behavior: {groups: {createStatus: 201}}", ""},
		"a changed fault": {extending + "faults: [{name: late, when: null}]", ""},
		"half of a delay": {extending + "faults: [{name: late, then: {delay: {p50: 1s}}}]",
			"missing property 'p95'"},
		"a setting that goes": {extending + "faults: [{name: slow, then: {connection: {dribble: {every: null}}}}]", ""},
		"a removed item":      {extending + user + "remove: true}]}]", ""},
		"null for a block":    {extending + "behavior: null", ""},
		"null for an id":      {extending + "institutions: [{institutionId: null}]", "got null"},
		"half of a job's error": {
			extending + "institutions: [{institutionId: \"02688\", groups: [{groupName: A, jobs: [{errors: [{lineNbr: 1}]}]}]}]",
			"missing property 'errorMsg'",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := validate(t, schema, test.source)
			if test.mistake == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.mistake)
		})
	}
}
