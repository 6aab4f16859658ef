package openapi_test

import (
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// narrowed returns the operations of the document of a behaviour.
func narrowed(t *testing.T, change func(*sim.Behavior)) map[string]*openapi3.Operation {
	b := sim.DefaultBehavior()
	change(&b)
	return operationsOf(load(t, openapi.Service{URL: "http://bank.example", Behavior: &b}))
}

// Under whatever value of a switch, the document is valid, and each operation has the answers to a request that is accepted
// which the switch selects. Its examples are golden exchanges, and whoever replays them compares each with the document of its
// own behaviour.
func TestNarrowedDocumentsAreValid(t *testing.T) {
	simtest.Whole(t)
	documents := 0
	for _, s := range contract.Switches() {
		for _, value := range valuesOf(s) {
			b := sim.DefaultBehavior()
			if s.Set(&b, value); documents > 0 && s.Value(&b) == s.Default {
				continue // it has been seen
			}
			documents++
			doc := load(t, openapi.Service{URL: "https://bank.example/sandboxes/x", Behavior: &b})
			assert.NoError(t, doc.Validate(t.Context(), openapi3.DisableExamplesValidation()), "behavior.%s: %v", s.Key, value)
			assert.Len(t, doc.Servers, 1)
			assert.Equal(t, "https://bank.example/sandboxes/x", doc.Servers[0].URL)
			described := operationsOf(doc)
			for _, op := range contract.Operations {
				responses := described[op.Name].Responses
				if spoken := op.In(contract.AnsweredIn(&b, op.Dialect)); spoken != nil {
					op = spoken
				}
				by := contract.SpokenIn(&b, op.Dialect)
				assert.NotNil(t, responses.Status(op.Answer(by).Status), "%s under behavior.%s: %v", op.Name, s.Key, value)
				for _, a := range op.Answers {
					if a.Switched != nil && a.Switched.Switch.Value(by) != a.Value && a.Status != op.Answer(by).Status {
						assert.Nil(t, responses.Status(a.Status), "%s under behavior.%s: %v", op.Name, s.Key, value)
					}
				}
			}
		}
	}
	assert.Greater(t, documents, 30)
}

// valuesOf returns values of a switch, with the Go type of its kind.
func valuesOf(s *contract.Switch) []any {
	switch s.Kind {
	case contract.Status:
		values := []any{}
		for _, name := range s.Names {
			values = append(values, map[string]int{"200": 200, "201": 201, "204": 204, "206": 206, "400": 400, "401": 401}[name])
		}
		return values
	case contract.Word:
		values := []any{}
		for _, name := range s.Names {
			values = append(values, name)
		}
		return values
	case contract.Number:
		return []any{7}
	case contract.Lifetime:
		return []any{time.Hour}
	case contract.Flag:
		return []any{true, false}
	case contract.Members:
		return []any{[]string{}, s.Names[:1], s.Names}
	case contract.List:
		return []any{[]string{}, s.Form.Examples}
	case contract.Texts:
		return []any{map[string]string{}, map[string]string{s.Names[0]: "No."}}
	}
	return nil
}

func TestNarrowedDocument(t *testing.T) {
	simtest.Whole(t)
	standard := narrowed(t, func(*sim.Behavior) {})
	assert.Nil(t, standard[contract.TokensRevoke.Name].Responses.Status(204))
	assert.Nil(t, standard[contract.GroupsCreate.Name].Responses.Status(501), "it isn't strict")
	assert.Contains(t, codes(standard[contract.EstatementsUpdateUser.Name], 401), "UXESTMT_10001")
	assert.NotContains(t, codes(standard[contract.EstatementsUpdateUser.Name], 400), "UXESTMT_10001")
	assert.NotContains(t, codes(standard[contract.GroupsCreate.Name], 400), "BANKSIM_FAULT_HEADER")
	assert.Contains(t, codes(standard[contract.GroupsCreate.Name], 400), "2004")
	assert.Contains(t, standard[contract.GroupsCreate.Name].Responses.Status(200).Value.Headers, "Banksim-Exchange")
	assert.True(t, standard[contract.EstatementsUpdateUser.Name].Parameters.GetByInAndName("header", "correlationid").Required)

	other := narrowed(t, func(b *sim.Behavior) {
		b.Strict, b.FaultHeader, b.Headers.Exchange = true, true, false
		b.Tokens.RevokeResponse, b.Tokens.UnknownToken = sim.RevokeEmpty, sim.UnknownTokenError
		b.Estatements.BearerFailureStatus, b.Estatements.CorrelationID = 400, sim.CorrelationIDOptional
		b.Groups.DuplicateName, b.Groups.Auth, b.Groups.NameLimit = sim.DuplicateNameAllow, sim.Required, 7
		b.Alerts.RequiredFields, b.Alerts.Headers = []string{"alertPreferenceDetails.alertTypeName"}, sim.Optional
	})
	revoked := other[contract.TokensRevoke.Name].Responses.Status(200).Value
	assert.Empty(t, revoked.Content, "no body")
	assert.NotContains(t, revoked.Headers, "Banksim-Exchange")
	assert.NotNil(t, other[contract.GroupsCreate.Name].Responses.Status(501))
	assert.NotContains(t, codes(other[contract.GroupsCreate.Name], 400), "2004")
	assert.Contains(t, codes(other[contract.GroupsCreate.Name], 400), "BANKSIM_FAULT_HEADER")
	assert.Equal(t, openapi3.SecurityRequirements{{"bearer": {}}}, *other[contract.GroupsCreate.Name].Security)
	name := other[contract.GroupsCreate.Name].RequestBody.Value.Content["application/json"].Schema.Value.Properties["groupName"]
	assert.EqualValues(t, 7, *name.Value.MaxLength)
	update := other[contract.EstatementsUpdateUser.Name]
	assert.NotContains(t, codes(update, 401), "UXESTMT_10001")
	assert.Contains(t, codes(update, 400), "UXESTMT_10001")
	assert.False(t, update.Parameters.GetByInAndName("header", "correlationid").Required)
	alert := other[contract.AlertsCreatePreference.Name]
	assert.False(t, alert.Parameters.GetByInAndName("header", "fiid").Required)
	body := alert.RequestBody.Value.Content["application/json"].Schema.Value
	assert.Equal(t, []string{"alertPreferenceDetails"}, body.Required)
	assert.Equal(t, []string{"alertTypeName"}, body.Properties["alertPreferenceDetails"].Value.Required)

	uuid := narrowed(t, func(b *sim.Behavior) { b.Estatements.CorrelationID = sim.CorrelationIDUUID })[contract.EstatementsUpdateUser.Name]
	assert.Equal(t, "uuid", uuid.Parameters.GetByInAndName("header", "correlationid").Schema.Value.Format)
}

// Examples of errors have the texts that the behaviour has for their codes.
func TestExamplesHaveTheTextsOfErrors(t *testing.T) {
	simtest.Whole(t)
	const ownText = "400-duplicate-name-message"
	for text, shown := range map[string][]string{
		"":                                     {"400-duplicate-name"},
		"That name is taken. Try another one.": {ownText},
		"It is taken.":                         nil,
	} {
		b := sim.DefaultBehavior()
		if text != "" {
			b.Messages = map[string]string{"2004": text}
		}
		doc := load(t, openapi.Service{URL: "http://bank.example", Behavior: &b})
		var got []string
		for name, e := range operationsOf(doc)[contract.GroupsCreate.Name].Responses.Status(400).Value.Content["application/json"].Examples {
			if body, _ := e.Value.Value.(map[string]any); body["code"] == "2004" {
				got = append(got, name)
			}
		}
		assert.Equal(t, shown, got, text)
	}
}

// codes returns the error codes that an operation has for a status; none if it doesn't have the status.
func codes(op *openapi3.Operation, status int) []any {
	if op.Responses.Status(status) == nil {
		return nil
	}
	return op.Responses.Status(status).Value.Content["application/json"].Schema.Value.Properties["code"].Value.Enum
}

// The document of any behaviour names both kinds of base URLs, and admits that a body is missing.
func TestDocumentOfAnyBehavior(t *testing.T) {
	doc := loadContract(t)
	assert.Equal(t, "http://bank.example", doc.Servers[0].URL)
	assert.Equal(t, "http://bank.example/sandboxes/{sandbox}", doc.Servers[1].URL)
	revoked := operationsOf(doc)[contract.TokensRevoke.Name].Responses.Status(200).Value
	assert.NotNil(t, revoked.Content["*/*"])
	assert.Contains(t, *revoked.Description, "Without a body where behavior.tokens.revokeResponse is empty.")
}
