package journal

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// Raw is an exchange before it is redacted. The journal owns its bodies once it has been added.
type Raw struct {
	Sandbox   string
	Operation string        // empty: no operation's path
	Dialect   string        // that the operation was answered in; empty: no operation's path
	At        time.Time     // virtual time
	RealAt    time.Time     // when the request came
	Took      time.Duration // until the answer was ready

	HTTP2            bool // whether it came in a stream of HTTP/2
	Method           string
	BaseURL          string // that the caller used: scheme, host and the sandbox's prefix
	Path             string // the interface's, escaped as it was sent
	RawQuery         string
	RequestHeader    http.Header
	RequestBody      []byte
	RequestBodyBytes int // how large the body was, where RequestBody is only its beginning

	Status         int
	ResponseHeader [][2]string // name and value
	ResponseBody   []byte

	Decision Decision
	Step     Step
	Fault    *Fault // nil: none; the journal owns it, too
	Lints    []Lint
}

// maxBody is how much of a body is kept, in bytes.
const maxBody = 64 << 10

// entry is an exchange as a journal holds it: redacted and compact. It is immutable once it is in the journal and not
// pending.
type entry struct {
	number  uint64
	cost    int64 // bytes that it counts for
	pending bool  // whether only its number is known; guarded by the mu of the journal, as number and cost are
	http2   bool
	status  int32

	texts                           texts
	requestHeaders, responseHeaders uint32   // how many there are among the texts
	reused                          [2]reuse // the request ids that an earlier exchange had: at most one of each kind

	request, response body

	at     time.Time
	realAt time.Time
	took   time.Duration
	step   Step
	reason *reason
	odd    *odd // nil for most
}

// odd is what most exchanges don't have.
type odd struct {
	fault *Fault
	lints []Lint
}

// body is what is kept of a body.
type body struct {
	text []byte // redacted
	size int    // of the whole body, in bytes
	cut  bool   // whether text is only the beginning
}

// Exchange returns the exchange as a journal would show it, without a number.
func (raw Raw) Exchange() Exchange {
	e := new(entry)
	e.fill(&raw, new(neighbours))
	return e.exchange()
}

// fill sets what an entry holds of an exchange, redacted.
func (e *entry) fill(raw *Raw, near *neighbours) {
	e.http2 = raw.HTTP2
	e.at, e.realAt, e.took = raw.At, raw.RealAt, raw.Took
	e.status, e.step = int32(raw.Status), raw.Step
	e.reason = near.reason(reason{raw.Operation, raw.Dialect, raw.Decision})
	if raw.Fault != nil || len(raw.Lints) > 0 {
		e.odd = &odd{raw.Fault, raw.Lints}
	}
	texts, request, response := raw.texts()
	e.texts, e.requestHeaders, e.responseHeaders = texts, uint32(request), uint32(response)
	if len(raw.RequestBody) > 0 || raw.RequestBodyBytes > 0 {
		media := raw.RequestHeader.Get("Content-Type")
		e.request = newBody(redact.RequestBody(raw.RequestBody, media), raw.RequestBody, raw.RequestBodyBytes)
	}
	e.response = newBody(redact.AnswerBody(raw.ResponseBody, raw.Operation), raw.ResponseBody, 0)
	e.response.text = near.body(e.response.text)
}

// newBody keeps a redacted body, given the raw one and, where that is only the beginning, the size of the whole.
func newBody(redacted, raw []byte, size int) body {
	b := body{text: redacted, size: max(len(raw), size), cut: size > len(raw)}
	if len(b.text) > maxBody {
		end := maxBody
		for end > maxBody-utf8.UTFMax && !utf8.RuneStart(b.text[end]) {
			end--
		}
		b.text, b.cut = b.text[:end], true
	}
	if spare := cap(b.text) - len(b.text); spare > len(b.text)/4+64 {
		b.text = bytes.Clone(b.text)
	}
	return b
}

