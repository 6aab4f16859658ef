package redact

import (
	"bytes"
	"encoding/json"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// redactJSON redacts a valid JSON text. White space and the values that are kept stay as they are.
func redactJSON(text []byte, known members) []byte {
	r := redactor{text: text, members: known}
	r.value(hidden)
	return r.result()
}

// HideValues returns a JSON object with the fingerprint of each of its members' values. It returns nil for a text that
// is not a JSON object.
func HideValues(object string) json.RawMessage {
	r := redactor{text: []byte(object)}
	if !wire.Valid(r.text) || r.next() != '{' {
		return nil
	}
	r.object(true)
	return r.result()
}

// redactor reads a JSON text from its beginning to its end and replaces the hidden values. The text must be valid: the
// methods don't look for mistakes.
type redactor struct {
	text    []byte
	at      int // what is before it has been read
	members members

	redacted []byte // in place of the first bytes of text
	replaced int    // the number of these bytes
}

func (r *redactor) result() []byte {
	if r.replaced == 0 {
		return r.text
	}
	return append(r.redacted, r.text[r.replaced:]...)
}

// next skips white space and separators and returns the first byte of what follows.
func (r *redactor) next() byte {
	for {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		default:
			return c
		}
	}
}

// value redacts the next value. Here, hidden applies to strings, numbers and booleans alone: the values in an object or
// an array are treated by the names of their own members.
func (r *redactor) value(t treatment) {
	switch c := r.next(); {
	case c == '{':
		r.object(t == named)
	case c == '[':
		r.array(t)
	case t == plain:
		r.skip()
	default:
		r.hide()
	}
}

func (r *redactor) object(hideAll bool) {
	r.at++
	for r.next() != '}' {
		if t := r.members.of(r.skip()); hideAll || t == hidden {
			r.hide()
		} else {
			r.value(t)
		}
	}
	r.at++
}

func (r *redactor) array(t treatment) {
	r.at++
	for r.next() != ']' {
		r.value(t)
	}
	r.at++
}

// hide replaces the next value by its fingerprint. An empty string and null hide nothing and stay.
func (r *redactor) hide() {
	value := r.skip()
	secret := secretText(value)
	if secret == "" {
		return
	}
	r.redacted = append(r.redacted, r.text[r.replaced:r.at-len(value)]...)
	r.redacted = append(r.redacted, `"`+Fingerprint(secret)+`"`...)
	r.replaced = r.at
}

// skip reads the next value and returns its text.
func (r *redactor) skip() []byte {
	r.next()
	start := r.at
	for depth := 0; ; {
		switch r.next() {
		case '{', '[':
			depth++
			r.at++
		case '}', ']':
			depth--
			r.at++
		case '"':
			r.skipString()
		default:
			r.skipWord()
		}
		if depth == 0 {
			return r.text[start:r.at]
		}
	}
}

func (r *redactor) skipString() {
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
}

// skipWord reads a number, true, false or null.
func (r *redactor) skipWord() {
	for r.at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,]}"), r.text[r.at]) < 0 {
		r.at++
	}
}

// secretText returns the text whose fingerprint is shown in place of a JSON value: the content of a string, the JSON of
// any other value. So a token has the same fingerprint in a body as in a header. The text is empty for a value that
// hides nothing.
func secretText(value []byte) string {
	switch value[0] {
	case 'n':
		return ""
	case '"':
		return unquote(value)
	case '{', '[':
		return canonical(value)
	}
	return string(value)
}

// canonical returns a JSON value without white space and with the members of objects in the order of their names.
func canonical(value []byte) string {
	var decoded any
	if json.Unmarshal(value, &decoded) == nil {
		return string(wire.MustEncode(decoded))
	}
	var compact bytes.Buffer // it has a number that is too large
	_ = json.Compact(&compact, value)
	return compact.String()
}

// of returns the treatment of a member, by its name as a JSON string. It allocates nothing for a name without escapes.
func (m members) of(name []byte) treatment {
	if bytes.IndexByte(name, '\\') < 0 {
		return m[string(name[1:len(name)-1])]
	}
	return m[unescape(name)]
}

// unquote returns the content of a valid JSON string.
func unquote(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	return unescape(text)
}

// unescape returns the content of a valid JSON string with escapes.
func unescape(text []byte) (content string) {
	_ = json.Unmarshal(text, &content)
	return content
}
