package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// Decode reads a JSON value as conditions compare it: its numbers are [json.Number], because large ones don't fit a
// float64.
func Decode(data []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is data after the value")
	}
	return value, nil
}

// number is a JSON number by its text.
type number string

// newNumber returns a number of any type: that of a request is a json.Number, that of a rule in Go may be an int.
func newNumber(value any) (number, bool) {
	if n, ok := value.(json.Number); ok {
		return number(n), true
	}
	switch of := reflect.ValueOf(value); {
	case of.CanInt():
		return number(strconv.FormatInt(of.Int(), 10)), true
	case of.CanUint():
		return number(strconv.FormatUint(of.Uint(), 10)), true
	case of.CanFloat():
		return number(strconv.FormatFloat(of.Float(), 'g', -1, 64)), true
	}
	return "", false
}

// equal reports whether two numbers have the same value, exactly.
func (n number) equal(other number) bool {
	if n == other {
		return true
	}
	a, okA := n.rational()
	b, okB := other.rational()
	return okA && okB && a.Cmp(b) == 0
}

// How long a number and its exponent may be for its value to be computed: some texts stand for numbers that don't fit
// the memory.
const (
	maxNumber   = 400
	maxExponent = 4
)

func (n number) rational() (*big.Rat, bool) {
	_, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	if len(n) > maxNumber || len(exponent) > maxExponent {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}
