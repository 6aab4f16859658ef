package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// Of a multipart body the journal keeps what the contract has, and of files only their shape.
func TestMultipartBodies(t *testing.T) {
	t.Parallel()
	const media = "Multipart/Form-Data; boundary=b"
	body := strings.ReplaceAll(`--b
Content-Disposition: form-data; name="type"

ADD
--b
Content-Disposition: form-data; name="fileName"; filename="C:\x\people.csv"
Content-Type: text/csv; charset=utf-8

ParticipantId
1001

--b
Content-Disposition: form-data; name="cAnary7secret"; filename="cAnary7secret.csv"
Content-Type: cAnary7secret
X-Key: cAnary7secret

cAnary7secret
--b--
`, "\n", "\r\n")
	kept := string(redact.RequestBody([]byte(body), media, true))
	assert.NotContains(t, kept, "cAnary7secret")
	assert.NotContains(t, kept, "1001")
	assert.Contains(t, kept, "\r\n\r\nADD\r\n")
	assert.Contains(t, kept, "Content-Type: text/csv\r\n\r\nxxxxxxxxxxxxx\r\nxxxx\r\n")
	assert.Contains(t, kept, "people.csv")
	parts, ok := redact.Parts([]byte(kept), media)
	assert.True(t, ok, "what is kept is multipart, too")
	assert.Equal(t, map[string]any{"type": "ADD"}, parts)

	for _, broken := range []string{strings.TrimSuffix(body, "--b--\r\n"), strings.ReplaceAll(body, "--b", "--c"), body[:40], ""} {
		masked := string(redact.RequestBody([]byte(broken), media, true))
		assert.Len(t, masked, len(broken))
		assert.NotContains(t, masked, "ADD")
	}
}
