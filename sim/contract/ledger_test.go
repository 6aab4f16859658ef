package contract_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

func TestEntriesAreWhole(t *testing.T) {
	ids := map[string]bool{}
	for _, e := range contract.Ledger() {
		t.Run(e.ID, func(t *testing.T) {
			assert.False(t, ids[e.ID], "the id is taken")
			ids[e.ID] = true
			assert.Regexp(t, `^(everywhere|estatements|tokens|revoke|groups|alerts)(\.[a-z]+(-[a-z]+)*)+$`, e.ID)
			for _, operation := range e.Operations {
				assert.Contains(t, contract.Names(), operation)
			}
			assert.Regexp(t, `^[A-Z].*\?$`, e.Question)
			assert.Regexp(t, `^[A-Za-z0-9{].*\.\)?$`, e.Answer)
			assert.Contains(t, contract.Bases, e.Basis)
			assert.NotEmpty(t, e.Source)
			if e.Basis == contract.Document {
				assert.Contains(t, e.Source, "section")
			}
			if e.Basis == contract.Published {
				assert.Contains(t, e.Source, "public API description")
			}
			if e.Basis == contract.Convention {
				assert.Regexp(t, `RFC|Fetch standard|Spring`, e.Source)
			}
			got, ok := contract.FindEntry(e.ID)
			require.True(t, ok)
			assert.Equal(t, e.ID, got.ID)
			if e.Switch == nil {
				return
			}
			require.NotEmpty(t, e.Switch.Alternatives)
			for _, a := range e.Switch.Alternatives {
				assert.NotEqual(t, e.Switch.Default, a.Value)
				assert.Contains(t, contract.Bases, a.Basis)
				assert.Regexp(t, `\.$`, a.Answer)
			}
			standard := sim.DefaultBehavior()
			assert.Equal(t, e.Basis, e.BasisUnder(&standard))
		})
	}
}

func TestBasisFollowsTheSwitch(t *testing.T) {
	b := sim.DefaultBehavior()
	b.Estatements.BearerFailureStatus = 400
	b.Groups.NameLimit = 10
	assert.Equal(t, contract.Published, contract.EstatementsBearerFailure.BasisUnder(&b))
	assert.Equal(t, contract.Choice, contract.GroupsCreateNameLimit.BasisUnder(&b))
	assert.Equal(t, contract.Published, contract.GroupsCreateDescriptionLimit.BasisUnder(&b))
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

// shown returns for each entry which values of its switch golden exchanges show; the value of an entry without a switch
// is empty.
func shown(t *testing.T) map[string]map[string]bool {
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	all := map[string]map[string]bool{}
	for _, exchange := range exchanges {
		require.NotEmpty(t, append(exchange.Entries, exchange.Shows...), exchange.Name)
		for _, id := range append(exchange.Entries, exchange.Shows...) {
			e, ok := contract.FindEntry(id)
			if !assert.True(t, ok, "%s uses %s, which the ledger doesn't have", exchange.Name, id) {
				continue
			}
			assert.True(t, e.Concerns(exchange.Operation()) || exchange.Operation() == "unknown", "%s uses %s", exchange.Name, id)
			if all[id] == nil {
				all[id] = map[string]bool{}
			}
			all[id][switched(t, exchange, e)] = true
		}
	}
	return all
}

// switched returns the value that an exchange's behaviour gives to an entry's switch; empty: the default.
func switched(t *testing.T, exchange fixtures.Exchange, e *contract.Entry) string {
	if e.Switch == nil || exchange.Behavior == nil {
		return ""
	}
	var behavior map[string]any
	require.NoError(t, json.Unmarshal(exchange.Behavior, &behavior))
	value := any(behavior)
	for key := range strings.SplitSeq(e.Switch.Key, ".") {
		members, _ := value.(map[string]any)
		if value = members[key]; value == nil {
			return ""
		}
	}
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return strings.Trim(string(text), `"`)
}

func TestEveryEntryAndEveryAlternativeIsShown(t *testing.T) {
	shown := shown(t)
	for _, e := range contract.Ledger() {
		if e.Unshown != "" {
			assert.Empty(t, shown[e.ID], "%s is shown, and says that it isn't", e.ID)
			continue
		}
		values := shown[e.ID]
		assert.NotEmpty(t, values, "no golden exchange shows %s", e.ID)
		if e.Switch == nil {
			continue
		}
		delete(values, "")
		for _, a := range e.Switch.Alternatives {
			if a.Value[0] == '<' {
				assert.NotEmpty(t, values, "no golden exchange shows %s with another value", e.ID)
				continue
			}
			assert.True(t, values[a.Value], "no golden exchange shows %s with %s: %s", e.ID, e.Switch.Key, a.Value)
		}
	}
}

func TestEveryDefaultIsShown(t *testing.T) {
	shown := shown(t)
	for _, e := range contract.Ledger() {
		if e.Unshown == "" {
			assert.True(t, shown[e.ID][""], "no golden exchange shows %s by default", e.ID)
		}
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

// Each member of the behaviour has its switch, which reads what it has set.
func TestSwitchesCoverTheBehaviour(t *testing.T) {
	values := map[contract.Kind]any{contract.Number: 7, contract.Lifetime: 90 * time.Second, contract.Members: []string{"alertOpted"}, contract.List: []string{"a", "b"},
		contract.Texts: map[string]string{"2004": "taken", "2000": "bad"}}
	texts := map[contract.Kind]string{contract.Number: "7", contract.Lifetime: "1m30s", contract.Members: "alertOpted", contract.List: "a, b", contract.Texts: "2000: bad, 2004: taken"}
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
		s.Set(&changed, value)
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
