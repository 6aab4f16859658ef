package redact

import (
	"bytes"
	"mime"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// RequestBody returns what may be kept of a request's body, given its Content-Type and whether it is the whole body.
// A body that is neither JSON nor a form nor multipart is masked. The result may be the body itself.
func RequestBody(body []byte, contentType string, whole bool) []byte {
	boundary, isMultipart := wire.Boundary(contentType)
	switch {
	case whole && isMultipart:
		return redactParts(body, boundary)
	case whole && wire.Valid(body):
		return redactJSON(body, requestMembers)
	case whole && IsForm(contentType):
		return []byte(redactPairs(string(body), requestMembers.isPlain))
	}
	return mask(body)
}

// AnswerBody returns what may be kept of the body that an operation answered. The result may be the body itself.
func AnswerBody(body []byte, operation string) []byte {
	switch {
	case len(body) == 0 || !answersSecrets[operation]:
		return body
	case wire.Valid(body):
		return redactJSON(body, answerMembers)
	}
	return mask(body)
}

// IsForm reports whether a Content-Type is that of a form.
func IsForm(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/x-www-form-urlencoded"
}

// shape are the bytes that a masked text keeps.
const shape = " \t\r\n{}[]():;,\"'=&<>\\"

// mask replaces every byte by "x", except white space and punctuation. What is wrong with the text can then still be
// found by its position.
func mask(text []byte) []byte {
	masked := make([]byte, len(text))
	for i, c := range text {
		masked[i] = 'x'
		if bytes.IndexByte([]byte(shape), c) >= 0 {
			masked[i] = c
		}
	}
	return masked
}
