package contract

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// codeMessage returns the error body {code, message} (section 7.2). Its members come from the entries.
func codeMessage(entries ...*Entry) *Object {
	return answered("",
		member("code", textType(""), from(FromCode), same, cites(entries...)),
		member("message", textType(""), from(FromMessage), cites(entries...)))
}

// codeMessageEntry declares the entry that gives operations the error body {code, message}.
func codeMessageEntry(id string, operations []string, basis Basis, source string) *Entry {
	return entry(id, operations, basis, Entry{
		Question: "What does an error look like?",
		answer:   "{code string, message string}; the message is in the simulator's own words.",
		source:   source,
	})
}

// Error returns an error body of the family, in JSON.
func (f *Family) Error(status int, code, message string) []byte {
	return f.ErrorBody.appendError(nil, status, code, message)
}

// appendError appends an error body in JSON.
func (o *Object) appendError(b []byte, status int, code, message string) []byte {
	b = append(b, '{')
	for i, m := range o.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, m.Name), ':')
		switch m.From {
		case FromStatus:
			b = strconv.AppendInt(b, int64(status), 10)
		case FromCode:
			b = appendQuoted(b, code)
		case FromMessage:
			b = appendQuoted(b, message)
		case FromErrorType:
			b = appendQuoted(b, m.Type.Enum[min(status/500, 1)])
		default:
			b = m.Type.Object.appendError(b, status, code, message)
		}
	}
	return append(b, '}')
}

// appendQuoted appends a text as a JSON string, without HTML escapes.
func appendQuoted(b []byte, text string) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a text can always be encoded
	return append(b, bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))...)
}

// ErrorCode returns the code of an error body of any family, or an empty text if there is no code.
func ErrorCode(body []byte) string {
	var shape struct {
		Code      json.RawMessage `json:"code"`
		ErrorInfo struct {
			ErrorCode string `json:"errorCode"`
		} `json:"errorInfo"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return ""
	}
	var code string
	_ = json.Unmarshal(shape.Code, &code) // in the body of a success it can have any type
	return code + shape.ErrorInfo.ErrorCode
}
