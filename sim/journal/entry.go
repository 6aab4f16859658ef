package journal

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Raw is an exchange before it is redacted. The journal owns all that it refers to once it has been added.
type Raw struct {
	Sandbox   string
	Operation string        // empty if the path is no operation's
	Dialect   string        // the dialect of the answer, or empty if the path is no operation's
	User      string        // hostUserId of the user that the request concerns, or empty
	At        time.Time     // virtual time
	RealAt    time.Time     // when the request came
	Took      time.Duration // until the answer was ready

	HTTP2            bool // whether it came in a stream of HTTP/2
	Method           string
	BaseURL          string // the scheme, the host and the sandbox's prefix that the caller used
	Path             string // the path of the interface, escaped as it was sent
	RawQuery         string
	RequestHeader    http.Header
	RequestBody      []byte
	RequestBodyBytes int // how large the body was, if RequestBody is only its beginning

	Status         int
	ResponseHeader [][2]string // name and value
	ResponseBody   []byte

	Decision Decision
	Step     Step
	Fault    *Fault // nil if no fault took part
	Lints    []Lint
}

// Step is the change that an exchange made to its sandbox.
type Step struct {
	// Before and After are never written to. They are equal if nothing was changed, and nil if they are not known.
	Before, After *sim.World    `json:"-"`
	Changed       bool          `json:"changed,omitzero"` // whether rows of the two differ
	Running       bool          `json:"running,omitzero"` // whether the virtual clock was running
	Since         time.Duration `json:"since,omitzero"`   // virtual time from the sandbox's start to the exchange
	// Faults has the sandbox's faults before and after the exchange. They are nil without faults.
	Faults [2]Attachment `json:"-"`
}

// Attachment is something that an entry keeps for others.
type Attachment interface {
	Bytes() int // how many bytes it takes
}

// maxBody is how much of a body is kept, in bytes (choice).
const maxBody = 16 << 10

// Bounds of the search for secrets of a request that its answer repeats (choice).
const (
	maxEchoes  = 32      // secrets
	echoMargin = 4 << 10 // bytes behind the kept ones, for a secret at the cut
)

// worldBytes is about how much memory a world takes alone once another one has replaced it.
const worldBytes = 3 << 10

// Entry is an exchange as a journal holds it. It is immutable once it is in the journal.
type Entry struct {
	Raw // redacted, and without headers

	Version  int64 // the version of the bank when the exchange ran
	IsChange bool  // whether the exchange made that version

	RequestFields, ResponseFields fields
	// IDs has the request's value for each of requestIDHeaders, or empty without that header.
	IDs                     [2]string
	RequestCut, ResponseCut bool // whether only the beginning of a body is kept
	ResponseBytes           int  // the size of the whole body

	number uint64
	cost   int64     // how many bytes it counts for
	by     [2]uint64 // the earlier exchange that had each of the ids, too, or 0
}

// Number returns the number of the exchange in its journal.
func (e *Entry) Number() uint64 { return e.number }

// newEntry returns an exchange for a journal. It is redacted.
func newEntry(raw Raw) *Entry {
	e := &Entry{Raw: raw}
	var secrets []string // of the request, if the answer may repeat what the request has
	mask := redact.Each(func(_, _, secret string) string {
		if len(secrets) < maxEchoes && (raw.Operation == "" || raw.Fault != nil) {
			secrets = append(secrets, secret)
		}
		return redact.Fingerprint(secret)
	})
	text := make([]byte, 0, 1<<10) // more than most have
	for name, values := range raw.RequestHeader {
		for _, value := range values {
			text = appendField(text, name, mask.Header(name, value))
		}
	}
	e.RequestFields, text = fields(text), text[:0]
	for i, header := range requestIDHeaders {
		if values := raw.RequestHeader[header]; len(values) > 0 {
			e.IDs[i] = values[0]
		}
	}
	e.RequestHeader, e.ResponseHeader = nil, nil
	e.RawQuery = mask.Query("parameter", raw.RawQuery)
	if len(raw.RequestBody) > 0 {
		e.RequestBody, e.RequestCut = cutBody(
			mask.RequestBody(raw.RequestBody, raw.RequestHeader.Get("Content-Type")),
		)
	}
	e.RequestBodyBytes = max(len(raw.RequestBody), raw.RequestBodyBytes)
	e.RequestCut = e.RequestCut || e.RequestBodyBytes > len(raw.RequestBody)
	for _, h := range raw.ResponseHeader {
		text = appendField(text, h[0], redact.Header(h[0], h[1]))
	}
	e.ResponseFields = fields(redact.Echo(text, secrets))
	answer := redact.AnswerBody(raw.ResponseBody, raw.Operation, raw.Status)
	kept := answer[:min(len(answer), maxBody+echoMargin)]
	e.ResponseBody, e.ResponseCut = cutBody(redact.Echo(kept, secrets))
	e.ResponseCut = e.ResponseCut || len(answer) > len(kept)
	e.ResponseBytes = len(raw.ResponseBody)
	return e
}

