package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// Raw is an exchange before it is redacted. The journal owns what it refers to once it has been added.
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
	Fault    *Fault // nil: none
	Lints    []Lint
}

// Step is what an exchange did to its sandbox.
type Step struct {
	Before, After *sim.World    `json:"-"` // never written to; the same where nothing was changed
	Changed       bool          // whether rows of the two differ
	Running       bool          // whether the virtual clock was running
	Since         time.Duration // virtual, from the sandbox's start to the exchange
	Faults        [2]Kept       `json:"-"` // before and after it, as the sandbox keeps them; nil: there were none
}

// Kept is something that an entry keeps for others.
type Kept interface {
	Bytes() int // that it takes
}

// maxBody is how much of a body is kept, in bytes.
const maxBody = 64 << 10

// worldBytes is about what a world that was replaced takes alone.
const worldBytes = 3 << 10

// Entry is an exchange as a journal holds it. It is immutable once it is in the journal.
type Entry struct {
	stored
	number uint64
	cost   int64     // bytes that it counts for
	by     [2]uint64 // the earlier exchange that had each of the ids, too; 0: none
}

// stored is what a store keeps of an entry: in JSON on one line, and then the two bodies as they are.
type stored struct {
	Raw // redacted, and without headers

	RequestFields, ResponseFields fields
	IDs                           [2]string // that the request has: one of each of requestIDHeaders; empty: it hasn't
	RequestCut, ResponseCut       bool      // whether only the beginning of a body is kept
	RequestKept                   int       // bytes that are kept of the body
	ResponseBytes                 int       // of the whole body
}

// newEntry returns an exchange for a journal. It is redacted.
func newEntry(raw Raw) *Entry {
	e := &Entry{stored: stored{Raw: raw}}
	text := make([]byte, 0, 1<<10) // more than most have
	for name, values := range raw.RequestHeader {
		for _, value := range values {
			text = appendField(text, name, value)
		}
	}
	e.RequestFields, text = fields(text), text[:0]
	for _, h := range raw.ResponseHeader {
		text = appendField(text, h[0], h[1])
	}
	e.ResponseFields = fields(text)
	for i, header := range requestIDHeaders {
		if values := raw.RequestHeader[header]; len(values) > 0 {
			e.IDs[i] = values[0]
		}
	}
	e.RequestHeader, e.ResponseHeader = nil, nil
	e.RawQuery = redact.Query(raw.RawQuery)
	if len(raw.RequestBody) > 0 {
		e.RequestBody, e.RequestCut = kept(redact.RequestBody(raw.RequestBody, raw.RequestHeader.Get("Content-Type")))
	}
	e.RequestBodyBytes = max(len(raw.RequestBody), raw.RequestBodyBytes)
	e.RequestCut = e.RequestCut || e.RequestBodyBytes > len(raw.RequestBody)
	e.ResponseBody, e.ResponseCut = kept(redact.AnswerBody(raw.ResponseBody, raw.Operation, raw.Status))
	e.RequestKept, e.ResponseBytes = len(e.RequestBody), len(raw.ResponseBody)
	return e
}

// Encode returns the entry for a store, without the worlds and the faults of its step.
func (e *Entry) Encode() ([]byte, error) {
	s := e.stored
	s.RequestBody, s.ResponseBody = nil, nil
	data, err := json.Marshal(s)
	return slices.Concat(data, []byte("\n"), e.RequestBody, e.ResponseBody), err
}

// Decode returns an entry that a store has kept.
func Decode(data []byte) (*Entry, error) {
	e := &Entry{}
	head, bodies, _ := bytes.Cut(data, []byte("\n"))
	if err := json.Unmarshal(head, &e.stored); err != nil {
		return nil, err
	}
	if len(bodies) < e.RequestKept {
		return nil, errors.New("the bodies of an exchange are cut off")
	}
	e.RequestBody, e.ResponseBody = bodies[:e.RequestKept], bodies[e.RequestKept:]
	return e, nil
}

// kept returns what is kept of a redacted body, without room to spare, and whether that is only the beginning.
func kept(body []byte) (beginning []byte, cut bool) {
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
	size := int(unsafe.Sizeof(*e)) + 2*int(unsafe.Sizeof(e)) + len(e.Method) + len(e.BaseURL) + len(e.Path) + len(e.RawQuery) +
		len(e.RequestFields) + len(e.ResponseFields) +
		cap(e.RequestBody) + cap(e.ResponseBody) + len(e.Decision.Row) + len(e.Decision.Message)
	for _, l := range e.Lints {
		size += int(unsafe.Sizeof(l)) + len(l.Message)
	}
	if e.Step.Before != e.Step.After {
		size += worldBytes
	}
	for _, kept := range e.Step.Faults {
		if kept != nil {
			size += kept.Bytes()
		}
	}
	return int64(size)
}

// exchange returns the entry as it leaves the package.
func (e *Entry) exchange() Exchange {
	x := Exchange{
		ID:         formatID(e.number),
		Sandbox:    e.Sandbox,
		Operation:  e.Operation,
		Dialect:    e.Dialect,
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
		Lints:    append([]Lint{}, e.Lints...), // in JSON, too, never nil
	}
	for i, by := range e.by {
		if by != 0 {
			x.Lints = append(x.Lints, Lint{
				Code: RequestIDReused,
				Message: fmt.Sprintf("%s %s is not unique: exchange %d had it, too",
					strings.ToLower(requestIDHeaders[i]), phrase.Quote(valid(e.IDs[i])), by),
			})
		}
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

// fields are the headers of a message, redacted, in one text: a line for each. A journal holds many, and each collection of garbage
// looks at each piece of memory.
type fields string

// appendField appends a header. net/http lets no line break into its value.
func appendField(text []byte, name, value string) []byte {
	text = append(append(text, name...), ':')
	return append(append(text, strings.ReplaceAll(redact.Header(name, value), "\n", " ")...), '\n')
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

// RequestIDReused is the lint for a request whose correlationid or transactionid is also that of an earlier exchange
// that the journal still holds.
const RequestIDReused = "request-id-reused"

// Misspelt is the lint for a parameter, header or member whose name is nearly one that the operation has.
const Misspelt = "misspelt"

// Reloaded is the lint of the first exchange after the sandbox was restarted from a changed scenario.
const Reloaded = "reloaded"

// requestID identifies a request: by one of requestIDHeaders, and its value.
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
