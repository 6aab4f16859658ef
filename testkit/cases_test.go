package testkit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// kitCase is a case of cases.json, which every kit has to pass by its public methods: a test, whether it has to fail
// and with which words, and what it has to say in any case.
type kitCase struct {
	Name         string
	ScenarioYAML string
	Steps        []step
	Fails        []string // nil if the test has to pass
	Says         []string
}

// step is what a test does. One member is set.
type step struct {
	Inject        *injected
	InjectNone    bool
	Call          *sent
	Control       *sent // below the control URL of the bank
	ClearFaults   bool
	Reset         bool
	Verify        *expectation
	VerifyInOrder []expectation
	Eventually    *expectation
	NoLints       bool
}

type sent struct {
	Method, Path string
	Headers      map[string]string
	Body         json.RawMessage // a text for Call
	Token        bool            // whether it has an access token of the bank
}

type expectation struct {
	Operation, Method, Path  string
	Status                   int
	Header, Query            map[string]*string
	Body                     any
	Exactly, AtLeast, AtMost *int
	Within                   string
}

type injected struct {
	Name, Operation, Method, Path, Phase string
	Optional                             bool
	When                                 struct {
		First, Nth int
		Request    *struct {
			HostUserID string
			Header     map[string]string
		}
	}
	Then struct {
		Status      int
		Error       *struct{ Code string }
		Body        *string
		Delay       string
		Headers     map[string][]string
		ExpireToken bool
		Connection  any
	}
}

func readCases(t *testing.T) (all []kitCase) {
	text, err := os.ReadFile("cases.json")
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&all))
	return all
}

// Each case passes, or fails with its words, as a test of go test.
func TestCases(t *testing.T) {
	out, _ := inside("^TestInsideCases$")
	for i, c := range readCases(t) {
		_, text, found := strings.Cut(out, begin(i))
		require.True(t, found, "%s: %s", c.Name, out)
		text, _, _ = strings.Cut(text, begin(i+1))
		failed := strings.Contains(out, fmt.Sprintf("--- FAIL: TestInsideCases/%d ", i))
		assert.Equal(t, c.Fails != nil, failed, "%s: %s", c.Name, text)
		for _, words := range append(c.Fails, c.Says...) {
			assert.Contains(t, text, words, c.Name)
		}
	}
}

// begin returns the line before the output of a case.
func begin(i int) string { return fmt.Sprintf("=== RUN   TestInsideCases/%d\n", i) }

func TestInsideCases(t *testing.T) {
	skipOutside(t)
	for i, c := range readCases(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			var opts []testkit.Option
			if c.ScenarioYAML != "" {
				opts = append(opts, testkit.ScenarioYAML(c.ScenarioYAML))
			}
			bank := testkit.Start(t, opts...)
			for _, s := range c.Steps {
				s.take(t, bank)
			}
		})
	}
}

func (s step) take(t *testing.T, bank *testkit.Bank) {
	t.Helper()
	switch {
	case s.Inject != nil:
		bank.Inject(s.Inject.fault())
	case s.InjectNone:
		bank.Inject()
	case s.Call != nil:
		var body string
		if s.Call.Body != nil {
			require.NoError(t, json.Unmarshal(s.Call.Body, &body))
		}
		s.Call.send(t, bank, bank.BaseURL(), body)
	case s.Control != nil:
		s.Control.send(t, bank, bank.ControlURL(), string(s.Control.Body))
	case s.ClearFaults:
		bank.ClearFaults()
	case s.Reset:
		bank.Reset()
	case s.Verify != nil:
		bank.Verify(s.Verify.expect())
	case s.VerifyInOrder != nil:
		var wants []testkit.Expect
		for _, e := range s.VerifyInOrder {
			wants = append(wants, e.expect())
		}
		bank.VerifyInOrder(wants...)
	case s.Eventually != nil:
		within, err := time.ParseDuration(s.Eventually.Within)
		require.NoError(t, err)
		bank.Eventually(within, s.Eventually.expect())
	case s.NoLints:
		bank.RequireNoLints()
	}
}

// send sends a request, whose answer a fault may lose.
func (r *sent) send(t *testing.T, bank *testkit.Bank, base, body string) {
	t.Helper()
	sent, err := http.NewRequest(r.Method, base+r.Path, strings.NewReader(body))
	require.NoError(t, err)
	for name, value := range r.Headers {
		sent.Header.Set(name, value)
	}
	if r.Token {
		sent.Header.Set("Authorization", "Bearer "+bank.Token())
	}
	if res, err := bank.Client().Do(sent); err == nil {
		require.NoError(t, res.Body.Close())
	}
}

func (e *expectation) expect() testkit.Expect {
	want := testkit.Expect{
		Operation: e.Operation, Status: e.Status, Method: e.Method, Path: e.Path,
		Header: withAbsent(e.Header), Query: withAbsent(e.Query), Body: e.Body,
	}
	switch {
	case e.Exactly != nil:
		want.Times = testkit.Exactly(*e.Exactly)
	case e.AtLeast != nil:
		want.Times = testkit.AtLeast(*e.AtLeast)
	case e.AtMost != nil:
		want.Times = testkit.AtMost(*e.AtMost)
	}
	return want
}

func withAbsent(values map[string]*string) map[string]string {
	texts := map[string]string{}
	for name, value := range values {
		if texts[name] = testkit.Absent; value != nil {
			texts[name] = *value
		}
	}
	return texts
}

func (i *injected) fault() testkit.Fault {
	f := testkit.Fault{
		Name: i.Name, Operation: i.Operation, Method: i.Method, Path: i.Path, AfterCommit: i.Phase == "after",
		Optional: i.Optional,
	}
	if i.When.First > 0 {
		f.When = f.When.And(testkit.First(i.When.First))
	}
	if i.When.Nth > 0 {
		f.When = f.When.And(testkit.Nth(i.When.Nth))
	}
	if r := i.When.Request; r != nil {
		f.When = f.When.And(testkit.Matching(testkit.Match{HostUserID: r.HostUserID, Header: r.Header}))
	}
	return i.withEffects(f)
}

// withEffects returns a fault with what happens when it fires.
func (i *injected) withEffects(f testkit.Fault) testkit.Fault {
	then := i.Then
	switch {
	case then.Error != nil:
		f.Then = testkit.Error(then.Status, then.Error.Code, "")
	case then.Body != nil:
		f.Then = testkit.Answer(then.Status, *then.Body)
	case then.Status != 0:
		f.Then = testkit.Status(then.Status)
	case then.ExpireToken:
		f.Then = testkit.ExpireToken
	}
	if delay, err := time.ParseDuration(then.Delay); err == nil {
		f.Then = f.Then.And(testkit.Delay(delay))
	}
	for name, values := range then.Headers {
		f.Then = f.Then.And(testkit.AnswerHeader(name, values...))
	}
	switch connection := then.Connection.(type) {
	case string:
		f.Then = f.Then.And(map[string]testkit.Effect{
			"close": testkit.Close, "reset": testkit.Reset, "malformed": testkit.Malformed,
		}[connection])
	case map[string]any:
		if bytes, ok := connection["truncate"].(float64); ok {
			f.Then = f.Then.And(testkit.Truncate(int(bytes)))
		} else {
			f.Then = f.Then.And(testkit.Dribble(9, time.Millisecond))
		}
	}
	return f
}
