package simtest

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Decode reads the JSON object of an answer into a T. A member that T doesn't have fails the test.
func Decode[T any](t testing.TB, res Answer) T {
	t.Helper()
	var v T
	require.NoError(t, wire.DecodeKnown([]byte(res.Body), &v), res.Body)
	return v
}

// Code returns the code of an error body, whichever shape it has; empty: it has none.
func (a Answer) Code() string { return contract.ErrorCode([]byte(a.Body)) }

// JSON returns a value as JSON. Members of maps are sorted, so that equal values have equal texts.
func JSON(value any) string {
	text, _ := wire.Encode(value) // tests encode values that can be encoded
	return string(text)
}

// Tokens is the answer of [IssueTokens] and, with its tokens revoked, of [RevokeTokens].
type Tokens struct {
	TokenType        string `json:"token_type"`
	AccessToken      string `json:"access_token"`
	ExpiresIn        string `json:"expires_in"`
	FIID             string `json:"di_fiid"`
	FICustomer       string `json:"di_ficustomer"`
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn string `json:"refresh_token_expires_in"`
}

// Log is a log that may be written to while a test reads it.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the log so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
