package simtest

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
)

// asked is a request, as far as it raises questions that the ledger answers.
type asked struct {
	*http.Request
	op    *contract.Operation
	query url.Values
	body  map[string]any // of JSON or a form; nil: there is none that can be read
}

func newAsked(r *http.Request, op *contract.Operation) asked {
	a := asked{Request: r, op: op, query: r.URL.Query()}
	if r.GetBody == nil || op.Request == nil {
		return a
	}
	body, err := r.GetBody()
	if err != nil {
		return a
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return a
	}
	a.body, _ = match.Content(data, r.Header.Get("Content-Type")).(map[string]any) // what can't be read raises no question
	return a
}

// question is something about a request of which an entry of the ledger says what it means.
type question struct {
	entry  *contract.Entry
	raised func(a asked) bool
	always bool // whether it is cited in a refusal, too
}

// questions are found in the request alone, without a look at the bank.
var questions = []question{
	{contract.EverywhereUnknownParameters, func(a asked) bool {
		for name := range a.query {
			if !a.op.TakesQuery(name) {
				return true
			}
		}
		return false
	}, true},
	{contract.EverywhereUnknownParameters, func(a asked) bool {
		_, err := url.ParseQuery(a.URL.RawQuery)
		return err != nil
	}, true},
	{contract.EverywhereRepeatedParameter, func(a asked) bool {
		return slices.ContainsFunc([]string{"page", "size"}, func(name string) bool { return a.op.TakesQuery(name) && len(a.query[name]) > 1 })
	}, false},
	{contract.EverywhereUnknownMembers, func(a asked) bool { return a.op.Multipart == nil && a.hasUnknownMember() }, false},
	{contract.GroupsUploadUnknownPart, func(a asked) bool { return a.op.Multipart != nil && a.hasUnknownMember() }, false},
	{contract.GroupsUploadTypeCase, func(a asked) bool {
		kind, _ := a.body["type"].(string)
		return a.op.Multipart != nil && strings.ToUpper(kind) != kind
	}, false},
	{contract.GroupsListOrder, func(a asked) bool { return a.is(contract.GroupsList) && !a.query.Has("sort") }, false},
	{contract.GroupsListSortMembers, func(a asked) bool {
		return a.is(contract.GroupsList) && slices.ContainsFunc(a.query["sort"], func(sort string) bool {
			properties := strings.Split(sort, ",")
			return slices.Contains(properties, "noOfParticipants") || slices.Contains(properties, "groupType")
		})
	}, false},
	{contract.GroupsListDefaultSize, func(a asked) bool { return a.op.TakesQuery("size") && a.query.Get("size") == "" }, false},
	{contract.GroupsCreateNoDescription, func(a asked) bool { return a.is(contract.GroupsCreate) && !a.has("groupDescription") }, false},
	{contract.GroupsCreateTypes, func(a asked) bool {
		return a.is(contract.GroupsCreate) && (a.has("groupType") || a.has("groupPlatform"))
	}, false},
	{contract.GroupsCreateGroupID, func(a asked) bool { return a.is(contract.GroupsCreate) && a.has("groupId") }, false},
	{contract.GroupsUpdateNoDescription, func(a asked) bool { return a.is(contract.GroupsUpdate) && !a.has("groupDescription") }, false},
	{contract.GroupsUpdateIgnored, func(a asked) bool {
		return a.is(contract.GroupsUpdate) && (a.has("groupId") || a.has("groupType") || a.has("groupPlatform"))
	}, false},
	{contract.JobsListOrder, func(a asked) bool { return a.is(contract.JobsList) && !a.query.Has("sort") }, false},
	{contract.JobsErrorsOrder, func(a asked) bool { return a.is(contract.JobsListErrors) && !a.query.Has("sort") }, false},
	{contract.RevokeSeveralTokens, asked.namesSeveralGrants, false},
	{contract.RevokeFormBody, func(a asked) bool {
		return a.is(contract.TokensRevoke) && strings.Contains(a.Header.Get("Content-Type"), "form")
	}, false},
	{contract.TokensIssueRefresh, func(a asked) bool { return a.is(contract.TokensIssue) && a.body["grant_type"] == "refresh_token" }, false},
	{contract.TokensIssueInstitutionID, func(a asked) bool {
		return a.is(contract.TokensIssue) && a.Header.Get("institutionId") == ""
	}, false},
	{contract.EstatementsUpdateOff, func(a asked) bool { return a.has("activateEstatement") && a.body["activateEstatement"] == false }, false},
	{contract.AlertsCreateNoEffect, func(a asked) bool {
		return a.has("allowCallback") || a.has("defaultPreferences") || a.has("additionalInfo")
	}, false},
}

// has reports whether the body has a member of the operation that isn't null.
func (a asked) has(name string) bool {
	_, known := a.op.Request.Member(name)
	return known && a.body[name] != nil
}

func (a asked) hasUnknownMember() bool {
	for name := range a.body {
		if _, known := a.op.Request.Member(name); !known && name != "token_type_hint" {
			return true
		}
	}
	return false
}

func (a asked) namesSeveralGrants() bool {
	given := func(name string) bool { text, _ := a.body[name].(string); return text != "" && a.has(name) }
	ways := 0
	for _, named := range []bool{
		given("refresh_token"), given("token"), given("grant_type") && a.body["grant_type"] == "client_credentials",
		given("grant_type") && a.body["grant_type"] == "password" && given("username") && given("password"),
	} {
		if named {
			ways++
		}
	}
	return a.is(contract.TokensRevoke) && ways > 1
}

// is reports whether the request is to an operation, in any dialect.
func (a asked) is(op *contract.Operation) bool { return a.op.Name == op.Name }
