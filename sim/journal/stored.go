package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// stored is an entry as a store keeps it: this in JSON on one line, and then the two bodies. Stores hold it under the
// names of its tags, so that these never change.
type stored struct {
	Version          int64         `json:"version"`
	IsChange         bool          `json:"isChange"`
	Sandbox          string        `json:"sandbox"`
	Operation        string        `json:"operation,omitzero"`
	Dialect          string        `json:"dialect,omitzero"`
	User             string        `json:"user,omitzero"`
	At               time.Time     `json:"at"`
	RealAt           time.Time     `json:"realAt"`
	Took             time.Duration `json:"took"` // in nanoseconds
	HTTP2            bool          `json:"http2,omitzero"`
	Method           string        `json:"method"`
	BaseURL          string        `json:"baseURL"`
	Path             string        `json:"path"`
	RawQuery         string        `json:"rawQuery,omitzero"`
	RequestFields    fields        `json:"requestFields"`
	RequestBodyBytes int           `json:"requestBodyBytes,omitzero"` // the size of the whole body
	RequestKept      int           `json:"requestKept,omitzero"`      // the size of the part that follows
	RequestCut       bool          `json:"requestCut,omitzero"`
	IDs              [2]string     `json:"ids,omitzero"`
	Status           int           `json:"status"`
	ResponseFields   fields        `json:"responseFields"`
	ResponseBytes    int           `json:"responseBytes,omitzero"` // the size of the whole body
	ResponseCut      bool          `json:"responseCut,omitzero"`
	Decision         Decision      `json:"decision"`
	Step             Step          `json:"step"`
	Fault            *Fault        `json:"fault,omitzero"`
	Lints            []Lint        `json:"lints,omitempty"`
}

// Encode returns the entry for a store, without its number, and without the worlds and the faults of its step.
func (e *Entry) Encode() ([]byte, error) {
	data, err := json.Marshal(stored{
		Version: e.Version, IsChange: e.IsChange,
		Sandbox: e.Sandbox, Operation: e.Operation, Dialect: e.Dialect, User: e.User, At: e.At, RealAt: e.RealAt,
		Took: e.Took, HTTP2: e.HTTP2, Method: e.Method, BaseURL: e.BaseURL, Path: e.Path, RawQuery: e.RawQuery,
		RequestFields: e.RequestFields, RequestBodyBytes: e.RequestBodyBytes, RequestKept: len(e.RequestBody),
		RequestCut: e.RequestCut, IDs: e.IDs,
		Status: e.Status, ResponseFields: e.ResponseFields, ResponseBytes: e.ResponseBytes, ResponseCut: e.ResponseCut,
		Decision: e.Decision, Step: e.Step, Fault: e.Fault, Lints: e.Lints,
	})
	return slices.Concat(data, []byte("\n"), e.RequestBody, e.ResponseBody), err
}

// Decode returns an entry that a store has kept under a number. The caller keeps the data.
func Decode(number uint64, data []byte) (*Entry, error) {
	head, bodies, _ := bytes.Cut(data, []byte("\n"))
	var s stored
	if err := json.Unmarshal(head, &s); err != nil {
		return nil, err
	}
	if s.RequestKept < 0 || s.RequestKept > len(bodies) {
		return nil, errors.New("the bodies of an exchange are cut off")
	}
	return &Entry{
		Raw: Raw{
			Sandbox: s.Sandbox, Operation: s.Operation, Dialect: s.Dialect, User: s.User, At: s.At, RealAt: s.RealAt,
			Took: s.Took, HTTP2: s.HTTP2, Method: s.Method, BaseURL: s.BaseURL, Path: s.Path, RawQuery: s.RawQuery,
			RequestBody: bytes.Clone(bodies[:s.RequestKept]), RequestBodyBytes: s.RequestBodyBytes,
			Status: s.Status, ResponseBody: bytes.Clone(bodies[s.RequestKept:]),
			Decision: s.Decision, Step: s.Step, Fault: s.Fault, Lints: s.Lints,
		},
		Version: s.Version, IsChange: s.IsChange,
		RequestFields: s.RequestFields, ResponseFields: s.ResponseFields, IDs: s.IDs,
		RequestCut: s.RequestCut, ResponseCut: s.ResponseCut, ResponseBytes: s.ResponseBytes,
		number: number,
	}, nil
}
