package scenario_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// switches are all switches with all their alternatives, and what each changes of the default behaviour.
var switches = map[string]func(b *sim.Behavior){
	"tokens.accessLifetime: 15m":                  func(b *sim.Behavior) { b.Tokens.AccessLifetime = 15 * time.Minute },
	"tokens.refreshLifetime: 1.5h":                func(b *sim.Behavior) { b.Tokens.RefreshLifetime = 90 * time.Minute },
	"tokens.revokeResponse: token":                func(b *sim.Behavior) { b.Tokens.RevokeResponse = sim.RevokeToken },
	"tokens.revokeResponse: empty":                func(b *sim.Behavior) { b.Tokens.RevokeResponse = sim.RevokeEmpty },
	"tokens.revokeResponse: noContent":            func(b *sim.Behavior) { b.Tokens.RevokeResponse = sim.RevokeNoContent },
	"tokens.revokeResponse: authenticationResult": func(b *sim.Behavior) { b.Tokens.RevokeResponse = sim.RevokeAuthenticationResult },
	"tokens.unknownToken: ok":                     func(b *sim.Behavior) { b.Tokens.UnknownToken = sim.UnknownTokenOK },
	"tokens.unknownToken: error":                  func(b *sim.Behavior) { b.Tokens.UnknownToken = sim.UnknownTokenError },
	"estatements.bearerFailureStatus: 401":        func(b *sim.Behavior) { b.Estatements.BearerFailureStatus = 401 },
	"estatements.bearerFailureStatus: 400":        func(b *sim.Behavior) { b.Estatements.BearerFailureStatus = 400 },
	"estatements.correlationId: required":         func(b *sim.Behavior) { b.Estatements.CorrelationID = sim.CorrelationIDRequired },
	"estatements.correlationId: optional":         func(b *sim.Behavior) { b.Estatements.CorrelationID = sim.CorrelationIDOptional },
	"estatements.correlationId: uuid":             func(b *sim.Behavior) { b.Estatements.CorrelationID = sim.CorrelationIDUUID },
	"estatements.updateAccountStatus: 200":        func(b *sim.Behavior) { b.Estatements.UpdateAccountStatus = 200 },
	"estatements.updateAccountStatus: 204":        func(b *sim.Behavior) { b.Estatements.UpdateAccountStatus = 204 },
	"groups.auth: optional":                       func(b *sim.Behavior) { b.Groups.Auth = sim.Optional },
	"groups.auth: required":                       func(b *sim.Behavior) { b.Groups.Auth = sim.Required },
	"groups.createStatus: 200":                    func(b *sim.Behavior) { b.Groups.CreateStatus = 200 },
	"groups.createStatus: 201":                    func(b *sim.Behavior) { b.Groups.CreateStatus = 201 },
	"groups.nameLimit: 10":                        func(b *sim.Behavior) { b.Groups.NameLimit = 10 },
	"groups.descriptionLimit: 1":                  func(b *sim.Behavior) { b.Groups.DescriptionLimit = 1 },
	"groups.clientGroupId: ignore":                func(b *sim.Behavior) { b.Groups.ClientGroupID = sim.ClientGroupIDIgnore },
	"groups.clientGroupId: honor":                 func(b *sim.Behavior) { b.Groups.ClientGroupID = sim.ClientGroupIDHonor },
	"groups.duplicateName: reject":                func(b *sim.Behavior) { b.Groups.DuplicateName = sim.DuplicateNameReject },
	"groups.duplicateName: allow":                 func(b *sim.Behavior) { b.Groups.DuplicateName = sim.DuplicateNameAllow },
	"groups.experience: emit":                     func(b *sim.Behavior) { b.Groups.Experience = sim.ExperienceEmit },
	"groups.experience: omit":                     func(b *sim.Behavior) { b.Groups.Experience = sim.ExperienceOmit },
	"groups.transactionIdReuse: allow":            func(b *sim.Behavior) { b.Groups.TransactionIDReuse = sim.TransactionIDReuseAllow },
	"groups.transactionIdReuse: reject":           func(b *sim.Behavior) { b.Groups.TransactionIDReuse = sim.TransactionIDReuseReject },
	"groups.defaultPageSize: 2000":                func(b *sim.Behavior) { b.Groups.DefaultPageSize = 2000 },
	"groups.maxPageSize: 20":                      func(b *sim.Behavior) { b.Groups.MaxPageSize = 20 },
	"groups.unknownSort: error":                   func(b *sim.Behavior) { b.Groups.UnknownSort = sim.UnknownSortError },
	"groups.unknownSort: ignore":                  func(b *sim.Behavior) { b.Groups.UnknownSort = sim.UnknownSortIgnore },
	"alerts.createStatus: 201":                    func(b *sim.Behavior) { b.Alerts.CreateStatus = 201 },
	"alerts.createStatus: 200":                    func(b *sim.Behavior) { b.Alerts.CreateStatus = 200 },
	"alerts.auth: required":                       func(b *sim.Behavior) { b.Alerts.Auth = sim.Required },
	"alerts.auth: optional":                       func(b *sim.Behavior) { b.Alerts.Auth = sim.Optional },
	"alerts.headers: required":                    func(b *sim.Behavior) { b.Alerts.Headers = sim.Required },
	"alerts.headers: optional":                    func(b *sim.Behavior) { b.Alerts.Headers = sim.Optional },
	"alerts.requiredFields: [alertOpted, alertPreferenceDetails.channelTypeName]": func(b *sim.Behavior) {
		b.Alerts.RequiredFields = []string{"alertOpted", "alertPreferenceDetails.channelTypeName"}
	},
	"alerts.knownChannelsOnly: true":  func(b *sim.Behavior) { b.Alerts.KnownChannelsOnly = true },
	"alerts.knownChannelsOnly: false": func(b *sim.Behavior) { b.Alerts.KnownChannelsOnly = false },
}

