package contract

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The public interface is the interface of the document with some changes. Four changes hold for all operations:
//   - The path lacks the prefix /digitalbanking and the segment of the family after it (see barePath).
//   - A UUID identifies each request.
//   - An access token that may be left out in the document is required.
//   - A switch has the value that its entry fixes for the public dialect.
//
// The two lists below have the other differences of families and operations. Function Public sets what differs in the
// interface as a whole. Entries say what they answer in the public dialect. The source is the public API description.

// publicFamilies lists what differs in families.
var publicFamilies = []struct {
	of      *Family
	changes []familyChange
}{
	{estatements, []familyChange{
		identifiedBy("correlationId"),
		refusesWith(sim.DisclosuresWithoutMultistatement, 400, withoutMultistatement,
			EstatementsDisclosuresMultistatement),
		refusesWith(MemberMalformed, 400, dateUnacceptable, EstatementsUpdateStatusTime),
	}},
	{tokens, []familyChange{
		refusesWith(RequestIDMalformed, 400, requestIDUnacceptable, TokensIssueTransactionID),
		refusesWith(MediaTypeUnknown, 400, headerUnacceptable, TokensIssueJSONBody),
		refusesWith(MemberMissing, 400, requestUnacceptable, TokensIssueRefreshToken),
	}},
	{revocations, []familyChange{
		refusesWith(RequestIDMalformed, 400, requestIDUnacceptable, RevokeTransactionID),
		errorBody(codeMessage(RevokeErrorBody), RevokeErrorBody),
	}},
	{groups, []familyChange{
		refusesWith(RequestIDMissing, 400, requestIDUnacceptable, GroupsTransactionID),
		refusesWith(RequestIDMalformed, 400, requestIDUnacceptable, GroupsTransactionID),
	}},
	{alerts, []familyChange{
		identifiedBy("transactionId"),
		refusesWith(RequestIDMissing, 400, requestIDUnacceptable, AlertsHeaders),
		refusesWith(RequestIDMalformed, 400, requestIDUnacceptable, AlertsHeaders),
		refusesWith(ParameterMissing, 400, userRefused, AlertsUser),
		refusesWith(ParametersExclude, 400, userRefused, AlertsUser),
		refusesWith(sim.TokenOfAnotherUser, 403, permissionMissing, AlertsUser),
		refusesWith(BodyMalformed, 400, preferenceRefused, AlertsMalformedBody),
		refusesWith(sim.TextTooLong, 400, preferenceRefused, AlertsTextLengths),
	}},
}

// publicOperations lists all operations in their order, with what differs.
var publicOperations = []struct {
	of      *Operation
	changes []operationChange
}{
	{EstatementsGetDisclosures, []operationChange{
		takes(ofAccount, hostUserIDOrLogin, loginIDOrHost, correlationID),
		returns(Answer{
			Status: 200, About: "The disclosures.", Body: disclosuresInPublic, Members: EstatementsDisclosuresAnswer,
		}),
		refuses(sim.DisclosuresWithoutMultistatement),
	}},
	{EstatementsUpdateAccount, []operationChange{
		takes(hostUserIDOrLogin, loginIDOrHost, correlationID),
		withMember(StatusUpdatedAt),
		returns(Answer{
			Status: 204, About: "The preference is changed.",
			Switched: EstatementsUpdateAccountStatus, Value: "204",
		}),
		refuses(MemberMalformed),
	}},
	{EstatementsUpdateUser, []operationChange{
		takes(hostUserIDOrLogin, loginIDOrHost, correlationID),
		withMember(StatusUpdatedAt),
		refuses(MemberMalformed),
		neverRefuses(sim.MultistatementNotConfigured),
	}},
	{TokensIssue, []operationChange{
		withoutMember("token"),
		describesMember("username", "Of the grant password."),
		describesMember("password", "Of the grant password."),
		describesMember("refresh_token", "Of the grant refresh_token."),
		formOnly,
		returns(Answer{Status: 200, About: "The tokens.", Body: issuedInPublic, Members: TokensIssueAnswer}),
		refuses(MemberMissing),
		neverRefuses(refusesJSONBodies...),
	}},
	{TokensRevoke, []operationChange{
		describedAs("Revokes the token that the form names, a refresh token with all access tokens that were issued " +
			"from it. The body has to be sent with the DELETE."),
		withoutParameter("institutionId"),
		requests(member("token", textType("The access or refresh token to revoke."),
			required, secret, cites(RevokeByToken))),
		formOnly,
		returns(Answer{
			Status: 204, About: "The token is revoked.",
			Switched: RevokeResponse, Value: string(sim.RevokeNoContent),
		}),
		neverRefuses(refusesJSONBodies...),
		neverRefuses(sim.UserCredentialsWrong, InstitutionMissing, sim.ClientNotOfInstitution),
	}},
	{TokensAuthorizeClient, nil},
	{TokensCreateCode, nil},
	{GroupsCreate, []operationChange{
		ofTokensInstitution,
		withoutMember("groupId"),
		returns(Answer{
			Status: 200, About: "The group is created.", Body: groupInPublic, Members: GroupsCreateAnswer,
			Switched: GroupsCreateStatus, Value: "200",
		}),
	}},
	{GroupsList, []operationChange{ofTokensInstitution}},
	{GroupsUpdate, []operationChange{
		ofTokensInstitution,
		withoutMember("groupId"),
		returns(Answer{Status: 200, About: "The group is updated.", Body: groupInPublic, Members: GroupsUpdateAnswer}),
	}},
	{GroupsDelete, []operationChange{ofTokensInstitution}},
	{GroupsUploadParticipants, []operationChange{ofTokensInstitution}},
	{JobsList, []operationChange{ofTokensInstitution}},
	{JobsGet, []operationChange{ofTokensInstitution}},
	{JobsListErrors, []operationChange{ofTokensInstitution}},
	{AlertsCreatePreference, []operationChange{ofNamedUser}},
	{AlertsListPreferences, []operationChange{ofNamedUser}},
	{AlertsGetPreference, []operationChange{ofNamedUser}},
	{AlertsUpdatePreference, []operationChange{ofNamedUser}},
	{AlertsDeletePreference, []operationChange{ofNamedUser}},
	{AlertsListInstitutionTypes, []operationChange{ofTokensAlerts}},
	{AlertsListInstitutionPreferences, []operationChange{ofTokensAlerts}},
	{DisclosuresListUser, []operationChange{withParameter(businessLocation)}},
	{DisclosuresCreateUser, []operationChange{withParameter(businessLocation)}},
	{DisclosuresUpdateUser, []operationChange{withParameter(businessLocation)}},
	{DisclosuresDeleteUser, []operationChange{withParameter(businessLocation)}},
	{DisclosuresListInstitution, nil},
	{UsersGetStatus, nil},
}

