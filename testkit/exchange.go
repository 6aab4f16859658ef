package testkit

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Exchange is a request to a bank and its answer, with the decision behind it. It shows no secret: tokens and the like
// are fingerprints.
type Exchange struct {
	ID        string        `json:"id"` // its number in the bank's journal, from 1
	Sandbox   string        `json:"sandbox"`
	Operation string        `json:"operation"` // empty: the path belongs to no operation
	Dialect   string        `json:"dialect"`   // document or public: that the operation was answered in; empty: there is none
	At        time.Time     `json:"at"`        // by the bank's clock
	RealAt    time.Time     `json:"realAt"`
	Took      time.Duration `json:"-"` // real time, in whole microseconds
	Request   Request       `json:"request"`
	Response  Response      `json:"response"`
	Decision  Decision      `json:"decision"`
	Changed   bool          `json:"changed"`        // whether a row of the bank differs after it
	Fault     *FaultReport  `json:"fault,omitzero"` // nil: no fault fired
	Lints     []Lint        `json:"lints"`
}

// Request is what the client sent.
type Request struct {
	Method        string     `json:"method"`
	URL           string     `json:"url"`  // absolute, as the client sent it
	Path          string     `json:"path"` // the interface's: without the base URL and the query
	Query         url.Values `json:"query"`
	Headers       Header     `json:"headers"`
	Body          string     `json:"body"`
	BodyBytes     int        `json:"bodyBytes"`     // the size of the body that was sent
	BodyTruncated bool       `json:"bodyTruncated"` // whether Body has only its beginning
}

// Response is what was sent to the client, after any fault.
type Response struct {
	Status        int    `json:"status"` // 0: a fault lost the answer
	Headers       Header `json:"headers"`
	Body          string `json:"body"`
	BodyBytes     int    `json:"bodyBytes"`     // the size of the whole body
	BodyTruncated bool   `json:"bodyTruncated"` // whether Body has only its beginning
}

// Header is the header of a message, under the names as they were sent.
type Header map[string][]string

// Get returns the first value of a header, whose name may be in any case; empty: there is none.
func (h Header) Get(name string) string {
	for sent, values := range h {
		if strings.EqualFold(sent, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// Decision is why an answer is what it is.
type Decision struct {
	Outcome string   `json:"outcome"`          // accepted, refused or, if a fault came before the operation, faulted
	Rule    string   `json:"rule"`             // that refused, such as "disclosure-not-accepted"; the fault; or the operation
	Row     string   `json:"row,omitzero"`     // that the rule looked at, such as "users/02688/1002"
	Message string   `json:"message,omitzero"` // in words
	Basis   string   `json:"basis"`            // what the answer rests on: document, published, convention or choice
	Entries []string `json:"entries"`          // of the ledger that the answer cites; the first one has the basis
}

// FaultReport is what the faults that fired did to an exchange.
type FaultReport struct {
	Fired        []string       `json:"fired"`                 // their names, in their order
	AnsweredBy   string         `json:"answeredBy,omitzero"`   // the one that gave or lost the answer; empty: the bank answered
	Phase        Phase          `json:"phase,omitzero"`        // of that one
	Delay        time.Duration  `json:"-"`                     // of the answer, in total
	Connection   ConnectionKind `json:"connection,omitzero"`   // empty: nothing happened to the connection
	BankStatus   int            `json:"bankStatus,omitzero"`   // of the bank's own answer, where a fault lost or replaced it
	Undocumented bool           `json:"undocumented,omitzero"` // whether the operation doesn't document the answer's status
}

// Lint is something odd about a request that didn't influence its answer.
type Lint struct {
	Code    string `json:"code"` // such as "request-id-reused"
	Message string `json:"message"`
}

// The JSON of the control API has durations as whole microseconds.
type (
	plainExchange Exchange
	exchangeJSON  struct {
		*plainExchange
		TookMicros int64 `json:"tookMicros"`
	}
	plainReport     FaultReport
	faultReportJSON struct {
		*plainReport
		DelayMicros int64 `json:"delayMicros"`
	}
)

// MarshalJSON encodes the exchange as the control API does.
func (x Exchange) MarshalJSON() ([]byte, error) {
	return wire.Encode(exchangeJSON{(*plainExchange)(&x), x.Took.Microseconds()})
}

// UnmarshalJSON decodes an exchange of the control API.
func (x *Exchange) UnmarshalJSON(data []byte) error {
	sent := exchangeJSON{plainExchange: (*plainExchange)(x)}
	err := json.Unmarshal(data, &sent)
	x.Took = time.Duration(sent.TookMicros) * time.Microsecond
	return err
}

// MarshalJSON encodes the report as the control API does.
func (r FaultReport) MarshalJSON() ([]byte, error) {
	return wire.Encode(faultReportJSON{(*plainReport)(&r), r.Delay.Microseconds()})
}

// UnmarshalJSON decodes a report of the control API.
func (r *FaultReport) UnmarshalJSON(data []byte) error {
	sent := faultReportJSON{plainReport: (*plainReport)(r)}
	err := json.Unmarshal(data, &sent)
	r.Delay = time.Duration(sent.DelayMicros) * time.Microsecond
	return err
}
