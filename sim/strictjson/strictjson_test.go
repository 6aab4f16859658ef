package strictjson_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

type body struct {
	Name   *string `json:"name"`
	Inside struct {
		Count *int64 `json:"count"`
	} `json:"inside"`
}

func TestDecodeRefusesWhatTwoParsersCouldReadDifferently(t *testing.T) {
	for text, want := range map[string]strictjson.Error{
		"":                                 {Kind: strictjson.Invalid},
		`{"name":"a"`:                      {Kind: strictjson.Invalid},
		`{"name":}`:                        {Kind: strictjson.Invalid},
		`{"name":"a"} x`:                   {Kind: strictjson.Ambiguous},
		"{\"name\":\"\x80\"}":              {Kind: strictjson.Ambiguous},
		`{"name":"a","name":"b"}`:          {Kind: strictjson.Duplicate, Member: "name"},
		`{"inside":{"count":1,"count":1}}`: {Kind: strictjson.Duplicate, Member: "inside.count"},
		`null`:                             {Kind: strictjson.NotObject},
		`[1]`:                              {Kind: strictjson.NotObject},
		`{"name":1}`:                       {Kind: strictjson.Mistyped, Member: "name", Type: reflect.TypeFor[string]()},
		`{"inside":{"count":"1"}}`:         {Kind: strictjson.Mistyped, Member: "inside.count", Type: reflect.TypeFor[int64]()},
		`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`: {Kind: strictjson.Ambiguous},
	} {
		var into body
		err := strictjson.Decode([]byte(text), &into)
		var got *strictjson.Error
		if assert.ErrorAs(t, err, &got, "%q", text) {
			assert.Equal(t, want, strictjson.Error{Kind: got.Kind, Member: got.Member, Type: got.Type}, "%q", text)
		}
	}
}

func TestDecodeMatchesNamesExactly(t *testing.T) {
	var into body
	require.NoError(t, strictjson.Decode([]byte(`{"NAME":"a","more":1,"inside":null}`), &into))
	assert.Nil(t, into.Name)

	var unknown *strictjson.Error
	require.ErrorAs(t, strictjson.DecodeKnown([]byte(`{"inside":{"cuont":1}}`), &into), &unknown)
	assert.Equal(t, strictjson.Unknown, unknown.Kind)
	assert.EqualError(t, unknown, "unknown member inside.cuont")
}

func TestEncodeLeavesHTMLAlone(t *testing.T) {
	data, err := strictjson.Encode(map[string]string{"b": "<&>", "a": "\x80"})
	require.NoError(t, err)
	assert.Equal(t, `{"a":"\ufffd","b":"<&>"}`, string(data))
	assert.PanicsWithValue(
		t, "strictjson: a func() can't be encoded: json: unsupported type: func()",
		func() { strictjson.MustEncode(func() {}) },
	)
}
