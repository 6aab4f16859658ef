package wire_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type body struct {
	Name   *string `json:"name"`
	Inside struct {
		Count *int64 `json:"count"`
	} `json:"inside"`
}

func TestDecodeRefusesWhatTwoParsersCouldReadDifferently(t *testing.T) {
	for text, want := range map[string]wire.Error{
		"":                                 {Kind: wire.EndsEarly},
		`{"name":"a"`:                      {Kind: wire.EndsEarly},
		`{"name":}`:                        {Kind: wire.Invalid, Offset: 8},
		`{"name":"a"} x`:                   {Kind: wire.Ambiguous, Offset: 13},
		"{\"name\":\"\x80\"}":              {Kind: wire.Ambiguous, Offset: 9},
		`{"name":"a","name":"b"}`:          {Kind: wire.Duplicate, Member: "name"},
		`{"inside":{"count":1,"count":1}}`: {Kind: wire.Duplicate, Member: "inside.count"},
		`null`:                             {Kind: wire.NotObject},
		`[1]`:                              {Kind: wire.NotObject},
		`{"name":1}`:                       {Kind: wire.Mistyped, Member: "name", Type: reflect.TypeFor[string]()},
		`{"inside":{"count":"1"}}`:         {Kind: wire.Mistyped, Member: "inside.count", Type: reflect.TypeFor[int64]()},
		`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`: {Kind: wire.TooDeep},
	} {
		var into body
		err := wire.Decode([]byte(text), &into)
		var got *wire.Error
		if assert.ErrorAs(t, err, &got, "%q", text) {
			assert.Equal(t, want, *got, "%q", text)
		}
	}
}

func TestDecodeMatchesNamesExactly(t *testing.T) {
	var into body
	require.NoError(t, wire.Decode([]byte(`{"NAME":"a","more":1,"inside":null}`), &into))
	assert.Nil(t, into.Name)

	var unknown *wire.Error
	require.ErrorAs(t, wire.DecodeKnown([]byte(`{"inside":{"cuont":1}}`), &into), &unknown)
	assert.Equal(t, wire.Error{Kind: wire.Unknown, Member: "inside.cuont"}, *unknown)
}

func TestValid(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":1,"a":[2,null]}`: true, ` "a" `: true, "": false, `{"a"}`: false, `1 2`: false, "\"\x80\"": false, `"\ud800"`: false, "\"\x01\"": false,
	} {
		assert.Equal(t, want, wire.Valid([]byte(text)), "%q", text)
	}
}

func TestEncodeLeavesHTMLAlone(t *testing.T) {
	data, err := wire.Encode(map[string]string{"b": "<&>", "a": "\x80"})
	require.NoError(t, err)
	assert.Equal(t, `{"a":"\ufffd","b":"<&>"}`, string(data))
	data, err = wire.Encode("a\u2028b\u2029 \\u2028 \\\u2028")
	require.NoError(t, err)
	assert.Equal(t, "\"a\u2028b\u2029 \\\\u2028 \\\\\u2028\"", string(data))
	assert.PanicsWithValue(t, "wire: a func() can't be encoded: json: unsupported type: func()", func() { wire.MustEncode(func() {}) })
}
