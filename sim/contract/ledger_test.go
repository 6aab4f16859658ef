package contract_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

func TestEntriesAreWhole(t *testing.T) {
	ids := map[string]bool{}
	for _, e := range contract.Ledger {
		t.Run(e.ID, func(t *testing.T) {
			assert.False(t, ids[e.ID], "the id is taken")
			ids[e.ID] = true
			assert.Regexp(t, `^(everywhere|estatements|tokens|revoke|groups|alerts)(\.[a-z]+(-[a-z]+)*)+$`, e.ID)
			for _, operation := range e.Operations {
				assert.Contains(t, sim.OperationNames(), operation)
			}
			assert.Regexp(t, `^[A-Z].*\?$`, e.Question)
			assert.Regexp(t, `^[A-Za-z0-9{].*\.\)?$`, e.Answer)
			assert.Contains(t, contract.Bases, e.Basis)
			assert.NotEmpty(t, e.Source)
			if e.Basis == sim.BasisDocument {
				assert.Contains(t, e.Source, "section")
			}
			if e.Basis == sim.BasisPublished {
				assert.Contains(t, e.Source, "public API description")
			}
			if e.Basis == sim.BasisConvention {
				assert.Regexp(t, `RFC|Spring`, e.Source)
			}
			got, ok := contract.Get(e.ID)
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
	assert.Equal(t, sim.BasisPublished, contract.Must("estatements.bearer-failure").BasisUnder(&b))
	assert.Equal(t, sim.BasisChoice, contract.Must("groups.create.name-limit").BasisUnder(&b))
	assert.Equal(t, sim.BasisPublished, contract.Must("groups.create.description-limit").BasisUnder(&b))
}

func TestSelect(t *testing.T) {
	for _, e := range contract.Select("groups.list", sim.BasisChoice) {
		assert.True(t, e.Concerns("groups.list"), e.ID)
		assert.Equal(t, sim.BasisChoice, e.Basis, e.ID)
	}
	assert.NotEmpty(t, contract.Select("groups.list", sim.BasisChoice))
	assert.Len(t, contract.Select("", ""), len(contract.Ledger))
	_, ok := contract.Get("groups.nope")
	assert.False(t, ok)
	assert.PanicsWithValue(t, "contract: the ledger has no entry groups.nope", func() { contract.Must("groups.nope") })
}

// shown tells of each entry which values of its switch golden exchanges show; the value of an entry without a switch
// is empty.
func shown(t *testing.T) map[string]map[string]bool {
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	all := map[string]map[string]bool{}
	for _, exchange := range exchanges {
		require.NotEmpty(t, append(exchange.Entries, exchange.Shows...), exchange.Name)
		for _, id := range append(exchange.Entries, exchange.Shows...) {
			e, ok := contract.Get(id)
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
	for _, e := range contract.Ledger {
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
	for _, e := range contract.Ledger {
		if e.Unshown == "" {
			assert.True(t, shown[e.ID][""], "no golden exchange shows %s by default", e.ID)
		}
	}
}

// property is a property of a JSON schema.
type property struct {
	Ref        string              `json:"$ref"`
	Enum       []any               `json:"enum"`
	Properties map[string]property `json:"properties"`
}

func TestEverySwitchHasItsEntry(t *testing.T) {
	entries := map[string]*contract.Switch{}
	for _, e := range contract.Ledger {
		if e.Switch != nil {
			assert.NotContains(t, entries, e.Switch.Key, "two entries have the switch")
			entries[e.Switch.Key] = e.Switch
		}
	}
	var schema struct {
		Defs map[string]property `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(schemaSource(t), &schema))
	properties := 0
	var walk func(prefix string, p property)
	walk = func(prefix string, p property) {
		for name, member := range p.Properties {
			if definition, ok := strings.CutPrefix(member.Ref, "#/$defs/"); ok {
				walk(prefix+name+".", schema.Defs[definition])
				continue
			}
			properties++
			s, ok := entries[prefix+name]
			if !assert.True(t, ok, "no entry has the switch %s", prefix+name) {
				continue
			}
			for _, value := range member.Enum {
				text, _ := json.Marshal(value)
				known := regexp.MustCompile(`^"?` + regexp.QuoteMeta(s.Default) + `"?$`).Match(text)
				for _, a := range s.Alternatives {
					known = known || strings.Trim(string(text), `"`) == a.Value
				}
				assert.True(t, known, "%s has no alternative %s", prefix+name, text)
			}
		}
	}
	walk("", schema.Defs["behavior"])
	assert.Len(t, entries, properties, "an entry has a switch that a scenario doesn't have")
}

func schemaSource(t *testing.T) []byte {
	data, err := os.ReadFile("../scenario/scenario.schema.json")
	require.NoError(t, err)
	return data
}
