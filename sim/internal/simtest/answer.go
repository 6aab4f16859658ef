package simtest

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// Decode reads the JSON object of an answer into a T. A member that T doesn't have fails the test.
func Decode[T any](t testing.TB, res Answer) T {
	t.Helper()
	var v T
	require.NoError(t, strictjson.DecodeKnown([]byte(res.Body), &v), res.Body)
	return v
}

// Code returns the code of an error body of any shape, or "" if there is no code.
func (a Answer) Code() string { return contract.ErrorCode([]byte(a.Body)) }

// JSON returns a value as JSON. Members of maps are sorted, so that equal values have equal texts.
func JSON(value any) string {
	text, _ := strictjson.Encode(value) // tests encode values that can be encoded
	return string(text)
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
