package journal_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// The file is an exchange with every member set. A store may hold such exchanges: the form of the file never changes.
func TestTheStoredFormStays(t *testing.T) {
	const file = "testdata/exchange-2"
	golden, err := os.ReadFile(file)
	require.NoError(t, err)
	e, err := journal.Decode(42, golden)
	require.NoError(t, err)

	assert.EqualValues(t, 42, e.Number())
	want := journal.Raw{
		Sandbox:          "team-a",
		Operation:        "groups.create",
		Dialect:          "public",
		User:             "1002",
		At:               time.Date(2026, 1, 15, 9, 0, 0, 123_000_000, time.UTC),
		RealAt:           time.Date(2026, 2, 1, 12, 0, 0, 123_456_789, time.UTC),
		Took:             1_500_007,
		HTTP2:            true,
		Method:           "POST",
		BaseURL:          "http://127.0.0.1:8080/team-a",
		Path:             "/digitalbanking/groups/v3/groups",
		RawQuery:         "size=2",
		RequestBody:      []byte("{\n}"),
		RequestBodyBytes: 70_000,
		Status:           503,
		ResponseBody:     []byte("line\nline"),
		Decision: journal.Decision{Outcome: "faulted", Rule: "slow", Row: "users/02688/1002", Message: "a <message>",
			Basis: "choice", Entries: []string{"groups.create.answer"}},
		Step: journal.Step{Changed: true, Running: true, Since: 90 * time.Second},
		Fault: &journal.Fault{Fired: []string{"slow"}, AnsweredBy: "slow", Phase: "before", DelayMicros: 5,
			Connection: "reset", BankStatus: 201, ExpiredBy: "expiry", Undocumented: true},
		Lints: []journal.Lint{{Code: "misspelt", Message: "fild is nearly fiid"}},
	}
	assert.Equal(t, want, e.Raw)
	assert.EqualValues(t, 9, e.Version)
	assert.True(t, e.IsChange)
	assert.EqualValues(t, "Accept:*/*\nTransactionid:t-1\n", e.RequestFields)
	assert.EqualValues(t, "Content-Type:text/plain\n", e.ResponseFields)
	assert.ElementsMatch(t, []string{"c-1", "t-1"}, e.IDs[:])
	assert.True(t, e.RequestCut)
	assert.True(t, e.ResponseCut)
	assert.Equal(t, 80_000, e.ResponseBytes)

	again, err := e.Encode()
	require.NoError(t, err)
	assert.Equal(t, string(golden), string(again))

	// A member that the file lacks would be missing here.
	head, _, _ := bytes.Cut(golden, []byte("\n"))
	var members map[string]any
	require.NoError(t, json.Unmarshal(head, &members))
	assert.Len(t, members, 27)
	for name, value := range members {
		assert.False(t, reflect.ValueOf(value).IsZero(), name)
		assert.Equal(t, strings.ToLower(name[:1]), name[:1])
	}
}

func TestDecodeRefusesWhatIsNoExchange(t *testing.T) {
	for _, data := range []string{"", "{", "[]\n", `{"requestKept":3}` + "\nab", `{"requestKept":-1}` + "\nab"} {
		_, err := journal.Decode(1, []byte(data))
		assert.Error(t, err, data)
	}
}
