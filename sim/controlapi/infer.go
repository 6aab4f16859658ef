package controlapi

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"
)

// Inference finds the banks behind captures.
type Inference struct {
	MaxBytes int64 // how large a capture may be
	Find     func(ctx context.Context, capture []byte, name string, stubs bool, hosts []string) (Inferred, error)
}

// Inferred is the bank behind a capture.
type Inferred struct {
	YAML        string        `json:"yaml" doc:"A scenario whose bank answers the requests of the capture."`
	Rows        int           `json:"rows" doc:"How many rows the scenario has."`
	Agree       int           `json:"agree" doc:"How many exchanges the bank answers as the service did."`
	Unexplained []Unexplained `json:"unexplained" doc:"The exchanges that the bank answers in another way than the service did."`
	Others      []string      `json:"others" doc:"The requests to paths that the interface doesn't have, with how often each was sent."`
	Unmasked    []string      `json:"unmasked" doc:"The members whose values were copied from the capture: check them for secrets."`
	LeftOut     []LeftOut     `json:"leftOut" doc:"The entries of the capture that say nothing."`
	Notes       []string      `json:"notes" doc:"What the capture lacks, and what stubs leave out."`
	Stubs       int           `json:"stubs" doc:"How many stubs the scenario has."`
	Faults      int           `json:"faults" doc:"How many answers of a broken or busy service became faults, which are switched off."`
	Untried     int           `json:"untried" doc:"How many values may be superfluous: the search ended before it left out each of them and tried."`
}

// LeftOut is an entry of a capture that says nothing.
type LeftOut struct {
	Exchange int    `json:"exchange" doc:"The number of the entry in the capture, from 1."`
	Request  string `json:"request" doc:"Its method and its path, as far as they can be read."`
	Reason   string `json:"reason"`
}

// Unexplained is an exchange that the bank answers otherwise than the service did.
type Unexplained struct {
	Exchange int      `json:"exchange" doc:"The number of the exchange in the capture, from 1."`
	Request  string   `json:"request"`
	Places   []string `json:"places" doc:"The members of the answer that differ, or its status."`
	Rule     string   `json:"rule,omitempty" doc:"The rule by which the bank refuses the request."`
}

const (
	inferPath = "/v1/infer"
	// A client may take uploadGrace to send a capture (choice), plus a second for each uploadRate bytes.
	uploadGrace = 30 * time.Second
	uploadRate  = 100_000
)

// inferCalls returns the call that finds the bank behind a capture.
func (c control) inferCalls() []Call {
	return []Call{newCall("POST", inferPath, "inferScenario",
		"Find the bank behind a capture (HAR). One at a time. Changes nothing.", c.infer).reads().
		large(reflect.TypeFor[Inferred]())}
}

// bodyLimit returns how large the body of a request may be.
func (c control) bodyLimit(r *http.Request) int64 {
	if r.URL.Path == inferPath {
		return max(c.Inference.MaxBytes, maxBody)
	}
	return maxBody
}

// timedBody is a body whose read deadline grows with what has been read. It gives a client more time than the listener
// does to send a capture: as much as its size needs.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
	deadline   time.Time
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (n int, err error) {
	_ = b.connection.SetReadDeadline(b.deadline)
	n, err = b.ReadCloser.Read(p)
	b.deadline = b.deadline.Add(time.Duration(n) * time.Second / uploadRate)
	return n, err
}

// archive is a body that is an HTTP archive.
type archive struct{ raw }

// Holds implements [BodyType].
func (archive) Holds() (of reflect.Type, about string) { return nil, "An HTTP archive (HAR 1.2)." }

type inferInput struct {
	Name  string `query:"name" minLength:"1" default:"capture" doc:"The name of the scenario."`
	Stubs bool   `query:"stubs" doc:"Whether stubs answer the requests to other paths, with the bodies of the capture."`
	Hosts string `query:"hosts" doc:"Other hosts than the service's own whose requests become stubs, too, separated by commas."`
	Body  archive
}

func isComma(r rune) bool { return r == ',' }

// infer refuses (422) a capture that can't be read, and (429) one while the bank behind another one is being found. The
// body is there by now, so that other captures don't wait for a slow client.
func (c control) infer(ctx context.Context, in *inferInput) (stream, error) {
	if c.Inference.Find == nil {
		return nil, refuse(http.StatusNotFound, "this simulator finds no banks behind captures: it runs within a test")
	}
	if !c.inferring.TryLock() {
		return nil, refuse(http.StatusTooManyRequests,
			"the bank behind another capture is being found: ask again later")
	}
	defer c.inferring.Unlock()
	ctx, cancel := c.untilDraining(ctx)
	defer cancel()
	found, err := c.Inference.Find(ctx, in.Body.data, in.Name, in.Stubs, strings.FieldsFunc(in.Hosts, isComma))
	switch {
	case ctx.Err() != nil:
		return nil, refuse(http.StatusServiceUnavailable, "the search ended early, because the simulator ends")
	case err != nil:
		return nil, refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	return largeValue(found), nil
}
