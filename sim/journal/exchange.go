package journal

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Exchange is one request and its answer, with the decision that led there. Its JSON is the control API's.
type Exchange struct {
	ID        string        `json:"id"` // decimal number of the exchange in its journal, from 1
	Sandbox   string        `json:"sandbox"`
	Operation string        `json:"operation"` // empty: no operation's path
	At        time.Time     `json:"at"`        // virtual time
	RealAt    time.Time     `json:"realAt"`
	Took      time.Duration `json:"tookMicros,format:micro"` // real time, in whole microseconds
	Request   Request       `json:"request"`
	Response  Response      `json:"response"`
	Decision  Decision      `json:"decision"`
	Fault     *Fault        `json:"fault,omitzero"` // nil: no fault had a part in it
	Lints     []Lint        `json:"lints"`          // never nil
}

// Request is what the caller sent, redacted.
type Request struct {
	Method        string `json:"method"`
	URL           string `json:"url"`  // absolute, as the caller used it
	Path          string `json:"path"` // the interface's: without base URL and query, as it was sent
	Query         Values `json:"query"`
	Headers       Values `json:"headers"`
	Body          string `json:"body"`
	BodyBytes     int    `json:"bodyBytes"`     // the size of the body that was sent
	BodyTruncated bool   `json:"bodyTruncated"` // whether Body holds only its beginning
}

// Response is what the caller was answered, redacted: what was sent, where a fault lost, cut or altered the answer.
type Response struct {
	Status        int    `json:"status"` // 0: a fault lost the answer, nothing was sent
	Headers       Values `json:"headers"`
	Body          string `json:"body"`
	BodyBytes     int    `json:"bodyBytes"`     // the size of the whole body
	BodyTruncated bool   `json:"bodyTruncated"` // whether Body holds only its beginning
}

// The outcomes of a decision.
const (
	Accepted = "accepted"
	Refused  = "refused"
	Faulted  = "faulted" // a fault came before the operation: nothing was carried out
)

// Decision says why the answer is what it is.
type Decision struct {
	Outcome string `json:"outcome"`          // Accepted, Refused or Faulted
	Rule    string `json:"rule"`             // of a refusal the code, such as "disclosure-not-accepted"; of a fault its name; else the operation
	Row     string `json:"row,omitzero"`     // the row that the rule looked at, such as "users/02688/1002"
	Message string `json:"message,omitzero"` // never holds a secret
	Basis   string `json:"basis"`            // document, published, convention or choice

	// Entries are the entries of the ledger that the answer used, by id. The first one decided, and has the basis.
	Entries []string `json:"entries"`
}

// Fault is the part that injected faults had in an exchange. The decision beside it stays the bank's own, unless the
// fault came before the bank decided anything.
type Fault struct {
	Fired        []string      `json:"fired"`                    // the names of the faults that fired, in their order
	AnsweredBy   string        `json:"answeredBy,omitzero"`      // the one whose answer the caller got, or that lost it; empty: the bank answered
	Phase        string        `json:"phase,omitzero"`           // of that one: "before" or "after" the operation was carried out
	Delay        time.Duration `json:"delayMicros,format:micro"` // how long the answer was meant to be late, in whole microseconds
	Connection   string        `json:"connection,omitzero"`      // the kind of connection fault; empty: none
	BankStatus   int           `json:"bankStatus,omitzero"`      // what the bank had answered, where a fault lost or replaced it
	Undocumented bool          `json:"undocumented,omitzero"`    // whether the answer's status is none that the operation documents
}

// Lint is something odd about a request that had no influence on its answer.
type Lint struct {
	Code    string `json:"code"`    // such as "request-id-reused"
	Message string `json:"message"` // never holds a secret
}

// Number returns the exchange's id as a number, for [Journal.Next] and [Query].
func (x Exchange) Number() uint64 {
	number, _ := ParseID(x.ID)
	return number
}

// ParseID reads the id of an exchange; ok is false for what can't be one.
func ParseID(id string) (number uint64, ok bool) {
	number, err := strconv.ParseUint(id, 10, 64)
	return number, err == nil && number > 0 && formatID(number) == id
}

func formatID(number uint64) string { return strconv.FormatUint(number, 10) }

// Values are headers or query parameters: by name, the values in the order of the message. As JSON it is an object
// whose members stand in the order of their names.
type Values map[string][]string

// first returns the first value of a header, however its name is spelt; empty: there is none.
func (v Values) first(header string) string {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if strings.EqualFold(name, header) && len(v[name]) > 0 {
			return v[name][0]
		}
	}
	return ""
}

// MarshalJSONTo writes the values.
func (v Values) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if err := e.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if err := e.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for _, value := range v[name] {
			if err := e.WriteToken(jsontext.String(value)); err != nil {
				return err
			}
		}
		if err := e.WriteToken(jsontext.EndArray); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}
