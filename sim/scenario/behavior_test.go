package scenario_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// withSwitch returns a scenario that sets one switch.
func withSwitch(key, value string) string {
	block, name, isNested := strings.Cut(key, ".")
	if !isNested {
		return fmt.Sprintf("behavior: {%s: %s}\n", key, value) + bank("")
	}
	return fmt.Sprintf("behavior: {%s: {%s: %s}}\n", block, name, value) + bank("")
}

// member returns the member of a behaviour with the name of a switch.
func member(b *sim.Behavior, key string) reflect.Value {
	if key == "dialect" {
		key = "forcedDialect"
	}
	at := reflect.ValueOf(b).Elem()
	for _, name := range strings.Split(key, ".") {
		at = at.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
	}
	return at
}

// Each value of each switch sets the member of the behaviour that is named like the switch, and no other.
func TestEverySwitch(t *testing.T) {
	t.Parallel()
	for _, s := range contract.Switches() {
		values := map[string]any{} // of the member, by what a scenario writes
		for _, name := range s.Names {
			values[strconv.Quote(name)] = name // without quotes, null is no text
		}
		switch s.Kind {
		case contract.Status:
			values = map[string]any{}
			for i, name := range s.Names {
				status, err := strconv.Atoi(name)
				require.NoError(t, err)
				values[name] = min(i, 1) * status // 0 is the default
			}
		case contract.Number:
			values = map[string]any{"10": 10, "20.0": 20}
			if s == contract.GroupsListDefaultSize.Switch {
				values = map[string]any{"2000": 2000}
			} else if s == contract.GroupsListMaxSize.Switch {
				values = map[string]any{"20": 20}
			}
		case contract.Lifetime:
			values = map[string]any{"15m": 15 * time.Minute, "1.5h": 90 * time.Minute}
		case contract.Flag:
			values = map[string]any{"true": true, "false": false}
		case contract.Members:
			values = map[string]any{
				"[]":                                    []string(nil),
				"[" + strings.Join(s.Names, ", ") + "]": s.Names,
				"[" + s.Names[1] + "]":                  s.Names[1:2],
			}
		case contract.List:
			values = map[string]any{
				"[]":                             []string(nil),
				`["` + s.Form.Examples[0] + `"]`: s.Form.Examples[:1],
				`["` + strings.Join(s.Form.Examples, `", "`) + `"]`: s.Form.Examples,
			}
		case contract.Texts:
			values = map[string]any{
				"{}": map[string]string(nil),
				`{"` + s.Names[0] + `": "Not: <now>, ü"}`: map[string]string{s.Names[0]: "Not: <now>, ü"},
			}
		}
		for text, value := range values {
			want := sim.DefaultBehavior()
			changed := member(&want, s.Key)
			changed.Set(reflect.ValueOf(value).Convert(changed.Type()))
			assert.Equal(t, want, *parse(t, withSwitch(s.Key, text)).World.Behavior(), "%s: %s", s.Key, text)
		}
	}
}
