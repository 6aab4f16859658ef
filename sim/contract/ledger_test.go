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
			assertSource(t, e.Basis, e.Source)
			if p := e.Public; p != nil {
				assert.Regexp(t, wholeAnswer, e.Answer(sim.DialectPublic))
				assert.Contains(t, contract.Bases, p.Basis)
				assertSource(t, p.Basis, p.Source)
			}
			if e.Switch == nil {
				return
			}
			require.NotEmpty(t, e.Alternatives())
			for _, a := range e.Alternatives() {
				assert.NotEqual(t, e.Switch.Default, a.Value)
				assert.Contains(t, contract.Bases, a.Basis)
				assert.Regexp(t, wholeAnswer, a.Answer)
			}
			assert.Equal(t, e.Basis, e.BasisUnder(document(sim.DefaultBehavior())))
		})
	}
}

func TestBasisFollowsTheSwitch(t *testing.T) {
	b := sim.DefaultBehavior()
	b.Estatements.BearerFailureStatus = 400
	b.Groups.NameLimit = 10
	assert.Equal(t, contract.Published, contract.EstatementsBearerFailure.BasisUnder(document(b)))
	assert.Equal(t, contract.Choice, contract.GroupsCreateNameLimit.BasisUnder(document(b)))
	assert.Equal(t, contract.Published, contract.GroupsCreateDescriptionLimit.BasisUnder(document(b)))
}

func TestSelect(t *testing.T) {
	for _, e := range contract.Select(contract.GroupsList.Name, contract.Choice) {
		assert.True(t, e.Concerns(contract.GroupsList.Name), e.ID)
		assert.Equal(t, contract.Choice, e.Basis, e.ID)
	}
	assert.NotEmpty(t, contract.Select(contract.GroupsList.Name, contract.Choice))
	assert.Len(t, contract.Select("", ""), len(contract.Ledger()))
	_, ok := contract.FindEntry("groups.nope")
	assert.False(t, ok)
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

// Each member of the behaviour has its switch, which reads what it has set.
func TestSwitchesCoverTheBehaviour(t *testing.T) {
	values := map[contract.Kind]any{contract.Number: 7, contract.Lifetime: 90 * time.Second,
		contract.Members: []string{"alertOpted"},
		contract.List:    []string{"a", "b"},
		contract.Texts:   map[string]string{"2004": "taken", "2000": "bad"}}
	texts := map[contract.Kind]string{contract.Number: "7", contract.Lifetime: "1m30s", contract.Members: "alertOpted",
		contract.List: "a, b", contract.Texts: "2000: bad, 2004: taken"}
	changed := sim.DefaultBehavior()
	for _, s := range contract.Switches() {
		standard := sim.DefaultBehavior()
		assert.Equal(t, s.Default, s.Value(&standard), s.Key)
		value, text := values[s.Kind], texts[s.Kind]
		switch s.Kind {
		case contract.Status:
			text = s.Names[1]
			status, err := strconv.Atoi(text)
			require.NoError(t, err)
			value = status
		case contract.Word:
			text, value = s.Names[1], s.Names[1]
		case contract.Flag:
			value = s.Default == "false"
			text = strconv.FormatBool(s.Default == "false")
		}
		set(t, s, &changed, value)
		assert.Equal(t, text, s.Value(&changed), s.Key)
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