// cutBody returns the part of a redacted body that a journal keeps, without room to spare, and whether it is only the
// beginning.
func cutBody(body []byte) (beginning []byte, cut bool) {
	if len(body) > maxBody {
		end := maxBody
		for end > maxBody-utf8.UTFMax && !utf8.RuneStart(body[end]) {
			end--
		}
		body, cut = body[:end], true
	}
	if cap(body)-len(body) > len(body)/4+64 {
		body = bytes.Clone(body)
	}
	return body, cut
}

// bytes returns about how much memory the entry holds, its place in the journal included.
func (e *Entry) bytes() int64 {
	size := int(unsafe.Sizeof(*e)) + 2*int(unsafe.Sizeof(e)) + len(e.Method) + len(e.BaseURL) + len(e.Path) +
		len(e.RawQuery) + len(e.User) + len(e.RequestFields) + len(e.ResponseFields) +
		cap(e.RequestBody) + cap(e.ResponseBody) + len(e.Decision.Row) + len(e.Decision.Message) +
		len(e.IDs[0]) + len(e.IDs[1])
	for _, l := range e.Lints {
		size += int(unsafe.Sizeof(l)) + len(l.Message)
	}
	if e.hasWorlds() {
		size += worldBytes
	}
	for _, kept := range e.Step.Faults {
		if kept != nil {
			size += kept.Bytes()
		}
	}
	return int64(size)
}

// hasWorlds reports whether the entry keeps a world that others don't.
func (e *Entry) hasWorlds() bool { return e.Step.Before != e.Step.After }

// exchange returns the entry as it leaves the package.
func (e *Entry) exchange() Exchange {
	x := Exchange{
		ID:         formatID(e.number),
		Sandbox:    e.Sandbox,
		Operation:  e.Operation,
		Dialect:    e.Dialect,
		User:       valid(e.User),
		At:         e.At,
		RealAt:     e.RealAt,
		TookMicros: e.Took.Microseconds(),
		Request: Request{
			Method:        valid(e.Method),
			URL:           valid(e.BaseURL + e.Path),
			Path:          valid(e.Path),
			Query:         parsePairs(e.RawQuery),
			Headers:       e.RequestFields.values(),
			Body:          valid(string(e.RequestBody)),
			BodyBytes:     e.RequestBodyBytes,
			BodyTruncated: e.RequestCut,
		},
		Response: Response{
			Status:        e.Status,
			Headers:       e.ResponseFields.values(),
			Body:          valid(string(e.ResponseBody)),
			BodyBytes:     e.ResponseBytes,
			BodyTruncated: e.ResponseCut,
		},
		Decision: e.Decision,
		Changed:  e.Step.Changed,
		Fault:    e.Fault,
		Lints:    e.lints(),
	}
	if e.HTTP2 {
		x.Request.HTTPVersion = "HTTP/2"
	}
	if e.RawQuery != "" {
		x.Request.URL += "?" + valid(e.RawQuery)
	}
	if x.Decision.Entries == nil {
		x.Decision.Entries = []string{}
	}
	return x
}

// lints returns the lints of the exchange, with those about ids that earlier exchanges had. The list is never nil.
func (e *Entry) lints() []Lint {
	lints := append([]Lint{}, e.Lints...)
	for i, by := range e.by {
		if by != 0 {
			lints = append(lints, Lint{
				Code: RequestIDReused,
				Message: fmt.Sprintf("%s %s is not unique: exchange %d had it, too",
					strings.ToLower(requestIDHeaders[i]), wording.Quote(valid(e.IDs[i])), by),
			})
		}
	}
	return lints
}

// parsePairs reads a query or a form and skips the malformed parts.
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

// fields are the headers of a message, redacted, in one text with a line for each header. A journal holds many of them,
// and each collection of garbage looks at each piece of memory.
type fields string

// appendField appends a header. net/http lets no line break into its value.
func appendField(text []byte, name, value string) []byte {
	text = append(append(text, name...), ':')
	return append(append(text, strings.ReplaceAll(value, "\n", " ")...), '\n')
}

// all yields the names and the values.
func (f fields) all(yield func(name, value string) bool) {
	for line := range strings.Lines(string(f)) {
		if name, value, _ := strings.Cut(line[:len(line)-1], ":"); !yield(name, value) {
			return
		}
	}
}

// values returns the headers by name.
func (f fields) values() Header {
	values := Header{}
	for name, value := range f.all {
		values[valid(name)] = append(values[valid(name)], valid(value))
	}
	return values
}

// RequestIDReused is the lint for a request whose correlationid or transactionid an earlier exchange had, too, while
// the journal still held that exchange.
const RequestIDReused = "request-id-reused"

// Misspelt is the lint for a parameter, header or member whose name is nearly one that the operation has.
const Misspelt = "misspelt"

// Reloaded is the lint of the first exchange after the sandbox was restarted from a changed scenario.
const Reloaded = "reloaded"

// requestID identifies a request by one of requestIDHeaders and its value.
type requestID struct {
	header int
	value  string
}

// requestIDHeaders are the headers that identify a request, as net/http spells them.
var requestIDHeaders = [2]string{
	http.CanonicalHeaderKey(contract.EstatementsGetDisclosures.Family.RequestID),
	http.CanonicalHeaderKey(contract.GroupsCreate.Family.RequestID),
}

// valid makes a text fit for JSON, whatever the caller sent.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