// Changes that several operations share.

// ofTokensInstitution makes the institution of the access token the only one that an operation is for.
func ofTokensInstitution(op *Operation) {
	withoutParameter("institutionId")(op)
	neverRefuses(sim.InstitutionUnknown)(op)
}

// ofTokensAlerts does the same for an operation on alerts, where the header fiid names the institution.
func ofTokensAlerts(op *Operation) {
	withoutParameter("fiid")(op)
	neverRefuses(HeaderMissing, sim.InstitutionUnknown)(op)
}

// ofNamedUser makes the query name the user of alerts, in place of the header userid.
func ofNamedUser(op *Operation) {
	ofTokensAlerts(op)
	withoutParameter("userid")(op)
	location := inHeader("institutionCustomerId", "The location of a business user: without effect.", false)
	op.Parameters = slices.Insert(op.Parameters, 1,
		hostUserIDOrLogin, loginIDOrHost, location.resting(AlertsBusinessUser))
	refuses(sim.TokenOfAnotherUser, ParameterMissing, ParametersExclude)(op)
}

// Public returns the interface as the public API description describes it.
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
		op.PublishedID = publishedID(op.Name)
		i.Operations = append(i.Operations, op)
		start, _, _ := strings.Cut(op.Path, "{")
		i.prefixes = append(i.prefixes, prefix{start, op.Family})
	}
	return newInterface(i)
})

// publicFamily returns a family in the public dialect.
func publicFamily(of *Family) *Family {
	f := *of
	f.Dialect, f.Refusals, f.ErrorCites = sim.DialectPublic, slices.Clone(f.Refusals), slices.Clone(f.ErrorCites)
	for _, differing := range publicFamilies {
		if differing.of == of {
			for _, change := range differing.changes {
				change(&f)
			}
		}
	}
	f.ErrorCites = append(f.ErrorCites, EverywhereDialect)
	f.RequestIDs = f.requestIDs()
	return &f
}

// publicOperation returns an operation in the public dialect. f is its family in that dialect.
func publicOperation(of *Operation, f *Family, changes []operationChange, standard *sim.Policy) *Operation {
	op := *of
	op.Dialect, op.ID, op.Family = sim.DialectPublic, "public"+capitalized(of.ID), f
	op.Path = barePath(of.Path)
	op.Cites = []*Entry{EverywherePublicPaths}
	op.Documented = nil
	if op.Security == OptionalBearer {
		op.Security = Bearer
	}
	op.Parameters, op.Refuses = slices.Clone(of.Parameters), slices.Clone(of.Refuses)
	op.Answers = slices.DeleteFunc(slices.Clone(of.Answers), func(a Answer) bool {
		return a.Switched != nil && a.Switched.isFixed() && a.Switched.Public.Value != a.Value
	})
	op.Errors = slices.Clone(of.Errors)
	if of.Family.Unauthorized != nil { // its switch replaces the status 401
		op.Errors = slices.DeleteFunc(op.Errors, func(status int) bool { return status == http.StatusUnauthorized })
	}
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

// oauthSegment is the one segment after the prefix that public paths keep.
const oauthSegment = "oauth2"

// barePath returns the public path for a path of the document. Release 1.6.1 dropped the prefix and the segment of the
// family after it (published).
func barePath(path string) string {
	rest := strings.TrimPrefix(path, DocumentPrefix)
	segment, bare, _ := strings.Cut(rest, "/")
	if segment == oauthSegment {
		return "/" + rest
	}
	return "/" + bare
}

// UUID matches a UUID in either case of its letters.
var UUID = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
