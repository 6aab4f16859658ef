package bankapi_test

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A fault that sets the Content-Type replaces it, in every spelling and however the answer is delivered.
func TestOneContentType(t *testing.T) {
	t.Parallel()
	const want = "application/hal+json"
	rules := map[string]string{
		"a stub":         `path: /v1/cards, then: {status: 200, body: {cards: []}, `,
		"a stub, empty":  `path: /v1/cards, then: {status: 200, body: "", `,
		"an error":       `operation: groups.list, then: {status: 500, `,
		"a body":         `operation: groups.list, then: {status: 502, body: "<html>", `,
		"headers alone":  `operation: groups.list, then: {`,
		"truncated":      `operation: groups.list, then: {connection: truncate, `,
		"malformed":      `operation: groups.list, then: {connection: malformed, `,
		"dribbled":       `operation: groups.list, then: {connection: {dribble: {bytes: 9999, every: 1ms}}, `,
		"garbage":        `operation: groups.list, then: {connection: garbage, `,
		"malformed stub": `path: /v1/cards, then: {status: 204, connection: malformed, `,
		"truncated stub": `path: /v1/cards, then: {status: 200, body: {cards: []}, connection: truncate, `,
		"garbage stub":   `path: /v1/cards, then: {status: 200, body: {cards: []}, connection: garbage, `,
	}
	for name, rule := range rules {
		for _, spelling := range []string{"Content-Type", "content-type", "CONTENT-TYPE", "cOntent-tYpe"} {
			t.Run(name+", "+spelling, func(t *testing.T) {
				t.Parallel()
				b := simtest.NewBank(t, simtest.WithFaults("- {name: f, "+rule+"headers: {"+spelling+": "+want+"}}}\n"))
				call := listGroups
				if strings.HasPrefix(rule, "path") {
					call = simtest.NewCall("GET", "/v1/cards", "")
				}
				assert.Equal(t, []string{want}, contentTypes(exchangeBytes(t, b, call)))
				assert.Equal(t, []string{want}, b.Last().Response.Headers["Content-Type"], "in the journal")

				transport := &http.Transport{Protocols: new(http.Protocols)}
				transport.Protocols.SetUnencryptedHTTP2(true)
				t.Cleanup(transport.CloseIdleConnections)
				res, err := transport.RoundTrip(call.Request(b))
				if strings.HasPrefix(name, "garbage") {
					assert.Error(t, err, "HTTP/2 has no place for garbage")
					return
				}
				require.NoError(t, err)
				assert.Equal(t, 2, res.ProtoMajor)
				assert.Equal(t, []string{want}, res.Header.Values("Content-Type"))
				assert.NoError(t, res.Body.Close())
			})
		}
	}
}

// Other headers of a fault are sent as they are spelled.
func TestHeadersKeepTheirSpelling(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {name: f, operation: groups.list, then: {headers: {x-Node: b, transactionId: other}}}\n"))
	received := string(exchangeBytes(t, b, listGroups))
	assert.Contains(t, received, "\r\nx-Node: b\r\n")
	assert.Contains(t, received, "\r\ntransactionId: other\r\n")
}

// exchangeBytes sends a request over HTTP/1.1 and returns all bytes of the answer.
func exchangeBytes(t *testing.T, b *simtest.Bank, call simtest.Call) []byte {
	t.Helper()
	request := call.Request(b)
	request.Close = true
	conn := b.Dial()
	require.NoError(t, request.Write(conn))
	received, err := io.ReadAll(conn)
	require.NoError(t, err)
	return received
}

var contentType = regexp.MustCompile(`(?im)^content-type: (.*)\r$`)

// contentTypes returns the values of the Content-Type headers in the head of an answer.
func contentTypes(received []byte) (values []string) {
	_, head, _ := bytes.Cut(received, []byte("HTTP/1.1 ")) // after garbage, if there is any
	head, _, _ = bytes.Cut(head, []byte("\r\n\r\n"))
	for _, match := range contentType.FindAllSubmatch(append(head, '\r', '\n'), -1) {
		values = append(values, string(match[1]))
	}
	return values
}
