package simtest

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Paths of the interface, as the calls below use them. Those of e-statements end where the hostUserId goes.
var (
	GroupsPath      = contract.GroupsList.Path
	UpdateUserPath  = contract.EstatementsUpdateUser.Path + "?hostUserId="
	DisclosuresPath = strings.Replace(
		contract.EstatementsGetDisclosures.Path, "{accountId}", "acc-1001-checking", 1,
	) + "?hostUserId="
)

// RetailGroup is the first group of the scenario retail.
const RetailGroup = "32fe657c-e73b-4592-af7c-3e39c308fd81"

// MultipartType is the content type of [Multipart].
const MultipartType = "multipart/form-data; boundary=part"

// Multipart returns the body of an upload of participants.
func Multipart(kind, file string) string {
	return "--part\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\n" + kind +
		"\r\n--part\r\nContent-Disposition: form-data; name=\"fileName\"; filename=\"participants.csv\"\r\n" +
		"Content-Type: text/csv\r\n\r\n" + file + "\r\n--part--\r\n"
}

// Basic credentials of clients.
const (
	BasicSecond = "Basic c2Vjb25kLWFwcDpzZWNvbmQtc2VjcmV0" // second-app:second-secret, of another institution
	BasicWrong  = "Basic ZGVtby1hcHA6d3Jvbmc="             // demo-app:wrong
)

// Calls has a call of each operation by its name. Each succeeds once in the scenario retail, whichever came before.
var Calls = map[string]Call{}

func init() {
	for _, op := range contract.Document().Operations {
		Calls[op.Name] = ExampleOf(op)
	}
}

// ExampleOf returns the call that is the contract's example of an operation in its dialect.
func ExampleOf(op *contract.Operation) Call {
	e := op.Example()
	c := NewCall(op.Method, e.Path, e.Body)
	if e.JSON != nil {
		c.Body = JSON(e.JSON)
	}
	for name, value := range e.Headers {
		c.Header.Set(name, value)
	}
	return c
}

// The calls by the names that tests use.
var (
	GetDisclosures = ExampleOf(contract.EstatementsGetDisclosures)
	UpdateAccount  = ExampleOf(contract.EstatementsUpdateAccount)
	UpdateUser     = ExampleOf(contract.EstatementsUpdateUser)

	IssueTokens = ExampleOf(contract.TokensIssue).With("content-type", "application/json").
			WithBody(`{"grant_type":"password","username":"avery","password":"demo"}`)
	RevokeTokens = ExampleOf(contract.TokensRevoke)
	CreateCode   = ExampleOf(contract.TokensCreateCode)

	ListGroups         = ExampleOf(contract.GroupsList).At(GroupsPath)
	CreateGroup        = ExampleOf(contract.GroupsCreate)
	DeleteGroup        = ExampleOf(contract.GroupsDelete)
	UploadParticipants = ExampleOf(contract.GroupsUploadParticipants)
	ListJobs           = ExampleOf(contract.JobsList)

	CreateAlert = ExampleOf(contract.AlertsCreatePreference).
			WithBody(`{"additionalInfo":{},"alertOpted":true,"alertPreferenceDetails":{"channelTypeName":"EMAIL"}}`)
	UpdateAlert = ExampleOf(contract.AlertsUpdatePreference)
)
