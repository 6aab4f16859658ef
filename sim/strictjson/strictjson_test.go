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

// A number with an integral value is an integer, however it is written.
func TestIntegers(t *testing.T) {
	for number, want := range map[string]string{
		"7": "7", "7.0": "7", "-7.00": "-7", "1e2": "100", "1.50e1": "15", "120E-1": "12", "0.0": "0", "-0.0": "0",
		"9007199254740993.0": "9007199254740993", "0e20": "0", "1e-1": "", "7.5": "", "1e21": "", "1e-99999999999": "",
		"0.10e1": "1", "12e-2": "",
	} {
		got, ok := strictjson.Integer(number)
		assert.Equal(t, want, got, number)
		assert.Equal(t, want != "", ok, number)
	}
	type numbers struct {
		Text  string  `json:"text"`
		Int   int     `json:"int"`
		Large *uint64 `json:"large"`
		List  []int64 `json:"list"`
		Any   any     `json:"any"`
	}
	const body = `{"text":"7.0","any":7.5,"int": 7.0 ,"list":[1,2e0,-3.0],"large":18446744073709551615.0}`
	var got numbers
	require.NoError(t, strictjson.Decode([]byte(body), &got))
	large := uint64(18446744073709551615)
	assert.Equal(t, numbers{"7.0", 7, &large, []int64{1, 2, -3}, 7.5}, got)
	for _, body := range []string{
		`{"int":7.5}`, `{"int":"7.0"}`, `{"int":1e30}`, `{"list":[1.0,2.5]}`, `{"large":-1.0}`,
	} {
		var wrong *strictjson.Error
		require.ErrorAs(t, strictjson.Decode([]byte(body), &numbers{}), &wrong, body)
		assert.Equal(t, strictjson.Mistyped, wrong.Kind, body)
	}
}