// withSwitch returns a scenario with one switch, written as family.switch: value.
func withSwitch(line string) string {
	family, set, _ := strings.Cut(line, ".")
	return fmt.Sprintf("behavior: {%s: {%s}}\n", family, set) + bank("")
}

func TestEverySwitch(t *testing.T) {
	t.Parallel()
	for line, change := range switches {
		t.Run(line, func(t *testing.T) {
			want := sim.DefaultBehavior()
			change(&want)
			assert.Equal(t, want, *parse(t, withSwitch(line)).World.Behavior())
		})
	}
}

// TestSwitchesOfTheSchema holds the schema's alternatives and defaults against the domain's.
func TestSwitchesOfTheSchema(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("scenario.schema.json")
	require.NoError(t, err)
	type property struct {
		Type    any
		Enum    []any
		Default any
	}
	var schema struct {
		Defs map[string]struct{ Properties map[string]property } `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(source, &schema))
	families := map[string]string{"tokens": "tokenBehavior", "estatements": "estatementBehavior", "groups": "groupBehavior", "alerts": "alertBehavior"}
	tried := map[string]bool{}
	for line := range switches {
		name, _, _ := strings.Cut(line, ":")
		tried[name] = true
	}
	var defaults strings.Builder
	for family, definition := range families {
		require.NotEmpty(t, schema.Defs[definition].Properties)
		fmt.Fprintf(&defaults, "  %s:\n", family)
		for name, p := range schema.Defs[definition].Properties {
			assert.True(t, tried[family+"."+name], "%s.%s is not among the switches", family, name)
			for _, value := range p.Enum {
				assert.Contains(t, switches, fmt.Sprintf("%s.%s: %v", family, name, value))
			}
			if p.Type == "array" {
				continue
			}
			require.NotNil(t, p.Default, "%s.%s has no default", family, name)
			fmt.Fprintf(&defaults, "    %s: %v\n", name, p.Default)
		}
	}
	s := parse(t, "behavior:\n"+defaults.String()+bank(""))
	assert.Equal(t, sim.DefaultBehavior(), *s.World.Behavior(), "the defaults that the schema tells are the domain's")
}

func TestRequiredFieldsOfTheDomain(t *testing.T) {
	t.Parallel()
	for _, field := range sim.AlertFields() {
		s := parse(t, withSwitch("alerts.requiredFields: ["+field+"]"))
		assert.Equal(t, []string{field}, s.World.Behavior().Alerts.RequiredFields)
	}
}
