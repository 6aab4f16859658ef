package testkit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// App is an app under test. All that it knows about the bank is a URL, an HTTP client and a token.
type App struct {
	BaseURL string
	HTTP    *http.Client
	Token   string
	sent    int
}

func (a *App) call(method, path string, body any) (int, []byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequest(method, a.BaseURL+path, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	a.sent++
	r.Header.Set("Authorization", "Bearer "+a.Token)
	r.Header.Set("Content-Type", "application/json")
	id := fmt.Sprintf("6f1f2d1e-3c1a-4a53-9d0c-%012d", a.sent)
	r.Header.Set("correlationid", id)
	r.Header.Set("transactionId", id)
	res, err := a.HTTP.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	var answer bytes.Buffer
	_, err = answer.ReadFrom(res.Body)
	return res.StatusCode, answer.Bytes(), err
}

var errSignedOut = errors.New("the session has ended: sign in again")

// GoPaperless activates electronic statements for all accounts of a user.
func (a *App) GoPaperless(user string) error {
	status, body, err := a.call(http.MethodPut, "/digitalbanking/ux-users/v2/e-statements/user/preferences?hostUserId="+user,
		map[string]any{"activateEstatement": true})
	switch {
	case err != nil:
		return err
	case status == http.StatusUnauthorized:
		return errSignedOut
	case status != http.StatusNoContent:
		return fmt.Errorf("%d: %s", status, body)
	}
	return nil
}

// CreateGroup creates a group. It retries when no answer comes; the group may exist by then.
func (a *App) CreateGroup(name string) error {
	for attempt := 1; ; attempt++ {
		status, body, err := a.call(http.MethodPost, "/digitalbanking/groups/v3/groups", map[string]any{"groupName": name})
		switch {
		case err != nil && attempt < 3:
			continue
		case err != nil:
			return err
		case attempt > 1 && status == http.StatusBadRequest && strings.Contains(string(body), `"2004"`):
			return nil // the first attempt created it
		case status >= 300:
			return fmt.Errorf("%d: %s", status, body)
		}
		return nil
	}
}

func TestGoPaperless(t *testing.T) {
	bank := testkit.Start(t)
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	require.NoError(t, app.GoPaperless("1001"))

	for _, account := range bank.State().Institutions[0].Users[0].Accounts {
		assert.True(t, account.ActivateEstatement, account.AccountID)
	}
	bank.Verify(testkit.Expect{Operation: "estatements.updateUser", Status: 204, Exactly: testkit.Times(1)})
	bank.RequireNoLints()
}

func TestGoPaperlessNotAllowed(t *testing.T) {
	bank := testkit.Start(t)
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	bank.PatchUser("02688", "1001", testkit.UserPatch{DisclosureStatus: "NOT_ACCEPTED"})
	bank.Snapshot("before")

	assert.ErrorContains(t, app.GoPaperless("1001"), "UXESTMT_11013")
	assert.Empty(t, bank.Diff("before"), "a refused change leaves nothing behind")
}

func TestCreateGroupAnswerLost(t *testing.T) {
	bank := testkit.Start(t)
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	bank.Inject(testkit.Fault{
		Operation: "groups.create",
		When:      testkit.When{First: 1},
		Phase:     testkit.AfterOperation, // the group is created; its answer is lost
		Then:      testkit.Then{Connection: testkit.Connection{Kind: testkit.ConnectionClose}},
	})

	require.NoError(t, app.CreateGroup("Night owls"))
	bank.Verify(testkit.Expect{Operation: "groups.create", Exactly: testkit.Times(2)})
	assert.Len(t, bank.State().Institutions[0].Groups, 24, "there is one more, not two")
}

func TestSessionEnds(t *testing.T) {
	bank := testkit.Start(t)
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token(testkit.ExpiresIn(15 * time.Minute))}

	require.NoError(t, app.GoPaperless("1001"))
	bank.Advance(15 * time.Minute)
	assert.ErrorIs(t, app.GoPaperless("1001"), errSignedOut)
}

func TestEveryUser(t *testing.T) {
	for user, message := range map[string]string{
		"1001": "",
		"1002": "UXESTMT_88889", // not active
		"1003": "UXESTMT_11013", // has not accepted
		"9999": "UXESTMT_88888", // unknown
	} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t) // each subtest has a bank of its own
			app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}
			err := app.GoPaperless(user)
			if message == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, message)
			}
			bank.Verify(testkit.Expect{Operation: "estatements.updateUser", Exactly: testkit.Times(1)})
		})
	}
}

func TestFixedHost(t *testing.T) {
	bank := testkit.Start(t, testkit.AsHost("api.bank.example"))
	app := &App{BaseURL: "https://api.bank.example", HTTP: bank.Client(), Token: bank.Token()}

	require.NoError(t, app.GoPaperless("1001"))

	bank.Verify(testkit.Expect{Operation: "estatements.updateUser", Status: 204, Exactly: testkit.Times(1)})
}

func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := testkit.Start(t, testkit.InMemory())
		bank.Inject(testkit.Fault{Operation: "groups.create",
			When: testkit.When{During: testkit.During{For: time.Hour}}, Then: testkit.Then{Status: 500}})
		app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}
		for app.CreateGroup("Night owls") != nil {
			time.Sleep(5 * time.Minute)
		}
		bank.Group("Night owls")
	})
}

// The documentation shows these tests.
func TestDocumentedTests(t *testing.T) {
	source, err := os.ReadFile("docs_test.go")
	require.NoError(t, err)
	text, err := os.ReadFile("../docs/testing-go.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```go\n(func Test.*?)^```\n").FindAllStringSubmatch(string(text), -1)
	assert.Len(t, blocks, 7)
	for _, block := range blocks {
		assert.Contains(t, string(source), block[1])
	}
}
