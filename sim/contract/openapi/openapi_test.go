package openapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
)

// loadContract reads the OpenAPI document as any tool does.
func loadContract(t *testing.T) *openapi3.T {
	return load(t, "http://bank.example")
}

func load(t *testing.T, url string) *openapi3.T {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document(url))
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

// The document is valid, and so is every example in it.
func TestOpenAPIIsValid(t *testing.T) {
	doc := loadContract(t)
	assert.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation()))
	assert.Equal(t, "3.0.3", doc.OpenAPI)
}

func TestOpenAPIHasEveryOperationAndStatus(t *testing.T) {
	described := operationsOf(loadContract(t))
	assert.Len(t, described, len(contract.AllOperations()))
	for _, op := range contract.AllOperations() {
		if !assert.Contains(t, described, op.ID) {
			continue
		}
		for _, a := range op.Answers {
			assert.NotNil(t, described[op.ID].Responses.Status(a.Status), "%s: %d", op.ID, a.Status)
		}
		for _, status := range op.Errors {
			if res := described[op.ID].Responses.Status(status); assert.NotNil(t, res, "%s: %d", op.ID, status) {
				assert.NotEmpty(t, res.Value.Content.Get("application/json").Example, "%s: %d", op.ID, status)
			}
		}
		if e := op.Example(); e.Answer != nil {
			assert.NotEmpty(t, described[op.ID].Responses.Status(e.Status).Value.Content.Get("application/json").Example, op.ID)
		}
	}
}

// documentedStatuses are those that the interface's document gives (section 4).
var documentedStatuses = map[string][]string{
	contract.EstatementsGetDisclosures.Name: {"200"},
	contract.EstatementsUpdateAccount.Name:  {"200"},
	contract.EstatementsUpdateUser.Name:     {"204"},
	contract.TokensRevoke.Name:              {"200", "400", "401", "500"},
	contract.GroupsList.Name:                {"200", "401", "500"},
}

// Every response that the document doesn't have says what it rests on, and no other one does: at its paths.
func TestUndocumentedResponsesAreMarked(t *testing.T) {
	for name, op := range operationsOf(loadContract(t)) {
		for status, res := range op.Responses.Map() {
			assert.NotEmpty(t, res.Value.Description, "%s %s", name, status)
			basis, marked := res.Value.Extensions["x-basis"]
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
				assert.NotEmpty(t, res.Value.Extensions["x-ledger"], "%s %s", name, status)
			}
		}
	}
}

// documentedFields are the members of the resources of sections 2.1 to 2.7 and of the error bodies of section 7.
var documentedFields = strings.Fields(`institutionUserDisclosures institutionId institutionDisclosureStatus
	institutionUserDisclosureStatusUpdateDateTime paperWaiver accountId institutionDisclosureName activateEstatement
	grant_type username password scopes refresh_token expires_in di_fiid di_ficustomer access_token refresh_token_expires_in
	userId institutionCustomerId userName oldPassword alternateCredentialValue alternateCredentialType deviceId oneTimePasscode
	requestChannel passwordExpiryInDays passwordExpiryWarningInDays passwordPostponementPeriodInDays ticket status phoneNumbers
	phoneNumber id countryCode number protocol validatedPhoneNumbers validatedEmail address validatedVipToken credentialId
	validatedTotpToken secondaryAuthCookies name value maxAge privateDevice scope description redirectUri clientId clientSecret
	grantType state additionalInfo entry key groupId groupName groupDescription groupType groupPlatform groupLastUpdatedDateTime
	groupParticipantCount groupExperience experienceName experienceId default groupExperienceName groupStatus noOfParticipants
	links rel href content page size totalElements totalPages alertOpted alertPreferenceAccountDetails accountExternalId cardNumber
	alertPreferenceDetails alertPrefId alertTypeName channelTypeName externalId allowCallback defaultPreferences
	statusMessage errorInfo errorType errorCode errorMessage code message`)

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
				if place := name + " " + status; strings.HasPrefix(name, "estatements") && status[0] >= '4' {
					assert.Contains(t, media.Schema.Value.Extensions, "x-basis", "the error body of %s is published", place)
				}
			}
		}
	}
	assert.Greater(t, fields, 150)
}
