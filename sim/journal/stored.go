package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// stored is a record as a store keeps it, in format 2: this in JSON on one line, and then the two bodies. Stores hold
// it under the names of its tags, so that these never change.
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
	RequestFields    string        `json:"requestFields"`
	RequestBodyBytes int           `json:"requestBodyBytes,omitzero"` // the size of the whole body
	RequestKept      int           `json:"requestKept,omitzero"`      // the size of the part that follows
	RequestCut       bool          `json:"requestCut,omitzero"`
	Status           int           `json:"status"`
	ResponseFields   string        `json:"responseFields"`
	ResponseBytes    int           `json:"responseBytes,omitzero"` // the size of the whole body
	ResponseCut      bool          `json:"responseCut,omitzero"`
	Decision         Decision      `json:"decision"`
	Step             storedStep    `json:"step"`
	Fault            *Fault        `json:"fault,omitzero"`
	Lints            []Lint        `json:"lints,omitempty"`
	SentBy           string        `json:"sentBy,omitzero"`
}

type storedStep struct {
	Changed bool          `json:"changed,omitzero"`
	Running bool          `json:"running,omitzero"`
	Since   time.Duration `json:"since,omitzero"`
}

// Encode returns the record for a store, without its number, its worlds and its faults.
func (r Record) Encode() ([]byte, error) {
	sent, answer, step := &r.Request, &r.Response, &r.Step
	url, _, _ := strings.Cut(sent.URL, "?")
	data, err := json.Marshal(stored{
		Version: step.Version, IsChange: step.IsChange,
		Sandbox: r.Sandbox, Operation: r.Operation, Dialect: r.Dialect, User: r.User, At: r.At, RealAt: r.RealAt,
		Took: time.Duration(r.TookMicros) * time.Microsecond, HTTP2: sent.HTTPVersion != "",
		Method: sent.Method, BaseURL: strings.TrimSuffix(url, sent.Path), Path: sent.Path, RawQuery: string(sent.Query),
		RequestFields: string(sent.Headers), RequestBodyBytes: sent.BodyBytes, RequestKept: len(sent.Body),
		RequestCut: sent.BodyTruncated,
		Status:     answer.Status, ResponseFields: string(answer.Headers), ResponseBytes: answer.BodyBytes,
		ResponseCut: answer.BodyTruncated,
		Decision:    r.Decision, Step: storedStep{r.Changed, step.Running, step.Since}, Fault: r.Fault, Lints: r.Lints,
		SentBy: r.SentBy,
	})
	return slices.Concat(data, []byte("\n"), []byte(sent.Body), []byte(answer.Body)), err
}

// Decode returns a record that a store has kept under a number.
func Decode(number uint64, data []byte) (Record, error) {
	head, bodies, _ := bytes.Cut(data, []byte("\n"))
	var s stored
	if err := json.Unmarshal(head, &s); err != nil {
		return Record{}, err
	}
	if s.RequestKept < 0 || s.RequestKept > len(bodies) {
		return Record{}, errors.New("the bodies of an exchange are cut off")
	}
	request := Request{
		Method: s.Method, Headers: Header(s.RequestFields), Body: valid(string(bodies[:s.RequestKept])),
		BodyBytes: s.RequestBodyBytes, BodyTruncated: s.RequestCut,
	}
	request.setURL(s.BaseURL, s.Path, s.RawQuery)
	if s.HTTP2 {
		request.HTTPVersion = "HTTP/2"
	}
	return Record{
		Exchange: &Exchange{
			Sandbox: s.Sandbox, Operation: s.Operation, Dialect: s.Dialect, User: s.User, At: s.At, RealAt: s.RealAt,
			TookMicros: s.Took.Microseconds(), Request: request,
			Response: Response{
				Status: s.Status, Headers: Header(s.ResponseFields), Body: valid(string(bodies[s.RequestKept:])),
				BodyBytes: s.ResponseBytes, BodyTruncated: s.ResponseCut,
			},
			Decision: s.Decision, Changed: s.Step.Changed, Fault: s.Fault, Lints: s.Lints, SentBy: s.SentBy,
			number: number,
		},
		Step: Step{Running: s.Step.Running, Since: s.Step.Since, Version: s.Version, IsChange: s.IsChange},
	}, nil
}
