package scenario

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestValidationAgreesWithALibrary validates trees with the loader's schema, and with a library for JSON Schema: the good and the bad
// scenarios, and those that come of replacing each value of a good one by others, and of removing and adding keys.
func TestValidationAgreesWithALibrary(t *testing.T) {
	t.Parallel()
	library, whole := loaders(t), wholeScenario()
	met := map[string]int{} // mistakes, by keyword
	check := func(at string, tree any) {
		var expected, actual []string
		var invalid *jsonschema.ValidationError
		if err := library.Validate(tree); errors.As(err, &invalid) {
			expected = mistakesOf(invalid)
		}
		for _, found := range whole.validate(tree) {
			actual = append(actual, asText(found.location, found.keyword, found.because, found.names))
			met[found.keyword]++
		}
		slices.Sort(expected)
		slices.Sort(actual)
		if !slices.Equal(expected, actual) {
			assert.Equal(t, expected, actual, at)
		}
	}
	files := badScenarios(t)
	for _, name := range Names() {
		source, err := Source(name)
		require.NoError(t, err)
		files = append(files, "../../scenarios/"+name+".yaml")
		require.NotEmpty(t, source)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		r := newReport(file)
		var tree any
		if root := r.read(file, source); root == nil || root.Decode(&tree) != nil {
			continue
		}
		check(file, tree)
		if !strings.Contains(file, "fixtures/bad") && len(source) > 20_000 {
			continue // its rows are like those of others
		}
		replaceEach(tree, func(inner any, where string) { check(file+": "+where, inner) })
	}
	check("no type of JSON", map[string]any{"institutions": struct{}{}})
	for _, keyword := range []string{"", "type", "enum", "required", "additionalProperties", "dependentRequired", "pattern", "minLength",
		"maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum", "exclusiveMinimum"} {
		assert.Positive(t, met[keyword], "no tree shows %q", keyword)
	}
}

// others are the values that replace those of a tree.
var others = []any{nil, true, "x", "", strings.Repeat("0", 600), -1, 0, 3, 1 << 60, uint64(1 << 63), 0.5, 2.0, 1e300, []any{}, []any{"x", "x"}, []any{map[string]any{}, 7},
	[]any{"1s", "2s", "3s"}, map[string]any{}, map[string]any{"x": 1}, map[string]any{"p50": "1s", "uniform": []any{"1s"}}}

// replaceEach calls fn with a tree in which one value is another, or one key is missing or new, for each of its values.
func replaceEach(tree any, fn func(tree any, where string)) {
	var each func(value any, put func(any), where string)
	each = func(value any, put func(any), where string) {
		for _, other := range others {
			put(other)
			fn(tree, fmt.Sprintf("%s: %v", where, other))
		}
		put(value)
		switch value := value.(type) {
		case map[string]any:
			value["unknown"] = 1
			fn(tree, where+": unknown")
			delete(value, "unknown")
			for key, inner := range value {
				delete(value, key)
				fn(tree, where+": without "+key)
				value[key] = inner
				each(inner, func(other any) { value[key] = other }, where+"."+key)
			}
		case []any:
			for i, inner := range value[:min(len(value), 2)] {
				each(inner, func(other any) { value[i] = other }, where+"."+strconv.Itoa(i))
			}
		}
	}
	each(tree, func(other any) { // the whole tree
		if other, ok := other.(map[string]any); ok {
			fn(other, "")
		}
	}, "")
}

// mistakesOf returns the mistakes that the library found, without those that the checker reports.
func mistakesOf(err *jsonschema.ValidationError) []string {
	switch k := err.ErrorKind.(type) {
	case *kind.PropertyNames, *kind.UniqueItems:
		return nil
	case *kind.InvalidJsonValue:
		return []string{asText(err.InstanceLocation, "", "", nil)}
	case *kind.AdditionalProperties:
		return []string{asText(err.InstanceLocation, "additionalProperties", "", k.Properties)}
	case *kind.Required:
		return []string{asText(err.InstanceLocation, "required", "", k.Missing)}
	case *kind.DependentRequired:
		return []string{asText(err.InstanceLocation, "dependentRequired", k.Prop, k.Missing)}
	}
	if len(err.Causes) == 0 {
		return []string{asText(err.InstanceLocation, err.ErrorKind.KeywordPath()[0], "", nil)}
	}
	var all []string
	for _, cause := range err.Causes {
		all = append(all, mistakesOf(cause)...)
	}
	return all
}

func asText(location []string, keyword, because string, names []string) string {
	return fmt.Sprint(strings.Join(location, "."), ": ", keyword, " ", because, " ", slices.Sorted(slices.Values(names)))
}
