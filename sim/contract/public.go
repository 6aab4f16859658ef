package contract

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The public interface is the document's with the changes below. These hold for all of its operations:
//   - their paths lack the prefix /digitalbanking and the segment of the family after it (see barePath);
//   - a UUID identifies each request;
//   - where an access token may be left out in the document, it must be sent;
//   - a switch whose entry has a value for the public dialect has that value.
//
// What else differs is listed: first the changes to families, then those to operations. Source: public API description.

// publicFamilies are the families that differ.
var publicFamilies = []struct {
	of      *Family
	changes []familyChange
}{
	{estatements, []familyChange{
		identifiedBy("correlationId"),
		answers(sim.DisclosuresWithoutMultistatement, 400, withoutMultistatement, EstatementsDisclosuresMultistatement),
		answers(MemberMalformed, 400, dateUnacceptable, EstatementsUpdateStatusTime),
	}},
	{tokens, []familyChange{
		answers(RequestIDMalformed, 400, requestIDUnacceptable, TokensIssueTransactionID),
		answers(MediaTypeUnknown, 400, headerUnacceptable, TokensIssueJSONBody),
		answers(MemberMissing, 400, requestUnacceptable, TokensIssueRefreshToken),
		answers(sim.AuthorizationCodeInvalid, 400, tokenUnusable, TokensIssueAuthorizationCode),
	}},
	{revocations, []familyChange{
		answers(RequestIDMalformed, 400, requestIDUnacceptable, RevokeTransactionID),
		errorBody(codeMessage(RevokeErrorBody), RevokeErrorBody),
	}},
	{groups, []familyChange{
		answers(RequestIDMissing, 400, requestIDUnacceptable, GroupsTransactionID),
		answers(RequestIDMalformed, 400, requestIDUnacceptable, GroupsTransactionID),
	}},
	{alerts, []familyChange{
		identifiedBy("transactionId"),
		answers(RequestIDMissing, 400, requestIDUnacceptable, AlertsHeaders),
		answers(RequestIDMalformed, 400, requestIDUnacceptable, AlertsHeaders),
		answers(ParameterMissing, 400, userRefused, AlertsUser),
		answers(ParametersExclude, 400, userRefused, AlertsUser),
		answers(sim.TokenOfAnotherUser, 403, permissionMissing, AlertsUser),
		answers(BodyMalformed, 400, preferenceRefused, AlertsMalformedBody),
		answers(sim.TextTooLong, 400, preferenceRefused, AlertsTextLengths),
	}},
}

