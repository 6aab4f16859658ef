package scenario_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Each value of each switch sets the switch, and no other.
func TestEverySwitch(t *testing.T) {
	t.Parallel()
	for _, s := range contract.Switches() {
		values := map[string]string{} // of the switch, by what a scenario writes
		for _, name := range s.Names {
			values[strconv.Quote(name)] = name // without quotes, null is no text
		}
		switch s.Kind {
		case contract.Status:
			values = map[string]string{s.Names[0]: s.Names[0], s.Names[1]: s.Names[1]}
		case contract.Number:
			values = map[string]string{"20": "20", "30.0": "30"}
			if s == contract.GroupsListDefaultSize.Switch {
				values = map[string]string{"2000": "2000"}
			}
		case contract.Lifetime:
			values = map[string]string{"15m": "15m0s", "1.5h": "1h30m0s"}
		case contract.Flag:
			values = map[string]string{"true": "true", "false": "false"}
		case contract.Members:
			all := strings.Join(s.Names, ", ")
			values = map[string]string{"[]": "", "[" + all + "]": all, "[" + s.Names[1] + "]": s.Names[1]}
		case contract.List:
			values = map[string]string{
				"[]": "",
				`["` + strings.Join(s.Form.Examples, `", "`) + `"]`: strings.Join(s.Form.Examples, ", "),
			}
		case contract.Texts:
			text := "Not: <now>, ü"
			if s.Choices != nil {
				text = s.Choices[0]
			}
			values = map[string]string{
				"{}":                                     "",
				`{"` + s.Names[0] + `": "` + text + `"}`: s.Names[0] + ": " + text,
			}
		}
		for text, value := range values {
			source := s.Key + ": " + text
			if block, name, isNested := strings.Cut(s.Key, "."); isNested {
				source = block + ": {" + name + ": " + text + "}"
			}
			b := parse(t, "behavior: {"+source+"}\n"+bank("")).World.Behavior()
			for _, other := range contract.Switches() {
				want := other.Default
				if other == s {
					want = value
				}
				assert.Equal(t, want, other.Value(b), "%s after %s", other.Key, source)
			}
		}
	}
}
