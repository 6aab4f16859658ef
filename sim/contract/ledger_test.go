package contract_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// wholeAnswer matches sentences in which "{" begins an object or a variable of a path, and no placeholder that nothing
// has filled in.
const wholeAnswer = `^([^{]|\{[a-z]+[^a-z}-])*\.\)?$`

func TestEntriesAreWhole(t *testing.T) {
	ids := map[string]bool{}
	for _, e := range contract.Ledger() {
		t.Run(e.ID, func(t *testing.T) {
			assert.False(t, ids[e.ID], "the id is taken")
			ids[e.ID] = true
			assert.Regexp(t, `^[a-z]+(\.[a-z]+(-[a-z]+)*)+$`, e.ID)
			assert.True(t,
				slices.ContainsFunc(contract.Parts(), func(p contract.Part) bool { return p.Name == e.Part() }), e.ID)
			for _, operation := range e.Operations {
				assert.Contains(t, contract.Names(), operation)
			}
			assert.Regexp(t, `^[A-Z].*\?$`, e.Question)
			assert.Regexp(t, wholeAnswer, e.Answer(sim.DialectDocument))
			assert.Contains(t, contract.Bases, e.Basis)
			assertSource(t, e.Basis, e.SourceIn(sim.DialectDocument))
			if p := e.Public; p != nil {
				assert.Regexp(t, wholeAnswer, e.Answer(sim.DialectPublic))
				assert.Contains(t, contract.Bases, p.Basis)
				assertSource(t, p.Basis, e.SourceIn(sim.DialectPublic))
			}
			if e.Switch == nil {
				return
			}
			require.NotEmpty(t, e.Setting(document(sim.DefaultBehavior())).Alternatives)
			for _, a := range e.Setting(document(sim.DefaultBehavior())).Alternatives {
				assert.NotEqual(t, e.Switch.Default, a.Value)
				assert.Contains(t, contract.Bases, a.Basis)
				assert.Regexp(t, wholeAnswer, a.Answer)
			}
			assert.Equal(t, e.Basis, e.BasisUnder(document(sim.DefaultBehavior())))
		})
	}
}

func TestEachSwitchHasOneEntry(t *testing.T) {
	keys := map[string]bool{}
	for _, s := range contract.Switches() {
		assert.False(t, keys[s.Key], "two entries have the switch %s", s.Key)
		keys[s.Key] = true
		assert.NotEmpty(t, s.About, s.Key)
		if block, _, ok := strings.Cut(s.Key, "."); ok {
			assert.Contains(t, contract.SwitchBlocks, block)
		}
	}
}

// set sets a switch to a value.
func set(t *testing.T, s *contract.Switch, b *sim.Behavior, value any) {
	t.Helper()
	require.NoError(t, s.Set(b, func(into any) error {
		at := reflect.ValueOf(into).Elem()
		at.Set(reflect.ValueOf(value).Convert(at.Type()))
		return nil
	}))
}

// Each member of the behaviour has its switch. That a scenario sets the one that it names is tested in package
// scenario.
func TestSwitchesCoverTheBehaviour(t *testing.T) {
	values := map[contract.Kind]any{
		contract.Number:   7,
		contract.Lifetime: 90 * time.Second,
		contract.Members: []string{
			"alertOpted",
		},
		contract.List:  []string{"a", "b"},
		contract.Texts: map[string]string{"2004": "taken"},
	}
	changed := sim.DefaultBehavior()
	for _, s := range contract.Switches() {
		value := values[s.Kind]
		switch s.Kind {
		case contract.Status:
			status, err := strconv.Atoi(s.Names[1])
			require.NoError(t, err)
			value = status
		case contract.Word:
			value = s.Names[1]
		case contract.Flag:
			value = s.Default == "false"
		}
		set(t, s, &changed, value)
	}
	var same []string
	var walk func(path string, a, b reflect.Value)
	walk = func(path string, a, b reflect.Value) {
		if a.Kind() != reflect.Struct {
			if reflect.DeepEqual(a.Interface(), b.Interface()) {
				same = append(same, path)
			}
			return
		}
		for i := range a.NumField() {
			walk(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	}
	walk("Behavior", reflect.ValueOf(sim.DefaultBehavior()), reflect.ValueOf(changed))
	assert.Empty(t, same, "no switch sets these")
}
