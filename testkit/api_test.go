package testkit_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/testkit"
)

// Each operation has a constant, with what the operation does.
func TestOperations(t *testing.T) {
	source, err := os.ReadFile("operations.go")
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(source)) {
		if strings.Contains(line, " = ") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	var want []string
	for _, op := range contract.Document().Operations {
		name := ""
		for part := range strings.SplitSeq(op.Name, ".") {
			name += strings.ToUpper(part[:1]) + part[1:]
		}
		want = append(want, fmt.Sprintf("%s = %q // %s", name, op.Name, op.Summary))
	}
	assert.Equal(t, want, lines)
}

// The control API has each member of the state.
func TestStateIsThatOfTheControlAPI(t *testing.T) {
	hasMembers(t, reflect.TypeFor[testkit.State](), reflect.TypeFor[api.State]())
}

func hasMembers(t *testing.T, kit, sent reflect.Type) {
	if kit.Kind() != reflect.Struct {
		if kit.Kind() == reflect.Slice || kit.Kind() == reflect.Pointer {
			hasMembers(t, kit.Elem(), sent.Elem())
		}
		return
	}
	members := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(sent) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		members[name] = field.Type
	}
	for _, field := range reflect.VisibleFields(kit) {
		if name := field.Tag.Get("json"); name != "" && assert.Contains(t, members, name, "%v", kit) {
			hasMembers(t, field.Type, members[name])
		}
	}
}