// publicOperations are the operations in their order, with what differs. The id is the description's, or empty if it is
// not known.
var publicOperations = []struct {
	of      *Operation
	id      string
	changes []operationChange
}{
	{EstatementsGetDisclosures, "", []operationChange{
		takes(ofAccount, hostUserIDOrLogin, loginIDOrHost, correlationID),
		returns(Answer{Status: 200, About: "The disclosures.", Body: disclosuresInPublic, Members: EstatementsDisclosuresAnswer}),
		refuses(sim.DisclosuresWithoutMultistatement),
	}},
	{EstatementsUpdateAccount, "", []operationChange{
		takes(hostUserIDOrLogin, loginIDOrHost, correlationID),
		withMember(StatusUpdatedAt),
		returns(Answer{Status: 204, About: "The preference is changed.", Switched: EstatementsUpdateAccountStatus, Value: "204"}),
		refuses(MemberMalformed),
	}},
	{EstatementsUpdateUser, "", []operationChange{
		takes(hostUserIDOrLogin, loginIDOrHost, correlationID),
		withMember(StatusUpdatedAt),
		refuses(MemberMalformed),
		neverRefuses(sim.MultistatementNotConfigured),
	}},
	{TokensIssue, "createAccessTokenV2", []operationChange{
		withoutMember("token"),
		describesMember("grant_type", "client_credentials, password, refresh_token or authorization_code."),
		describesMember("username", "Of the grant password."),
		describesMember("password", "Of the grant password."),
		describesMember("refresh_token", "Of the grant refresh_token."),
		withMember(member("code", textType("Of the grant authorization_code."), secret, rests(TokensIssueAuthorizationCode))),
		formOnly,
		returns(Answer{Status: 200, About: "The tokens.", Body: issuedInPublic, Members: TokensIssueAnswer}),
		refuses(MemberMissing, sim.AuthorizationCodeInvalid),
		neverRefuses(refusesJSONBodies...),
	}},
	{TokensRevoke, "revokeAccessTokenV2", []operationChange{
		about("Revokes the token that the form names, a refresh token with all access tokens that were issued from it. " +
			"The body has to be sent with the DELETE."),
		withoutParameter("institutionId"),
		requests(member("token", textType("The access or refresh token to revoke."), required, secret, rests(RevokeByToken))),
		formOnly,
		returns(Answer{Status: 204, About: "The token is revoked.", Switched: RevokeResponse, Value: string(sim.RevokeNoContent)}),
		neverRefuses(refusesJSONBodies...),
		neverRefuses(sim.UserCredentialsWrong, InstitutionMissing, sim.ClientNotOfInstitution),
	}},
	{TokensAuthorizeClient, "authorizeClientV1", nil},
	{TokensCreateCode, "generateAuthorizationCodeV1", nil},
	{GroupsCreate, "", []operationChange{
		ofTokensInstitution,
		withoutMember("groupId"),
		returns(Answer{Status: 200, About: "The group is created.", Body: groupInPublic, Members: GroupsCreateAnswer,
			Switched: GroupsCreateStatus, Value: "200"}),
	}},
	{GroupsList, "", []operationChange{ofTokensInstitution}},
	{GroupsUpdate, "updateExperienceGroupV3", []operationChange{
		ofTokensInstitution,
		withoutMember("groupId"),
		returns(Answer{Status: 200, About: "The group is updated.", Body: groupInPublic, Members: GroupsUpdateAnswer}),
	}},
	{GroupsDelete, "deleteExperienceGroupV3", []operationChange{ofTokensInstitution}},
	{GroupsUploadParticipants, "uploadExperienceGroupParticipantsV3", []operationChange{ofTokensInstitution}},
	{JobsList, "listJobsV3", []operationChange{ofTokensInstitution}},
	{JobsGet, "getJobV3", []operationChange{ofTokensInstitution}},
	{JobsListErrors, "getJobErrorsV3", []operationChange{ofTokensInstitution}},
	{AlertsCreatePreference, "", []operationChange{ofNamedUser}},
	{AlertsListPreferences, "listAlertPreferencesV1", []operationChange{ofNamedUser}},
	{AlertsGetPreference, "getAlertPreferenceV1", []operationChange{ofNamedUser}},
	{AlertsUpdatePreference, "updateAlertPreferenceV1", []operationChange{ofNamedUser}},
	{AlertsDeletePreference, "deleteAlertPreferenceV1", []operationChange{ofNamedUser}},
	{AlertsListInstitutionTypes, "listInstitutionAlertTypesV1", []operationChange{ofTokensAlerts}},
	{AlertsListInstitutionPreferences, "listInstitutionAlertPreferencesV1", []operationChange{ofTokensAlerts}},
	{DisclosuresListUser, "listUserDisclosuresV1", []operationChange{withParameter(businessLocation)}},
	{DisclosuresCreateUser, "createUserDisclosureV1", []operationChange{withParameter(businessLocation)}},
	{DisclosuresUpdateUser, "updateUserDisclosureV1", []operationChange{withParameter(businessLocation)}},
	{DisclosuresDeleteUser, "deleteUserDisclosureV1", []operationChange{withParameter(businessLocation)}},
	{DisclosuresListInstitution, "listInstitutionDisclosuresV1", nil},
	{UsersGetStatus, "getUserStatusV1", nil},
}

// Changes that several operations share.

// ofTokensInstitution: the institution is always the one of the access token.
func ofTokensInstitution(op *Operation) {
	withoutParameter("institutionId")(op)
	neverRefuses(sim.InstitutionUnknown)(op)
}

// ofTokensAlerts: the alerts are those of the token's institution, and no header names it.
func ofTokensAlerts(op *Operation) {
	withoutParameter("fiid")(op)
	neverRefuses(HeaderMissing, sim.InstitutionUnknown)(op)
}

