package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// generate returns the JSON Schema of the Go types, described by their comments.
func generate(t *testing.T) []byte {
	t.Helper()
	r := generator.Reflector{
		Anonymous: true, ExpandedStruct: true, AllowAdditionalProperties: true, // a later version may have more
		Namer: func(of reflect.Type) string {
			if of == reflect.TypeFor[explore.Report]() {
				return "Exploration"
			}
			return of.Name()
		},
		Mapper: func(of reflect.Type) *generator.Schema {
			switch of {
			case reflect.TypeFor[fault.Then]():
				return &generator.Schema{Type: "object", Description: "What the fault does, as in the faults of a scenario."}
			case reflect.TypeFor[explore.Verdict]():
				return &generator.Schema{Type: "string", Enum: []any{explore.Completed, explore.NothingHappened, explore.HalfDone, explore.DoneTwice}}
			}
			return nil
		},
	}
	for _, of := range []string{"coverage", "explore", "report"} {
		require.NoError(t, r.AddGoComments("github.com/digitalbanking-sim/banksim/sim/report", "../"+of))
	}
	s := r.Reflect(report.Report{})
	s.Title = "banksim report"
	encoded, err := json.MarshalIndent(s, "", "\t")
	require.NoError(t, err)
	return append(encoded, '\n')
}

func TestSchemaIsFresh(t *testing.T) {
	t.Parallel()
	const file = "report.schema.json"
	if *update {
		require.NoError(t, os.WriteFile(file, generate(t), 0o644))
		return
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(generate(t)), string(got), "run go generate ./sim/report and read the diff")
	assert.Equal(t, got, report.Schema())
}

// Reports are as the schema says, and it says enough to notice what is wrong.
func TestSchema(t *testing.T) {
	t.Parallel()
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.Schema()))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("urn:banksim:report", source))
	schema, err := compiler.Compile("urn:banksim:report")
	require.NoError(t, err)
	validate := func(document string) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(document)))
		require.NoError(t, err)
		return schema.Validate(value)
	}
	for _, r := range []report.Report{sample(), hostile(), {}} {
		assert.NoError(t, validate(write(t, r, "json")))
	}
	assert.Error(t, validate(`{"format": 1, "version": ""}`))
	assert.Error(t, validate(`{"format": "", "version": "", "coverage": {"runs": "2", "operations": [], "total": {}, "entries": []}}`))
	assert.Error(t, validate(`{"version": ""}`))
}
