package journal

import (
	"bytes"
	"net/http"
	"unicode/utf8"
	"unsafe"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// Messages are a request and its answer with their secrets. Nobody may write into the bodies afterwards: a journal
// keeps them.
type Messages struct {
	Request  *http.Request // of which the method, the protocol and the header are taken
	BaseURL  string        // the scheme, the host and the sandbox's prefix that the caller used
	Path     string        // the path of the interface, escaped as it was sent
	RawQuery string
	Body     []byte
	// BodyBytes is how large the body of the request was, if Body is only its beginning.
	BodyBytes int

	Status int
	Header [][2]string // of the answer: name and value
	Answer []byte
	// AnswerGoesOn says that Answer is only the beginning of a body whose size isn't known yet.
	AnswerGoesOn bool
}

// maxBody is how much of a body is kept, in bytes (choice).
const maxBody = 16 << 10

// Bounds of the search for secrets (choice).
const (
	maxEchoes = 32      // secrets of a request that its answer repeats
	margin    = 4 << 10 // bytes behind the kept ones, for a secret at the cut
)

// Redacted returns what a journal keeps of the messages. If isForeign, the answer may be another one than the
// operation's, as of a fault, a stub or another service: then it may repeat secrets of the request.
func (m Messages) Redacted(operation string, isForeign bool) (Request, Response) {
	var secrets []string // which the answer may repeat
	mask := redact.Each(func(_, _, secret string) string {
		if isForeign && len(secrets) < maxEchoes {
			secrets = append(secrets, secret)
		}
		return redact.Fingerprint(secret)
	})
	text := make([]byte, 0, 1<<10) // more than most have
	for name, values := range m.Request.Header {
		for _, value := range values {
			text = appendLine(text, name, mask.Header(name, value))
		}
	}
	request := Request{
		Method: valid(m.Request.Method), Headers: Header(text), BodyBytes: max(len(m.Body), m.BodyBytes),
	}
	request.setURL(valid(m.BaseURL), valid(m.Path), valid(mask.Query("parameter", m.RawQuery)))
	if m.Request.ProtoMajor > 1 {
		request.HTTPVersion = "HTTP/2"
	}
	if len(m.Body) > 0 {
		whole := m.Body
		if !isForeign {
			whole = whole[:min(len(whole), maxBody+margin)]
		}
		masked := mask.RequestBody(whole, m.Request.Header.Get("Content-Type"))
		request.Body, request.BodyTruncated = beginningOf(masked, len(whole) < request.BodyBytes)
	}
	request.BodyTruncated = request.BodyTruncated || request.BodyBytes > len(m.Body)

	text = text[:0]
	for _, h := range m.Header {
		text = appendLine(text, h[0], redact.Header(h[0], h[1]))
	}
	whole := m.Answer
	if isForeign {
		operation = "" // its rules are not those of the answer
	} else {
		whole = whole[:min(len(whole), maxBody+margin)]
	}
	isCut := len(whole) < len(m.Answer)
	answer := redact.Echo(redact.AnswerBody(whole, operation, m.Status), secrets)
	response := Response{
		Status: m.Status, Headers: Header(redact.Echo(text, secrets)), BodyBytes: len(m.Answer),
	}
	response.Body, response.BodyTruncated = beginningOf(answer, isCut || m.AnswerGoesOn)
	return request, response
}

// setURL sets the URL of a request, and its parts as parts of the same text: it is kept once.
func (r *Request) setURL(base, path, query string) {
	r.URL = base + path
	if query != "" {
		r.URL += "?" + query
		r.Query = Parameters(r.URL[len(base)+len(path)+1:])
	}
	r.Path = r.URL[len(base) : len(base)+len(path)]
}

// beginningOf returns the part of a redacted body that a journal keeps. isCut says that more of it was left out before.
// It keeps a slice that has little room to spare. A copy of that costs a list a tenth of its time (BenchmarkHandler).
func beginningOf(body []byte, isCut bool) (kept string, truncated bool) {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	if len(body) > maxBody {
		end := maxBody
		for end > maxBody-utf8.UTFMax && !utf8.RuneStart(body[end]) {
			end--
		}
		return string(body[:end]), true
	}
	if len(body) == 0 || cap(body)-len(body) > len(body)/16 {
		return string(body), isCut
	}
	return unsafe.String(&body[0], len(body)), isCut
}