// ofNamedUser: the query names the user, not the header userid.
func ofNamedUser(op *Operation) {
	ofTokensAlerts(op)
	withoutParameter("userid")(op)
	op.Parameters = slices.Insert(op.Parameters, 1, hostUserIDOrLogin, loginIDOrHost,
		inHeader("institutionCustomerId", "The location of a business user: without effect.", false).resting(AlertsBusinessUser))
	refuses(sim.TokenOfAnotherUser, ParameterMissing, ParametersExclude)(op)
}

// Public returns the interface as the public API description has it.
var Public = sync.OnceValue(func() *Interface {
	i := Interface{Dialect: sim.DialectPublic, DisclosureTime: "2006-01-02T15:04:05-07:00", ShortOfLifetime: 1}
	inPublic := map[*Family]*Family{}
	for _, f := range families {
		inPublic[f] = publicFamily(f)
		i.Families = append(i.Families, inPublic[f])
	}
	standard := NewPolicies(sim.DefaultBehavior()).Public
	for _, change := range publicOperations {
		op := publicOperation(change.of, inPublic[change.of.Family], change.changes, standard)
		op.PublishedID = change.id
		i.Operations = append(i.Operations, op)
		start, _, _ := strings.Cut(op.Path, "{")
		i.prefixes = append(i.prefixes, prefix{start, op.Family})
	}
	return newInterface(i)
})

// publicFamily returns a family of the document with the changes of the public dialect.
func publicFamily(of *Family) *Family {
	f := *of
	f.Dialect, f.Refusals, f.ErrorRests = sim.DialectPublic, slices.Clone(f.Refusals), slices.Clone(f.ErrorRests)
	for _, differing := range publicFamilies {
		if differing.of == of {
			for _, change := range differing.changes {
				change(&f)
			}
		}
	}
	f.ErrorRests = append(f.ErrorRests, EverywhereDialect)
	f.RequestIDs = f.requestIDs()
	return &f
}

// publicOperation returns an operation of the document with the changes of the public dialect, in its family there.
func publicOperation(of *Operation, f *Family, changes []operationChange, standard *sim.Policy) *Operation {
	op := *of
	op.Dialect, op.ID, op.Family = sim.DialectPublic, "public"+capitalized(of.ID), f
	op.Path = barePath(of.Path)
	op.Rests = []*Entry{EverywherePublicPaths}
	op.Documented = nil
	if op.Security == OptionalBearer {
		op.Security = Bearer
	}
	op.Parameters, op.Refuses = slices.Clone(of.Parameters), slices.Clone(of.Refuses)
	op.Answers = slices.DeleteFunc(slices.Clone(of.Answers), func(a Answer) bool {
		return a.Switched != nil && a.Switched.isFixed() && a.Switched.Public.Value != a.Value
	})
	op.Errors = slices.DeleteFunc(slices.Clone(of.Errors), func(status int) bool { // a switch has replaced it
		return status == http.StatusUnauthorized && of.Family.Unauthorized != nil
	})
	for _, change := range changes {
		change(&op)
	}
	op.Parameters = f.identifiedByUUID(op.Parameters)
	op.Refuses = slices.DeleteFunc(op.Refuses, func(rule sim.Code) bool {
		r := f.Refusal(rule)
		return r.Entry.isFixed() && !r.AppliesUnder(standard)
	})
	if !slices.Contains(op.Refuses, RequestIDMalformed) {
		op.Refuses = append(op.Refuses, RequestIDMalformed)
	}
	op.Uses = append(slices.Clone(of.Uses), EverywhereDialect)
	return &op
}

// unprefixed is a segment of the paths that both dialects have.
const unprefixed = "oauth2"

// barePath returns the path of an operation in the public dialect: release 1.6.1 has dropped the prefix, and the family
// after it (published).
func barePath(path string) string {
	rest := strings.TrimPrefix(path, DocumentPrefix)
	family, bare, _ := strings.Cut(rest, "/")
	if family == unprefixed {
		return "/" + rest
	}
	return "/" + bare
}

// UUID matches a UUID in either case of its letters.
var UUID = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
