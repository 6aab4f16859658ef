package journal

import (
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Header is the header of a message: a line for each value, with the name in the case of the message. It is one text
// because a journal holds many of them, and each collection of garbage looks at each piece of memory. Its JSON has
// the values by name.
type Header string

// NewHeader returns a header of names with values.
func NewHeader(values map[string][]string) Header {
	var text []byte
	for name, of := range values {
		for _, value := range of {
			text = appendLine(text, name, value)
		}
	}
	return Header(text)
}

// appendLine appends a value. net/http lets no line break into it.
func appendLine(text []byte, name, value string) []byte {
	text = append(append(text, valid(name)...), ':')
	return append(append(text, strings.ReplaceAll(valid(value), "\n", " ")...), '\n')
}

// All yields names and values, by name.
func (h Header) All() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		values := h.Values()
		for _, name := range slices.Sorted(maps.Keys(values)) {
			for _, value := range values[name] {
				if !yield(name, value) {
					return
				}
			}
		}
	}
}

// Get returns the first value of a header, or "" without the header. The name may be in any case.
func (h Header) Get(name string) string {
	for line := range strings.Lines(string(h)) {
		if sent, value, _ := strings.Cut(line[:len(line)-1], ":"); strings.EqualFold(sent, name) {
			return value
		}
	}
	return ""
}

// Values returns the values by name.
func (h Header) Values() map[string][]string {
	values := map[string][]string{}
	for line := range strings.Lines(string(h)) {
		name, value, _ := strings.Cut(line[:len(line)-1], ":")
		values[name] = append(values[name], value)
	}
	return values
}

// MarshalJSON implements json.Marshaler.
func (h Header) MarshalJSON() ([]byte, error) { return json.Marshal(h.Values()) }

// UnmarshalJSON implements json.Unmarshaler.
func (h *Header) UnmarshalJSON(data []byte) error {
	var values map[string][]string
	err := json.Unmarshal(data, &values)
	*h = NewHeader(values)
	return err
}

// Parameters are the query of a request, redacted. Their JSON has the values by name.
type Parameters string

// Values returns the values by name, without the parts that can't be read.
func (p Parameters) Values() url.Values {
	parsed, _ := url.ParseQuery(string(p))
	values := make(url.Values, len(parsed))
	for name, of := range parsed {
		for _, value := range of {
			values[valid(name)] = append(values[valid(name)], valid(value))
		}
	}
	return values
}

// MarshalJSON implements json.Marshaler.
func (p Parameters) MarshalJSON() ([]byte, error) { return json.Marshal(p.Values()) }

// UnmarshalJSON implements json.Unmarshaler.
func (p *Parameters) UnmarshalJSON(data []byte) error {
	var values url.Values
	err := json.Unmarshal(data, &values)
	*p = Parameters(values.Encode())
	return err
}

// valid makes a text fit for JSON, whatever the caller sent.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