// bytes returns how much memory the entry holds, its place in the journal included.
func (e *entry) bytes() int64 {
	decision := &e.reason.decision
	size := int(unsafe.Sizeof(entry{})) + 2*int(unsafe.Sizeof(e)) +
		len(e.texts) + cap(e.request.text) + cap(e.response.text) +
		int(unsafe.Sizeof(reason{})) + len(decision.Row) + len(decision.Message) + cap(decision.Entries)*int(unsafe.Sizeof(""))
	for f := e.requestFields(); f.next(); {
		if kindOf(f.name) != notRequestID {
			size += requestIDBytes
		}
	}
	if e.odd != nil {
		size += e.odd.bytes()
	}
	return int64(size)
}

func (o *odd) bytes() int {
	size := int(unsafe.Sizeof(*o))
	if o.fault != nil {
		size += int(unsafe.Sizeof(*o.fault)) + len(o.fault.Fired)*int(unsafe.Sizeof(""))
	}
	for _, l := range o.lints {
		size += int(unsafe.Sizeof(l)) + len(l.Code) + len(l.Message)
	}
	return size
}

// fault returns what faults did; nil: there were none.
func (e *entry) fault() *Fault {
	if e.odd == nil {
		return nil
	}
	return e.odd.fault
}

// lints returns the lints of the exchange, never nil.
func (e *entry) lints() []Lint {
	lints := []Lint{}
	if e.odd != nil {
		lints = append(lints, e.odd.lints...)
	}
	for kind, r := range e.reused {
		if r.by != 0 {
			lints = append(lints, e.reuseLint(requestIDKind(kind+1), r))
		}
	}
	return lints
}

// httpVersion returns the version of HTTP; empty: 1.
func (e *entry) httpVersion() string {
	if e.http2 {
		return "HTTP/2"
	}
	return ""
}

// exchange returns the entry as it leaves the package.
func (e *entry) exchange() Exchange {
	x := Exchange{
		ID:         formatID(e.number),
		Sandbox:    e.text(sandboxText),
		Operation:  e.reason.operation,
		Dialect:    e.reason.dialect,
		At:         e.at,
		RealAt:     e.realAt,
		TookMicros: e.took.Microseconds(),
		Request: Request{
			HTTPVersion:   e.httpVersion(),
			Method:        valid(e.text(methodText)),
			URL:           valid(e.text(baseURLText) + e.text(pathText)),
			Path:          valid(e.text(pathText)),
			Query:         e.queryValues(),
			Headers:       headerValues(e.requestFields()),
			Body:          valid(string(e.request.text)),
			BodyBytes:     e.request.size,
			BodyTruncated: e.request.cut,
		},
		Response: Response{
			Status:        int(e.status),
			Headers:       headerValues(e.responseFields()),
			Body:          valid(string(e.response.text)),
			BodyBytes:     e.response.size,
			BodyTruncated: e.response.cut,
		},
		Decision: e.decision(),
		Changed:  e.step.Changed,
		Fault:    e.fault(),
		Lints:    e.lints(),
	}
	if query := e.text(queryText); query != "" {
		x.Request.URL += "?" + valid(query)
	}
	return x
}

// decision returns the decision as it leaves the package.
func (e *entry) decision() Decision {
	d := e.reason.decision
	if d.Entries == nil {
		d.Entries = []string{} // in JSON, too
	}
	return d
}

func (e *entry) queryValues() url.Values { return parsePairs(e.text(queryText)) }

// parsePairs reads a query or a form and skips what is malformed in it.
func parsePairs(text string) url.Values {
	parsed, _ := url.ParseQuery(text)
	values := make(url.Values, len(parsed))
	for name, of := range parsed {
		for _, value := range of {
			values[valid(name)] = append(values[valid(name)], valid(value))
		}
	}
	return values
}

// headerValues returns headers by name.
func headerValues(f fields) Header {
	values := make(Header, f.left)
	for f.next() {
		name := valid(f.name)
		values[name] = append(values[name], valid(f.value))
	}
	return values
}

// valid makes a text fit for JSON, whatever the caller sent.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
