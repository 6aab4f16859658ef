package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Behavior returns the switches of a service: those of a scenario (empty: the defaults), changed by settings such as
// groups.createStatus=201, whose values are YAML.
func Behavior(nameOrFile string, settings []string) (*sim.Behavior, error) {
	extended := "retail"
	if nameOrFile != "" {
		sc, err := scenario.Load(nameOrFile) // so that its problems are in its own file
		if err != nil || len(settings) == 0 {
			return behaviorOf(sc, err)
		}
		extended = nameOrFile
	}
	switches := block{}
	for _, setting := range settings {
		key, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("%s sets no switch: write KEY=VALUE, such as groups.createStatus=201", phrase.Quote(setting))
		}
		switches.set(strings.Split(key, "."), value)
	}
	source := fmt.Sprintf("name: expected\nextends: %q\nbehavior:%s\n", extended, switches.yaml("\n  "))
	return behaviorOf(scenario.LoadFrom("--behavior", []byte(source)))
}

func behaviorOf(sc *scenario.Scenario, err error) (*sim.Behavior, error) {
	if err != nil {
		return nil, err
	}
	return sc.World.Behavior(), nil
}

// block is a mapping of YAML: its values are blocks, or texts that are YAML.
type block map[string]any

func (b block) set(keys []string, value string) {
	if len(keys) == 1 {
		b[keys[0]] = value
		return
	}
	inner, nested := b[keys[0]].(block)
	if !nested {
		inner = block{}
		b[keys[0]] = inner
	}
	inner.set(keys[1:], value)
}

// yaml returns the mapping, each key after a line break and its indentation.
func (b block) yaml(line string) string {
	text := " {}"
	if len(b) > 0 {
		text = ""
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		switch value := b[key].(type) {
		case block:
			text += fmt.Sprintf("%s%q:%s", line, key, value.yaml(line+"  "))
		default:
			text += fmt.Sprintf("%s%q: %s", line, key, value)
		}
	}
	return text
}

// behavesSo reports whether a service has switches that a golden exchange sets, as its file has them.
func behavesSo(b *sim.Behavior, block json.RawMessage) bool {
	sc, err := scenario.Parse("expected.yaml", []byte(`{"name": "expected", "extends": "retail", "behavior": `+string(block)+`}`))
	var set map[string]any
	if err != nil || json.Unmarshal(block, &set) != nil {
		return false
	}
	return !slices.ContainsFunc(contract.Switches(), func(s *contract.Switch) bool {
		return sets(set, s.Key) && s.Value(b) != s.Value(sc.World.Behavior())
	})
}

// sets reports whether a behavior block has a key such as groups.createStatus.
func sets(block map[string]any, key string) bool {
	first, rest, nested := strings.Cut(key, ".")
	value, there := block[first]
	if !there || !nested {
		return there
	}
	inner, _ := value.(map[string]any)
	return sets(inner, rest)
}
