package journal

import (
	"bytes"
	"io"
	"mime"

	"github.com/go-json-experiment/json/jsontext"
)

// redactRequestBody returns what is kept of a request's body, given its Content-Type and whether it is the whole.
// A body that is neither JSON nor a form is masked. The result may be the body itself.
func redactRequestBody(data []byte, contentType string, whole bool) []byte {
	if !whole {
		return mask(data)
	}
	if redacted, ok := redactJSON(data, requestMembers); ok {
		return redacted
	}
	if isForm(contentType) {
		return []byte(redactPairs(string(data), isPlainMember))
	}
	return mask(data)
}

// redactResponseBody returns what is kept of an answer's body. The result may be the body itself.
func redactResponseBody(data []byte, operation string) []byte {
	if len(data) == 0 || !answersSecrets(operation) {
		return data
	}
	if redacted, ok := redactJSON(data, responseMembers); ok {
		return redacted
	}
	return mask(data)
}

func isForm(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/x-www-form-urlencoded"
}

// mask replaces every byte by "x" that is neither white space nor punctuation which gives a text its shape, so that
// what is wrong with it can still be found by its position.
func mask(data []byte) []byte {
	masked := make([]byte, len(data))
	for i, c := range data {
		masked[i] = 'x'
		if bytes.IndexByte([]byte(" \t\r\n{}[]():;,\"'=&<>\\"), c) >= 0 {
			masked[i] = c
		}
	}
	return masked
}

// redactJSON redacts a JSON text and leaves the rest of it, white space included, as it is. ok is false where it is
// not one.
func redactJSON(data []byte, known members) (redacted []byte, ok bool) {
	r := redactor{
		data:    data,
		known:   known,
		decoder: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)),
	}
	if err := r.value(hidden); err != nil {
		return nil, false
	}
	if _, err := r.decoder.ReadToken(); err != io.EOF {
		return nil, false
	}
	if r.done == 0 {
		return data, true
	}
	return append(r.out, data[r.done:]...), true
}

// HideValues returns a JSON object's text with each of its members' values as a fingerprint. It returns nil for what
// is not a JSON object.
func HideValues(object string) jsontext.Value {
	data := []byte(object)
	r := redactor{data: data, decoder: jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))}
	if r.decoder.PeekKind() != '{' || r.object(true) != nil {
		return nil
	}
	return append(r.out, data[r.done:]...)
}

// redactor goes through a JSON text and replaces what is hidden.
type redactor struct {
	data    []byte
	known   members
	decoder *jsontext.Decoder
	out     []byte
	done    int // how much of data is in out
}

// value redacts the next value. Hidden, here, is only a value that is no object or array: what those hold is
// treated by its own names.
func (r *redactor) value(t treatment) error {
	switch kind := r.decoder.PeekKind(); {
	case kind == '{':
		return r.object(t == named)
	case kind == '[':
		return r.array(t)
	case t == plain || kind == 'n':
		_, err := r.decoder.ReadToken()
		return err
	default:
		return r.hide()
	}
}

func (r *redactor) object(hideAll bool) error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	for r.decoder.PeekKind() != '}' {
		name, err := r.decoder.ReadToken()
		if err != nil {
			return err
		}
		t := r.known[name.String()]
		if hideAll || t == hidden {
			err = r.hide()
		} else {
			err = r.value(t)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.decoder.ReadToken()
	return err
}

func (r *redactor) array(t treatment) error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	for r.decoder.PeekKind() != ']' {
		if err := r.value(t); err != nil {
			return err
		}
	}
	_, err := r.decoder.ReadToken()
	return err
}

// hide replaces the next value by its fingerprint. An empty string and null hide nothing and stay.
func (r *redactor) hide() error {
	raw, err := r.decoder.ReadValue()
	if err != nil {
		return err
	}
	shown := redactValue(raw)
	if shown == nil {
		return nil
	}
	end := int(r.decoder.InputOffset())
	r.out = append(r.out, r.data[r.done:end-len(raw)]...)
	r.out = append(r.out, shown...)
	r.done = end
	return nil
}

// redactValue returns what stands for a hidden JSON value; nil: the value itself.
func redactValue(raw jsontext.Value) jsontext.Value {
	secret := secretText(raw)
	if secret == "" {
		return nil
	}
	return jsontext.Value(`"` + Fingerprint(secret) + `"`)
}

// secretText returns the text of which the fingerprint stands for a JSON value: the content of a string, the text
// of anything else, so that a token has one fingerprint in a body and in a header. It is empty where there is
// nothing to hide.
func secretText(raw jsontext.Value) string {
	switch raw.Kind() {
	case 'n':
		return ""
	case '"':
		text, _ := jsontext.AppendUnquote(nil, raw) // it was read as a string
		return string(text)
	case '{', '[':
		canonical := raw.Clone()
		if canonical.Canonicalize() != nil {
			_ = canonical.Compact() // duplicate members; it was read as a value
		}
		return string(canonical)
	default:
		return string(raw)
	}
}
