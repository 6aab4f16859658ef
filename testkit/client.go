package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// callTimeout limits how long a call of the control API may take.
const callTimeout = 10 * time.Second

// newClient returns a client for the control API.
func newClient(s simulator) *http.Client {
	return &http.Client{Timeout: callTimeout, Transport: authorized{s.token, newTransport()}}
}

// newTransport returns a transport without the proxies of the environment: none of them reaches a simulator that runs for
// the test, though its host may have another name than localhost, such as that of a remote engine.
func newTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	return transport
}

// authorized adds the token of the control API to each call.
type authorized struct {
	token string
	*http.Transport
}

// RoundTrip sends a call.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.Transport.RoundTrip(r)
}

// refusal is the control API's problem document for a call that it refused.
type refusal struct {
	call     string
	Status   int
	Detail   string
	Problems []struct {
		File         string
		Line, Column int
		Message      string
	}
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("%s: %d %s", r.call, r.Status, r.Detail)
	for _, p := range r.Problems {
		text += fmt.Sprintf("\n\t%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
	}
	return text
}

// request returns a call of the control API. The path is appended to /v1/sandboxes.
func (b *Bank) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = wire.Encode(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, b.simulator.control+"/v1/sandboxes"+path, bytes.NewReader(data))
	if err == nil && body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

// send makes a call, and returns the body of the answer.
func (b *Bank) send(method, path string, body any) ([]byte, error) {
	r, err := b.request(context.Background(), method, path, body)
	if err != nil {
		return nil, err
	}
	res, err := b.client.Do(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		refused := &refusal{call: method + " /v1/sandboxes" + path}
		if json.Unmarshal(data, refused) != nil || refused.Status == 0 {
			refused.Status, refused.Detail = res.StatusCode, strings.TrimSpace(string(data))
		}
		return nil, refused
	}
	return data, nil
}

// try makes a call, and decodes the answer into a value unless that is nil.
func (b *Bank) try(method, path string, body, into any) error {
	data, err := b.send(method, path, body)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s %s: decoding the answer: %w", method, path, err)
	}
	return nil
}

// call makes a call that has to succeed: otherwise the test ends.
func (b *Bank) call(method, path string, body, into any) {
	b.t.Helper()
	if err := b.try(method, path, body, into); err != nil {
		b.t.Fatalf("testkit: %v", err)
	}
}

// in makes a call about the bank's own sandbox, which has to succeed.
func (b *Bank) in(method, path string, body, into any) {
	b.t.Helper()
	b.call(method, "/"+b.name+path, body, into)
}
