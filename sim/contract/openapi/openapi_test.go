package openapi_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
)

const bankURL = "http://bank.example"

// loadContract reads the OpenAPI document as any tool does. The loader fails with a reference to nothing.
func loadContract(t *testing.T, dialects ...sim.Dialect) *openapi3.T {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document(bankURL, dialects...))
	require.NoError(t, err)
	return doc
}

func operationsOf(doc *openapi3.T) map[string]*openapi3.Operation {
	all := map[string]*openapi3.Operation{}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			all[op.OperationID] = op
		}
	}
	return all
}

// selections are the dialects with which a document can be asked for.
var selections = map[string][]sim.Dialect{
	"both":     nil,
	"document": {sim.DialectDocument},
	"public":   {sim.DialectPublic},
}

// The document is valid, and so is every example in it.
func TestOpenAPIIsValid(t *testing.T) {
	for name, dialects := range selections {
		t.Run(name, func(t *testing.T) {
			doc := loadContract(t, dialects...)
			assert.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation()))
			assert.Equal(t, "3.0.3", doc.OpenAPI)
		})
	}
}

var reference = regexp.MustCompile(`"\$ref": "#/components/([^"]+)"`)

// What operations share is a component, and each component is used.
func TestComponentsAreUsed(t *testing.T) {
	for name, dialects := range selections {
		t.Run(name, func(t *testing.T) {
			data := openapi.Document(bankURL, dialects...)
			assert.Less(t, len(data), 500_000)
			used := map[string]bool{}
			for _, found := range reference.FindAllSubmatch(data, -1) {
				used[string(found[1])] = true
			}
			var doc struct {
				Components map[string]map[string]any
			}
			require.NoError(t, json.Unmarshal(data, &doc))
			delete(doc.Components, "securitySchemes") // operations name these without a reference
			for kind, components := range doc.Components {
				assert.NotEmpty(t, components, kind)
				for name := range components {
					assert.True(t, used[kind+"/"+name], "%s %s isn't used", kind, name)
				}
			}
		})
	}
}

// A document of one dialect has its operations alone, with the ids that they have beside the other dialect's.
func TestOneDialect(t *testing.T) {
	for _, dialect := range []sim.Dialect{sim.DialectDocument, sim.DialectPublic} {
		doc := loadContract(t, dialect)
		paths, ids := map[string]bool{}, map[string]bool{}
		for _, op := range contract.In(dialect).Operations {
			paths[op.Path], ids[op.ID] = true, true
		}
		assert.ElementsMatch(t, slices.Collect(maps.Keys(paths)), slices.Collect(maps.Keys(doc.Paths.Map())), dialect)
		assert.ElementsMatch(t, slices.Collect(maps.Keys(ids)), slices.Collect(maps.Keys(operationsOf(doc))), dialect)
	}
}

