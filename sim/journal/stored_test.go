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
	shown, err := json.Marshal(got.Exchange)
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"","sandbox":"team-a","operation":"groups.create","dialect":"public","user":"1002",
		"at":"2026-01-15T09:00:00.123Z","realAt":"2026-02-01T12:00:00.123456789Z","tookMicros":1500,
		"request":{"httpVersion":"HTTP/2","method":"POST",
			"url":"http://127.0.0.1:8080/team-a/digitalbanking/groups/v3/groups?size=2",
			"path":"/digitalbanking/groups/v3/groups","query":{"size":["2"]},
			"headers":{"Accept":["*/*"],"Transactionid":["t-1"]},
			"body":"{\n}","bodyBytes":70000,"bodyTruncated":true},
		"response":{"status":503,"headers":{"Content-Type":["text/plain"]},
			"body":"line\nline","bodyBytes":80000,"bodyTruncated":true},
		"decision":{"outcome":"faulted","rule":"slow","row":"users/02688/1002","message":"a <message>","basis":"choice",
			"entries":["groups.create.answer"]},
		"changed":true,
		"fault":{"fired":["slow"],"answeredBy":"slow","phase":"before","delayMicros":5,"connection":"reset",
			"bankStatus":201,"expiredBy":"expiry","undocumented":true},
		"lints":[{"code":"misspelt","message":"fild is nearly fiid"}]}`, string(shown))
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
