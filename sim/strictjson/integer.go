package strictjson

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxZeros is how many zeros the exponent of an integer adds at most (choice): no integer of Go has more.
const maxZeros = 20

// Integer returns a JSON number with an integral value as an integer is usually written: 7 for 7.0, 100 for 1e2. JSON
// has one kind of number (RFC 8259 6). ok is false for any other number.
func Integer(number string) (integer string, ok bool) {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(number), "e")
	zeros := 0
	if hasExponent {
		var err error
		if zeros, err = strconv.Atoi(exponent); err != nil || zeros > maxZeros || zeros < -len(mantissa) {
			return "", false
		}
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, point := whole+fraction, len(whole)+zeros // where the fraction begins in digits
	digits += strings.Repeat("0", max(0, point-len(digits)))
	if point = max(0, point); strings.Trim(digits[point:], "0") != "" {
		return "", false
	}
	if digits = strings.TrimLeft(digits[:point], "0"); digits == "" {
		return "0", true
	}
	return sign + digits, true
}

// withIntegers writes each number with an integral value as an integer. It stops where the text is not JSON. changed is
// false if the text stays as it was.
func withIntegers(data []byte) (text []byte, changed bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	end := int64(0) // of what is copied
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			break
		}
		if token.Kind() != '0' {
			continue
		}
		number := token.String()
		if integer, ok := Integer(number); ok && integer != number {
			after := decoder.InputOffset()
			text = append(append(text, data[end:after-int64(len(number))]...), integer...)
			end, changed = after, true
		}
	}
	return append(text, data[end:]...), changed
}