// Ids are identifiers that both dialects derive from the name of the operation.
func TestOperationIDs(t *testing.T) {
	doc := loadContract(t)
	capitalized := func(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
	for _, op := range contract.AllOperations() {
		kind, does, _ := strings.Cut(op.Name, ".")
		id := kind + capitalized(does)
		if op.Dialect == sim.DialectPublic {
			id = "public" + capitalized(id)
		}
		assert.Regexp(t, `^[a-z]+([A-Z][a-z]+)+$`, id)
		described := operationsOf(doc)[id]
		if assert.NotNil(t, described, id) {
			assert.Equal(t, op.Name, described.Extensions["x-operation"])
		}
	}
}

// An error body can have every code that a fault answers with, at every error status.
func TestErrorsOfFaults(t *testing.T) {
	described := operationsOf(loadContract(t))
	for _, op := range contract.AllOperations() {
		injections := append(op.Family.Injections(), op.Family.Injection(418), op.Family.Injection(503))
		for status, res := range described[op.ID].Responses.Map() {
			if status < "400" {
				continue
			}
			for _, i := range injections {
				var body any
				require.NoError(t, json.Unmarshal(op.Family.Error(i.Status, i.Code, i.Message), &body))
				err := res.Value.Content.Get("application/json").Schema.Value.VisitJSON(body)
				assert.NoError(t, err, "%s %s: %s", op.ID, status, i.Code)
			}
		}
	}
}

// marksOf returns the marks of a response: those of the operation where operations share a response and differ.
func marksOf(op *openapi3.Operation, status string) map[string]any {
	errors, _ := op.Extensions["x-errors"].(map[string]any)
	if own, ok := errors[status].(map[string]any); ok {
		return own
	}
	return op.Responses.Value(status).Value.Extensions
}

// Each operation lists the codes of its errors by status: those of its refusals, and of faults with a status alone.
func TestErrorCodesOfOperations(t *testing.T) {
	described := operationsOf(loadContract(t))
	for _, op := range contract.AllOperations() {
		want := map[string][]any{}
		refusals := slices.Concat(op.Refusals(), op.Conditions())
		for _, i := range op.Injections() {
			refusals = append(refusals, i.Refusal)
		}
		for _, r := range refusals {
			for _, status := range op.Family.Statuses(r) {
				key := strconv.Itoa(status)
				if !slices.Contains(want[key], any(r.Code)) {
					want[key] = append(want[key], r.Code)
				}
			}
		}
		for status := range described[op.ID].Responses.Map() {
			if status >= "400" {
				codes := marksOf(described[op.ID], status)["x-codes"]
				assert.ElementsMatch(t, want[status], codes, "%s %s", op.ID, status)
			}
		}
	}
}

// The header that identifies a request is a UUID at the paths that demand one.
func TestRequestIDs(t *testing.T) {
	described := operationsOf(loadContract(t))
	for _, op := range contract.AllOperations() {
		header := described[op.ID].Parameters.GetByInAndName("header", op.Family.RequestID)
		if op.Family.RequestIDs == nil || !assert.NotNil(t, header, op.ID) {
			continue
		}
		assert.Error(t, header.Schema.Value.VisitJSONString("request-1"), op.ID)
		assert.NoError(t, header.Schema.Value.VisitJSONString("3f2b8c1e-6a52-4d0b-9c7e-1f5a2b3c4d5e"), op.ID)
	}
}

// Each answer and each error that an operation lists has an example. That the document has all answers, is checked
// with each exchange of a test.
func TestExamplesOfAnswers(t *testing.T) {
	described := operationsOf(loadContract(t))
	assert.Len(t, described, len(contract.AllOperations()))
	for _, op := range contract.AllOperations() {
		statuses := op.Errors
		if e := op.Example(); e.Answer != nil {
			statuses = append(slices.Clone(statuses), e.Status)
		}
		for _, status := range statuses {
			res := described[op.ID].Responses.Status(status)
			require.NotNil(t, res, "%s: %d", op.ID, status)
			assert.NotEmpty(t, res.Value.Content.Get("application/json").Example, "%s: %d", op.ID, status)
		}
	}
}

// documentedStatuses are those that the interface's document gives (section 4).
var documentedStatuses = map[string][]string{
	contract.EstatementsGetDisclosures.ID: {"200"},
	contract.EstatementsUpdateAccount.ID:  {"200"},
	contract.EstatementsUpdateUser.ID:     {"204"},
	contract.TokensRevoke.ID:              {"200", "400", "401", "500"},
	contract.GroupsList.ID:                {"200", "401", "500"},
}

// Every response that the document doesn't have says what it rests on, and no other one does: at its paths.
func TestUndocumentedResponsesAreMarked(t *testing.T) {
	for name, op := range operationsOf(loadContract(t)) {
		for status, res := range op.Responses.Map() {
			assert.NotEmpty(t, res.Value.Description, "%s %s", name, status)
			marks := marksOf(op, status)
			basis, marked := marks["x-basis"]
			if slices.Contains(documentedStatuses[name], status) {
				assert.False(t, marked, "%s %s is documented", name, status)
				continue
			}
			if assert.True(t, marked, "%s %s is not documented, and not marked", name, status) {
				bases := []string{"published", "convention", "choice"}
				// As a whole: at a path of the public description, with which the document may agree.
				if op.Extensions["x-basis"] == "published" {
					bases = append(bases, "document")
				}
				assert.Contains(t, bases, basis, "%s %s", name, status)
				assert.NotEmpty(t, marks["x-ledger"], "%s %s", name, status)
			}
		}
	}
}

// documentedFields are the members of the resources of sections 2.1 to 2.7 and of the error bodies of section 7.
var documentedFields = strings.Fields(`institutionUserDisclosures institutionId institutionDisclosureStatus
	institutionUserDisclosureStatusUpdateDateTime paperWaiver accountId institutionDisclosureName
	activateEstatement grant_type username password scopes refresh_token expires_in di_fiid di_ficustomer
	access_token refresh_token_expires_in userId institutionCustomerId userName oldPassword
	alternateCredentialValue alternateCredentialType deviceId oneTimePasscode requestChannel passwordExpiryInDays
	passwordExpiryWarningInDays passwordPostponementPeriodInDays ticket status phoneNumbers phoneNumber id
	countryCode number protocol validatedPhoneNumbers validatedEmail address validatedVipToken credentialId
	validatedTotpToken secondaryAuthCookies name value maxAge privateDevice scope description redirectUri clientId
	clientSecret grantType state additionalInfo entry key groupId groupName groupDescription groupType
	groupPlatform groupLastUpdatedDateTime groupParticipantCount groupExperience experienceName experienceId
	default groupExperienceName groupStatus noOfParticipants links rel href content page size totalElements
	totalPages alertOpted alertPreferenceAccountDetails accountExternalId cardNumber alertPreferenceDetails
	alertPrefId alertTypeName channelTypeName externalId allowCallback defaultPreferences statusMessage errorInfo
	errorType errorCode errorMessage code message`)

func TestUndocumentedFieldsAreMarked(t *testing.T) {
	fields := 0
	seen := map[*openapi3.Schema]bool{}
	var walk func(place string, ref *openapi3.SchemaRef)
	walk = func(place string, ref *openapi3.SchemaRef) {
		if ref == nil || seen[ref.Value] {
			return
		}
		seen[ref.Value] = true
		for name, property := range ref.Value.Properties {
			fields++
			if !slices.Contains(documentedFields, name) && property.Ref == "" {
				assert.Contains(t, property.Value.Extensions, "x-basis", "%s.%s", place, name)
			}
			walk(place+"."+name, property)
		}
		walk(place, ref.Value.Items)
		for _, one := range ref.Value.OneOf {
			walk(place, one)
		}
	}
	for name, op := range operationsOf(loadContract(t)) {
		if op.RequestBody != nil {
			for _, media := range op.RequestBody.Value.Content {
				walk(name, media.Schema)
			}
		}
		for status, res := range op.Responses.Map() {
			for _, media := range res.Value.Content {
				walk(name+" "+status, media.Schema)
				if strings.HasPrefix(op.Extensions["x-operation"].(string), "estatements.") && status >= "400" {
					marks := media.Schema.Value.Extensions
					assert.Contains(t, marks, "x-basis", "the body of %s %s is published", name, status)
				}
			}
		}
	}
	assert.Greater(t, fields, 150)
}
