package contract

import (
	"maps"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// contractOperation is an operation as the OpenAPI document describes it.
type contractOperation struct {
	name, method, path, summary string
	mark                        mark // of an operation that the interface's document doesn't have
	requestID                   string
	security                    []map[string][]string
	parameters                  []parameter
	request                     *schema // nil: no body
	jsonMark                    mark    // of a JSON body
	formMark                    *mark   // of a form-urlencoded body; nil: it is not taken
	noStore                     bool    // whether answers are kept out of caches
	answers                     []contractResponse
	errorBody                   func(codes []string) *schema
}

// contractResponse is what the golden exchanges don't say of the answers of a status.
type contractResponse struct {
	status      int
	description string
	documented  bool      // whether the interface's document has the status
	body        *schema   // nil: none or, from 300 on, the error body
	emptyBody   bool      // whether the body may be missing
	switched    sim.Basis // of an answer that only a switch selects
	codes       []string  // of errors
	entries     []string
}

var (
	bearerNeeded   = []map[string][]string{{"bearer": {}}}
	bearerOptional = []map[string][]string{{}, {"bearer": {}}}
	basicNeeded    = []map[string][]string{{"basic": {}}}
)

func inHeader(name, description string, required bool) parameter {
	return parameter{Name: name, In: "header", Required: required, Description: description, Schema: &schema{Type: "string", MinLength: 1}}
}

func inQuery(name, description string, required bool, s *schema) parameter {
	return parameter{Name: name, In: "query", Required: required, MayBeEmpty: !required, Description: description, Schema: s}
}

func markedParameter(p parameter, ids ...string) parameter {
	p.mark = by(ids...)
	return p
}

var (
	correlationID = inHeader("correlationid", "Identifies the request.", true)
	transactionID = inHeader("transactionId", "Identifies the request; a new one for each.", true)
	hostUserID    = inQuery("hostUserId", "The user.", true, &schema{Type: "string", MinLength: 1})
	numericID     = parameter{Name: "institutionId", In: "header", Required: true, Description: "The institution.",
		Schema: &schema{Type: "string", Pattern: `^\d+$`}}
	namedInstitution = markedParameter(inHeader("institutionId", "The institution of a request without credentials.", false), "groups.institution")

	accountPreference = sent(fields{"activateEstatement": boolean("true: electronic; false: paper."), "accountId": text("")}, "activateEstatement", "accountId")
	userPreference    = sent(fields{"activateEstatement": boolean("true: electronic; false: paper.")}, "activateEstatement")
	newGroup          = sent(fields{
		"groupId":          text("Ignored, unless a scenario honours it."),
		"groupName":        (&schema{Type: "string", MinLength: 1, MaxLength: 50, Pattern: `\S`}).marked("groups.create.required", "groups.create.name-limit"),
		"groupDescription": (&schema{Type: "string", MaxLength: 450}).marked("groups.create.description-limit"),
	}, "groupName")
)

const groupsPath = "/digitalbanking/groups/v3/groups"

// contract is the interface, in the order of its document.
var contract = []contractOperation{
	{
		name: "estatements.getDisclosures", method: http.MethodGet,
		path:    "/digitalbanking/ux-users/v1/e-statements/{accountId}/disclosures",
		summary: "The disclosures of one account", requestID: "correlationid", security: bearerNeeded,
		parameters: []parameter{{Name: "accountId", In: "path", Required: true, Description: "The account.", Schema: text("")}, hostUserID, correlationID},
		answers:    []contractResponse{{status: 200, description: "The disclosures.", documented: true, body: ref("Disclosures")}},
		errorBody:  estatementErrorBody,
	},
	{
		name: "estatements.updateAccount", method: http.MethodPut,
		path:    "/digitalbanking/ux-users/v1/e-statements/preference",
		summary: "Update the preference for one account", requestID: "correlationid", security: bearerNeeded,
		parameters: []parameter{hostUserID, correlationID}, request: accountPreference,
		answers: []contractResponse{
			{status: 200, description: "The preference is changed.", documented: true},
			{status: 204, description: "The preference is changed; only where a scenario says so.", switched: sim.BasisConvention},
		},
		errorBody: estatementErrorBody,
	},
	{
		name: "estatements.updateUser", method: http.MethodPut,
		path:    "/digitalbanking/ux-users/v2/e-statements/user/preferences",
		summary: "Update the preference for all accounts of the user", requestID: "correlationid", security: bearerNeeded,
		parameters: []parameter{hostUserID, correlationID}, request: userPreference,
		answers:   []contractResponse{{status: 204, description: "The preferences are changed.", documented: true}},
		errorBody: estatementErrorBody,
	},
	{
		name: "tokens.issue", method: http.MethodPost,
		path:    "/digitalbanking/oauth2/v1/token",
		summary: "Issue tokens", mark: by("tokens.issue.operation"), requestID: "transactionId", security: basicNeeded,
		parameters: []parameter{markedParameter(numericID, "tokens.issue.operation"), markedParameter(transactionID, "tokens.issue.operation")},
		request:    tokenRequestBody("grant_type"), jsonMark: by("tokens.issue.json-body"), formMark: ptr(by("tokens.issue.operation")),
		noStore:   true,
		answers:   []contractResponse{{status: 200, description: "The tokens.", body: ref("IssuedTokens")}},
		errorBody: tokenErrorBody,
	},
	{
		name: "tokens.revoke", method: http.MethodDelete,
		path:    "/digitalbanking/oauth2/v1/revoke",
		summary: "Revoke tokens: a DELETE with a body", requestID: "transactionId", security: basicNeeded,
		parameters: []parameter{numericID, transactionID},
		request:    tokenRequestBody(), formMark: ptr(by("revoke.form-body")),
		noStore: true,
		answers: []contractResponse{
			{status: 200, description: "The tokens are revoked.", documented: true, emptyBody: true,
				body: &schema{OneOf: []*schema{ref("TokenResponse"), ref("AuthenticationResult")}}},
			{status: 204, description: "The tokens are revoked; only where a scenario says so.", switched: sim.BasisChoice},
		},
		errorBody: revocationErrorBody,
	},
	{
		name: "groups.create", method: http.MethodPost, path: groupsPath,
		summary: "Create a group", requestID: "transactionId", security: bearerOptional,
		parameters: []parameter{transactionID, namedInstitution}, request: newGroup,
		answers: []contractResponse{
			{status: 200, description: "The group is created.", body: ref("Group")},
			{status: 201, description: "The group is created; only where a scenario says so.", body: ref("Group"), switched: sim.BasisConvention},
		},
		errorBody: groupErrorBody,
	},
	{
		name: "groups.list", method: http.MethodGet, path: groupsPath,
		summary: "List groups", requestID: "transactionId", security: bearerOptional,
		parameters: []parameter{
			transactionID, namedInstitution,
			inQuery("sort", "property[,property…][,asc|desc]; repeatable.", false, list(text(""))),
			inQuery("size", "Groups on a page.", false, integer("", 1)),
			inQuery("page", "The page, from 0.", false, integer("", 0)),
		},
		answers:   []contractResponse{{status: 200, description: "A page of groups.", documented: true, body: ref("GroupPage")}},
		errorBody: groupErrorBody,
	},
	{
		name: "alerts.createPreference", method: http.MethodPost,
		path:    "/digitalbanking/db-alerts-preferences/v1/alert-preferences",
		summary: "Create an alert preference of a user", requestID: "transactionid", security: bearerNeeded,
		parameters: []parameter{
			inHeader("fiid", "The institution.", true), inHeader("transactionid", "Identifies the request.", true),
			inHeader("userid", "The user.", true),
		},
		request: sent(alertFields(false)),
		answers: []contractResponse{
			{status: 200, description: "The preference is created; only where a scenario says so.", body: ref("AlertPreference"), switched: sim.BasisChoice},
			{status: 201, description: "The preference is created.", body: ref("AlertPreference")},
		},
		errorBody: alertErrorBody,
	},
}

// faultCodes are what the operations answer to an unexpected fault, where they have a code of their own.
var faultCodes = map[string]struct{ code, entry string }{
	"tokens.issue":  {"CMN_90000", "tokens.issue.internal-fault"},
	"tokens.revoke": {"CMN_90000", "revoke.internal-fault"},
	"groups.create": {"2001", "groups.server-fault"},
	"groups.list":   {"2001", "groups.server-fault"},
}

// documentedErrors are the error statuses that the interface's document has (sections 4.4 and 4.6).
var documentedErrors = map[string][]int{"tokens.revoke": {400, 401, 500}, "groups.list": {401, 500}}

// responses returns all answers of the operation.
func (c contractOperation) responses() []contractResponse {
	errors := []contractResponse{
		{status: 400, description: "The request is wrong, or a rule of the bank refuses it.", entries: []string{"everywhere.fault-header"},
			codes: []string{"BANKSIM_FAULT_HEADER"}},
		{status: 401, description: "The credentials are missing or don't work."},
		{status: 501, description: "A strict simulator doesn't answer what rests on a choice of its own.", entries: []string{"everywhere.strict"},
			codes: []string{"BANKSIM_STRICT"}},
	}
	fault := contractResponse{status: 500, description: "An unexpected fault.", codes: []string{"BANKSIM_INTERNAL"}, entries: []string{"everywhere.internal-fault"}}
	if own, ok := faultCodes[c.name]; ok {
		fault.codes, fault.entries = []string{own.code}, []string{own.entry}
	}
	errors = append(errors, fault)
	if c.request != nil {
		errors = append(errors, contractResponse{status: 413, description: "The body is too large.",
			codes: []string{"BANKSIM_BODY_TOO_LARGE"}, entries: []string{"everywhere.body-size"}})
	}
	if c.request != nil && c.name != "tokens.revoke" {
		errors = append(errors, contractResponse{status: 415, description: "The body is of another content type."})
	}
	if c.requestID == "correlationid" {
		errors = append(errors,
			contractResponse{status: 403, description: "The token is bound to another user."},
			contractResponse{status: 404, description: "The token's institution has no such user."})
	}
	if c.name == "tokens.issue" {
		errors = append(errors, contractResponse{status: 403, description: "The client is not registered with the institution."})
	}
	for i := range errors {
		errors[i].documented = slices.Contains(documentedErrors[c.name], errors[i].status)
	}
	return append(slices.Clone(c.answers), errors...)
}

// Answer returns the entry that decides what an operation answers to a request that it accepts.
func Answer(operation string) *Entry { return Must(answerEntries[operation]) }

var answerEntries = map[string]string{
	"estatements.getDisclosures": "estatements.disclosures.answer",
	"estatements.updateAccount":  "estatements.update-account.status",
	"estatements.updateUser":     "estatements.update-user.status",
	"tokens.issue":               "tokens.issue.operation",
	"tokens.revoke":              "revoke.response",
	"groups.create":              "groups.create.status",
	"groups.list":                "groups.list.answer",
	"alerts.createPreference":    "alerts.create.status",
}

func ptr[T any](v T) *T { return &v }

func sortedNames(all fields) []string { return slices.Sorted(maps.Keys(all)) }
