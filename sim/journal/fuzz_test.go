package journal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// Whatever is expected, the answer is an error or a verdict that says the same as its count, and that can be shown.
func FuzzVerify(f *testing.F) {
	for _, expectation := range []string{`{}`, `{"operation":"groups.*","atLeast":1}`, `{"operation":"~("}`,
		`{"operation":"~(a{1000}){1000}"}`, `{"status":99999999999999999999}`,
		`{"status":-1}`, `{"exactly":0,"atMost":1}`, `{"atLeast":2,"atMost":1}`, `{"header":{"":null}}`,
		`{"header":{"authorization":"~."}}`, `{"query":{"size":"2","sort":null}}`,
		`{"body":{"groupName":"~N"}}`, `{"body":null}`, `{"body":[]}`,
		`{"body":{"alertPreferenceDetails":{"alertPrefId":9007199254740993e0}}}`, `{"body":{"a":1,"a":2}}`,
		"{\"path\":\"\x80\"}", "{\"header\":{\"\x80\":\"\x01\"}}", `{"path":"~\\x{10FFFF}"}`, `{"path":"~\u0000"}`,
		`{"body":{"additionalInfo":{"a":{"y":[2]}}}}`,
		`{"method":"POST","exactly":3}`, `{"method":"POST","exactly":2}`, `{"method":"DELETE","exactly":0}`, `{"method":"POST","exactly":0}`,
		`{"method":"POST","atLeast":4}`, `{"method":"POST","atMost":3}`, `{"method":"POST","atMost":2}`, `{"method":"DELETE","atMost":2}`,
		`{"method":"POST","atLeast":2,"atMost":4}`, `{"atLeast":0,"atMost":4}`} {
		f.Add([]byte(expectation))
	}
	j := newJournal(f)
	f.Fuzz(func(t *testing.T, expectation []byte) {
		var e journal.Expectation
		if strictjson.DecodeKnown(expectation, &e) != nil {
			return
		}
		verdict, err := verify(t, j, string(expectation))
		if err != nil {
			assert.NotEmpty(t, err.Error())
			assert.LessOrEqual(t, len(err.Error()), 2000)
			return
		}
		again, err := verify(t, j, string(expectation))
		require.NoError(t, err)
		assert.Equal(t, verdict, again)
		assert.Equal(t, meets(e, verdict.Matched), verdict.Verified)
		assert.LessOrEqual(t, len(verdict.Matches), verdict.Matched)
		_, err = strictjson.Encode(verdict)
		assert.NoError(t, err, "it can be shown")
	})
}

// meets reports whether so many matching exchanges are as many as an expectation wants.
func meets(e journal.Expectation, matched int) bool {
	if e.Exactly == nil && e.AtLeast == nil && e.AtMost == nil {
		return matched >= 1
	}
	return (e.Exactly == nil || matched == *e.Exactly) && (e.AtLeast == nil || matched >= *e.AtLeast) &&
		(e.AtMost == nil ||
			matched <= *e.AtMost)
}
