package fault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

func TestParseHeader(t *testing.T) {
	reset := &fault.Connection{Kind: fault.Reset}
	for value, want := range map[string]fault.Rule{
		"status=500":              {Then: fault.Then{Status: 500}},
		" Status = 500 ;; ":       {Then: fault.Then{Status: 500}},
		"delay=200ms":             {Then: fault.Then{Delay: fault.Fixed(200 * time.Millisecond)}},
		"status=500; delay=200ms": {Then: fault.Then{Status: 500, Delay: fault.Fixed(200 * time.Millisecond)}},
		"delay=200ms; connection=reset; phase=after": {Phase: fault.After,
			Then: fault.Then{Delay: fault.Fixed(200 * time.Millisecond), Connection: reset}},
		"connection=reset;phase=before": {Phase: fault.Before, Then: fault.Then{Connection: reset}},
		"status=404; code=X_1; message=not here, a=b": {Then: fault.Then{Status: 404,
			Error: &fault.Error{Code: "X_1", Message: "not here, a=b"}}},
		"message=m;status=401":           {Then: fault.Then{Status: 401, Error: &fault.Error{Message: "m"}}},
		"connection=garbage":             {Then: fault.Then{Connection: &fault.Connection{Kind: fault.Garbage}}},
		"connection=dribble; status=500": {Then: fault.Then{Status: 500, Connection: &fault.Connection{Kind: fault.Trickle}}},
	} {
		rule, err := fault.ParseHeader(value, "groups.list")
		require.NoError(t, err, value)
		want.Name, want.Operation = fault.Header, fault.On("groups.list")
		assert.Equal(t, want, rule, value)
		q := list()
		q.First = []fault.Rule{rule}
		assert.Len(t, fault.NewSet(nil, 7).Decide(q).Fired, 1, value)
	}
}

func TestParseBadHeader(t *testing.T) {
	long := strings.Repeat("5", 2000)
	for value, message := range map[string]string{
		"":                             "it is empty: write what shall happen, as in status=500; delay=200ms",
		" ; ;":                         "it is empty: write what shall happen, as in status=500; delay=200ms",
		"500":                          `"500" has no value: write it as in status=500`,
		"status=":                      `"status" has no value: write it as in status=500`,
		"=500":                         `unknown key "": the keys are status, code, message, delay, connection, phase`,
		"stauts=500":                   `unknown key "stauts": the keys are status, code, message, delay, connection, phase`,
		"headers=x":                    `unknown key "headers": the keys are status, code, message, delay, connection, phase`,
		"status=500; Status=401":       `"status" is given twice: remove one`,
		"status=bad":                   `status must be a number such as 500, not "bad"`,
		"status=0":                     `status must be a number such as 500, not "0"`,
		"status=700":                   "status must be from 400 to 599, not 700: the header can't give the body that any other needs",
		"status=" + long:               `status must be a number such as 500, not "` + long[:80] + `…"`,
		"delay=soon":                   `delay must be a duration such as 200ms, not "soon"`,
		"delay=5":                      `delay must be a duration such as 200ms, not "5"`,
		"delay=-5s":                    "delay must be longer than 0, not -5s",
		"delay=1h":                     "delay must be at most 5m0s, not 1h0m0s",
		"connection=resett":            `connection must be one of reset close hang truncate malformed dribble garbage, not "resett"`,
		"phase=later; status=500":      `phase must be before or after, not "later"`,
		"phase=after":                  "phase says only when: add status, delay or connection",
		"code=X":                       "error needs a status: add status: 500, for example",
		"status=500; connection=reset": "reset sends no answer that could have status: remove one of them",
		"connection=hang; status=500":  "hang sends no answer that could have status: remove one of them",
		"connection=dribble;phase=before": "dribble needs an answer to deliver, and before the operation there is none: add a status, " +
			"or write phase: after",
		"code=CMN_90002": "error needs a status: add status: 500, which CMN_90002 goes with",
		"status=204":     "status must be from 400 to 599, not 204: the header can't give the body that any other needs",
	} {
		_, err := fault.ParseHeader(value, "groups.list")
		assert.EqualError(t, err, message, "%.80s", value)
	}
}

// Whatever the header contains, the result is a rule that can be carried out or a short error.
func FuzzParseHeader(f *testing.F) {
	for _, seed := range []string{"status=500; delay=200ms", "connection=reset; phase=after", "status=404; code=1; message=m", ";=;",
		"\xff=\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		rule, err := fault.ParseHeader(value, "groups.list")
		if err != nil {
			assert.LessOrEqual(t, len(err.Error()), 1000)
			return
		}
		q := list()
		q.First = []fault.Rule{rule}
		assert.Len(t, fault.NewSet(nil, 7).Decide(q).Fired, 1)
	})
}
