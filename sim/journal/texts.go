package journal

import (
	"encoding/binary"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// texts are several texts in one string, each after its length. An entry has most of its texts like this: a journal holds many
// entries, and each collection of garbage looks at each piece of memory that they hold.
type texts string

// The first texts of an entry. What follows are the names and values of the request's headers, then of the answer's.
const (
	sandboxText = iota
	methodText
	baseURLText
	pathText
	queryText
	firstHeader
)

// appendText adds a text after its length.
func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// next returns the first of the texts, and the others.
func (t texts) next() (text string, rest texts) {
	length, at := 0, 0
	for shift := 0; ; shift += 7 {
		b := t[at]
		length |= int(b&0x7f) << shift
		at++
		if b < 0x80 {
			break
		}
	}
	return string(t[at : at+length]), t[at+length:]
}

// skip returns the texts after the first ones.
func (t texts) skip(count int) texts {
	for range count {
		_, t = t.next()
	}
	return t
}

// texts returns the texts of an exchange, redacted, and how many headers of the request and of the answer are among them.
func (raw *Raw) texts() (all texts, request, response int) {
	var room [1 << 10]byte // more than most have
	b := appendText(room[:0], raw.Sandbox)
	b = appendText(b, raw.Method)
	b = appendText(b, raw.BaseURL)
	b = appendText(b, raw.Path)
	b = appendText(b, redact.Query(raw.RawQuery))
	for name, values := range raw.RequestHeader {
		for _, value := range values {
			b = appendText(appendText(b, name), redact.Header(name, value))
		}
		request += len(values)
	}
	for _, h := range raw.ResponseHeader {
		b = appendText(appendText(b, h[0]), redact.Header(h[0], h[1]))
	}
	return texts(b), request, len(raw.ResponseHeader)
}

// text returns one of the first texts of the entry.
func (e *entry) text(which int) string {
	text, _ := e.texts.skip(which).next()
	return text
}

// requestFields returns the headers of the request.
func (e *entry) requestFields() fields {
	return fields{rest: e.texts.skip(firstHeader), left: e.requestHeaders}
}

// responseFields returns the headers of the answer.
func (e *entry) responseFields() fields {
	return fields{rest: e.texts.skip(firstHeader + 2*int(e.requestHeaders)), left: e.responseHeaders}
}

// fields reads headers, one with each call of next.
type fields struct {
	name, value string // of the header that was read last; the name is as it was spelt
	rest        texts
	left        uint32
}

func (f *fields) next() bool {
	if f.left == 0 {
		return false
	}
	f.left--
	f.name, f.rest = f.rest.next()
	f.value, f.rest = f.rest.next()
	return true
}
