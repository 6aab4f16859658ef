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
	got, err := journal.Decode(42, golden)
	require.NoError(t, err)
	x := journal.Exchange{
		Sandbox:    "team-a",
		Operation:  "groups.create",
		Dialect:    "public",
		User:       "1002",
		At:         time.Date(2026, 1, 15, 9, 0, 0, 123_000_000, time.UTC),
		RealAt:     time.Date(2026, 2, 1, 12, 0, 0, 123_456_789, time.UTC),
		TookMicros: 1500,
		Request: journal.Request{
			HTTPVersion: "HTTP/2", Method: "POST",
			URL:  "http://127.0.0.1:8080/team-a/digitalbanking/groups/v3/groups?size=2",
			Path: "/digitalbanking/groups/v3/groups", Query: "size=2", Headers: "Accept:*/*\nTransactionid:t-1\n",
			Body: "{\n}", BodyBytes: 70_000, BodyTruncated: true,
		},
		Response: journal.Response{
			Status: 503, Headers: "Content-Type:text/plain\n", Body: "line\nline", BodyBytes: 80_000,
			BodyTruncated: true,
		},
		Decision: journal.Decision{Outcome: "faulted", Rule: "slow", Row: "users/02688/1002", Message: "a <message>",
			Basis: "choice", Entries: []string{"groups.create.answer"}},
		Changed: true,
		Fault: &journal.Fault{Fired: []string{"slow"}, AnsweredBy: "slow", Phase: "before", DelayMicros: 5,
			Connection: "reset", BankStatus: 201, ExpiredBy: "expiry", Undocumented: true},
		Lints: []journal.Lint{{Code: "misspelt", Message: "fild is nearly fiid"}},
	}
	assert.EqualExportedValues(t, x, *got.Exchange)
	assert.Equal(t, journal.Step{Running: true, Since: 90 * time.Second, Version: 9, IsChange: true}, got.Step)

	data, err := got.Encode()
	require.NoError(t, err)
	again, err := journal.Decode(42, data)
	require.NoError(t, err)
	assert.Equal(t, got, again)

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
