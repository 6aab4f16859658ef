package journal

import (
	"context"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Exchange is one request and its answer, with the decision that led there. It has no secrets, and never changes once
// a journal shows it. Its JSON is the control API's.
type Exchange struct {
	ID      string `json:"id"` // decimal number of the exchange in its journal, from 1
	Sandbox string `json:"sandbox"`
	// Operation and Dialect are empty if the path is no operation's. Dialect is the dialect of the answer: document or
	// public.
	Operation  string    `json:"operation"`
	Dialect    string    `json:"dialect,omitzero" enum:"document,public"`
	User       string    `json:"user,omitzero" doc:"The hostUserId of the user that the request or its token names."`
	At         time.Time `json:"at"` // virtual time
	RealAt     time.Time `json:"realAt"`
	TookMicros int64     `json:"tookMicros"` // real time until the answer was ready, with what faults mean to take
	Request    Request   `json:"request"`
	Response   Response  `json:"response"`
	Decision   Decision  `json:"decision"`
	Changed    bool      `json:"changed"`        // whether a row of the world differs after it
	Fault      *Fault    `json:"fault,omitzero"` // nil if no fault took part
	Lints      []Lint    `json:"lints"`          // never nil
	SentBy     string    `json:"sentBy,omitzero" doc:"The name of the control token whose call sent the request."`
	Matched    []string  `json:"matched,omitzero" doc:"Where the words of the text that was asked for were found first."`

	number uint64    // ID
	reused [2]uint64 // the earlier exchange that had each of its ids, too, or 0: see withReused
}

// Request is what the caller sent, redacted.
type Request struct {
	HTTPVersion   string     `json:"httpVersion,omitempty" doc:"HTTP/2. Not there: the request came by HTTP/1."`
	Method        string     `json:"method"`
	URL           string     `json:"url"`  // absolute, as the caller used it
	Path          string     `json:"path"` // the interface's: without base URL and query, as it was sent
	Query         Parameters `json:"query"`
	Headers       Header     `json:"headers"`
	Body          string     `json:"body"`
	BodyBytes     int        `json:"bodyBytes"`     // the size of the body that was sent
	BodyTruncated bool       `json:"bodyTruncated"` // whether Body holds only its beginning
}

// Response is the answer to the caller, redacted. A fault may have lost, cut or altered the answer.
type Response struct {
	Status        int    `json:"status"` // 0 if a fault lost the answer, so that nothing was sent
	Headers       Header `json:"headers"`
	Body          string `json:"body"`
	BodyBytes     int    `json:"bodyBytes"`     // the size of the whole body
	BodyTruncated bool   `json:"bodyTruncated"` // whether Body holds only its beginning
}

// The outcomes of a decision.
const (
	Accepted = "accepted"
	Refused  = "refused"
	Faulted  = "faulted" // a fault came before the operation; nothing was carried out
	Stubbed  = "stubbed" // a stub answered on a path that the interface doesn't have
)

// Outcomes lists them all.
var Outcomes = []string{Accepted, Refused, Faulted, Stubbed}

// Decision gives the reason of an answer.
type Decision struct {
	Outcome string `json:"outcome" enum:"accepted,refused,faulted,stubbed"`
	// Rule is the code of a refusal, such as "disclosure-not-accepted", the name of a fault, "cors-preflight", or the
	// operation.
	Rule    string `json:"rule"`
	Row     string `json:"row,omitzero" doc:"The row that the rule looked at, such as users/02688/1002."`
	Message string `json:"message,omitzero"` // never holds a secret
	Basis   string `json:"basis" enum:"document,published,convention,choice"`

	// Entries are the ids of the ledger's entries that the answer relies on. The first one decided; the basis is its.
	// Never nil.
	Entries []string `json:"entries"`
}

// Fault describes what injected faults did in an exchange. The decision beside it is the bank's own, unless the fault
// came before the bank decided anything.
type Fault struct {
	// Fired has the names of the faults that fired, in their order. It is never empty.
	Fired []string `json:"fired"`
	// WithoutEffect has those that changed neither the answer, nor its time, nor the bank.
	WithoutEffect []string `json:"withoutEffect,omitempty"`
	// AnsweredBy is the fault that answered or lost the answer, or empty if the bank answered. Phase says whether that
	// fault came "before" or "after" the operation was carried out.
	AnsweredBy  string `json:"answeredBy,omitzero"`
	Phase       string `json:"phase,omitzero" enum:"before,after"`
	DelayMicros int64  `json:"delayMicros"`         // how long faults delayed the answer, as drawn
	Connection  string `json:"connection,omitzero"` // the kind of connection fault, or empty
	// BankStatus is the status of the bank's answer, if a fault lost or replaced the answer.
	BankStatus   int    `json:"bankStatus,omitzero"`
	ExpiredBy    string `json:"expiredBy,omitzero"`    // the fault that let the access token expire, or empty
	StaleBy      string `json:"staleBy,omitzero"`      // the fault that let the answer be from earlier data, or empty
	Undocumented bool   `json:"undocumented,omitzero"` // whether the operation doesn't document the answer's status
}

// Lint reports something odd about a request. It had no influence on the answer.
type Lint struct {
	Code    string `json:"code"`    // such as "request-id-reused"
	Message string `json:"message"` // never holds a secret
}

// Codes of lints.
const (
	// RequestIDReused is the lint for a request whose correlationid or transactionid an earlier exchange had, too,
	// while the journal still held that exchange.
	RequestIDReused = "request-id-reused"
	// Misspelt is the lint for a parameter, header or member whose name is nearly one that the operation has.
	Misspelt = "misspelt"
	// Reloaded is the lint of the first exchange after the sandbox was restarted from a changed scenario.
	Reloaded = "reloaded"
)

// Record is an exchange with the moments of its sandbox just before and after it.
type Record struct {
	*Exchange
	Step Step
}

// Step leads from the moment before an exchange to the moment after it.
type Step struct {
	// Before and After are never written to. They are equal if nothing was changed, and nil if they are not known.
	Before, After *sim.World
	Faults        [2]Attachment // the sandbox's faults before and after; nil without faults
	Running       bool          // whether the virtual clock was running
	Since         time.Duration // virtual time from the sandbox's start to the exchange
	Version       int64         // of the shared bank when the exchange ran, or 0
	IsChange      bool          // whether the exchange made that version
}

// Attachment is something that a journal keeps for others.
type Attachment interface {
	Bytes() int // how many bytes it takes
}

// ParseID reads the id of an exchange. ok is false for a text that no exchange can have as its id.
func ParseID(id string) (number uint64, ok bool) {
	number, err := strconv.ParseUint(id, 10, 64)
	return number, err == nil && number > 0 && formatID(number) == id
}

func formatID(number uint64) string { return strconv.FormatUint(number, 10) }

// Sender is who sends a request within the program.
type Sender struct {
	Name string // of the control token, or ""
	// Note gets the id of the exchange before the answer is sent, because an answer that a fault loses doesn't name its
	// exchange.
	Note func(id string)
}

type senderKey struct{}

// WithSender returns the context of a request of a sender.
func WithSender(ctx context.Context, s Sender) context.Context {
	return context.WithValue(ctx, senderKey{}, s)
}

// SenderIn returns the sender of a request within the program. The zero sender's note does nothing.
func SenderIn(ctx context.Context) Sender {
	s, _ := ctx.Value(senderKey{}).(Sender)
	if s.Note == nil {
		s.Note = func(string) {}
	}
	return s
}
