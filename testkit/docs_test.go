package testkit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

func newApp(bank *testkit.Bank) *App {
	return &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}
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
	id := fmt.Sprintf("6f1f2d1e-3c1a-4a53-9d0c-%012d", a.sent)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + a.Token, "Content-Type": "application/json",
		"correlationid": id, "transactionId": id,
	} {
		r.Header.Set(name, value)
	}
	res, err := a.HTTP.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

var errSignedOut = errors.New("the session has ended: sign in again")

// GoPaperless activates electronic statements for all accounts of a user.
func (a *App) GoPaperless(user string) error {
	status, body, err := a.call(http.MethodPut, paperlessPath+user, map[string]any{"activateEstatement": true})
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
		status, body, err := a.call(http.MethodPost, groupsPath, map[string]any{"groupName": name})
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

	for _, account := range bank.User("1001").Accounts {
		assert.True(t, account.ActivateEstatement, account.AccountID)
	}
	bank.Verify(testkit.Expect{Operation: testkit.EstatementsUpdateUser, Status: 204, Times: testkit.Exactly(1)})
	bank.RequireNoLints()
}

func TestGoPaperlessNotAllowed(t *testing.T) {
	bank := testkit.Start(t)
	app := newApp(bank)
	bank.PatchUser("02688", "1001", testkit.UserPatch{DisclosureStatus: testkit.NotAccepted})
	before := bank.Snapshot()

	assert.ErrorContains(t, app.GoPaperless("1001"), "UXESTMT_11013")
	assert.Empty(t, before.Diff(), "a refused change leaves nothing behind")
}

func TestNewCustomer(t *testing.T) {
	bank := testkit.Start(t)
	bank.NewUser("02688", "7001", "acc-7001-checking")
	bank.NewGroup("02688", "Night owls")
	app := newApp(bank)

	require.NoError(t, app.GoPaperless("7001"))
	assert.True(t, bank.Account("acc-7001-checking").ActivateEstatement)
	assert.ErrorContains(t, app.CreateGroup("Night owls"), "2004", "the group exists")
}

func TestCreateGroupAnswerLost(t *testing.T) {
	bank := testkit.Start(t)
	bank.Inject(testkit.Fault{
		Operation:   testkit.GroupsCreate,
		When:        testkit.First(1),
		Then:        testkit.Close,
		AfterCommit: true, // the group is created; its answer is lost
	})

	require.NoError(t, newApp(bank).CreateGroup("Night owls"))
	bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(2)})
	assert.Len(t, bank.State().Institutions[0].Groups, 24, "there is one more, not two")
}

func TestSessionEnds(t *testing.T) {
	bank := testkit.Start(t)
	app := newApp(bank)
	app.Token = bank.Token(testkit.ExpiresIn(15 * time.Minute))

	require.NoError(t, app.GoPaperless("1001"))
	bank.Advance(15 * time.Minute)
	assert.ErrorIs(t, app.GoPaperless("1001"), errSignedOut)
}

func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := testkit.Start(t, testkit.InMemory())
		bank.Inject(testkit.Fault{When: testkit.During(0, time.Hour), Then: testkit.Status(500)})
		app := newApp(bank)

		for app.CreateGroup("Night owls") != nil {
			time.Sleep(5 * time.Minute)
		}
		bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(13)})
	})
}

// The documentation shows these tests.
func TestDocumentedTests(t *testing.T) {
	source, err := os.ReadFile("docs_test.go")
	require.NoError(t, err)
	text, err := os.ReadFile("../docs/testing-go.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```go\n(func Test.*?)^```\n").FindAllStringSubmatch(string(text), -1)
	assert.NotEmpty(t, blocks)
	for _, block := range blocks {
		assert.True(t, strings.Contains(string(source), block[1]), block[1])
	}
}
