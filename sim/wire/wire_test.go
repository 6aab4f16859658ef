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
		"":                                 {Kind: wire.Invalid},
		`{"name":"a"`:                      {Kind: wire.Invalid},
		`{"name":}`:                        {Kind: wire.Invalid},
		`{"name":"a"} x`:                   {Kind: wire.Ambiguous},
		"{\"name\":\"\x80\"}":              {Kind: wire.Ambiguous},
		`{"name":"a","name":"b"}`:          {Kind: wire.Duplicate, Member: "name"},
		`{"inside":{"count":1,"count":1}}`: {Kind: wire.Duplicate, Member: "inside.count"},
		`null`:                             {Kind: wire.NotObject},
		`[1]`:                              {Kind: wire.NotObject},
		`{"name":1}`:                       {Kind: wire.Mistyped, Member: "name", Type: reflect.TypeFor[string]()},
		`{"inside":{"count":"1"}}`:         {Kind: wire.Mistyped, Member: "inside.count", Type: reflect.TypeFor[int64]()},
		`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`: {Kind: wire.Ambiguous},
	} {
		var into body
		err := wire.Decode([]byte(text), &into)
		var got *wire.Error
		if assert.ErrorAs(t, err, &got, "%q", text) {
			assert.Equal(t, want, wire.Error{Kind: got.Kind, Member: got.Member, Type: got.Type}, "%q", text)
		}
	}
}

func TestDecodeMatchesNamesExactly(t *testing.T) {
	var into body
	require.NoError(t, wire.Decode([]byte(`{"NAME":"a","more":1,"inside":null}`), &into))
	assert.Nil(t, into.Name)

	var unknown *wire.Error
	require.ErrorAs(t, wire.DecodeKnown([]byte(`{"inside":{"cuont":1}}`), &into), &unknown)
	assert.Equal(t, wire.Unknown, unknown.Kind)
	assert.EqualError(t, unknown, "unknown member inside.cuont")
}

func TestEncodeLeavesHTMLAlone(t *testing.T) {
	data, err := wire.Encode(map[string]string{"b": "<&>", "a": "\x80"})
	require.NoError(t, err)
	assert.Equal(t, `{"a":"\ufffd","b":"<&>"}`, string(data))
	assert.PanicsWithValue(t, "wire: a func() can't be encoded: json: unsupported type: func()", func() { wire.MustEncode(func() {}) })
}
