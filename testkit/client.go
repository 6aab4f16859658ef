package testkit

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// callTimeout limits how long a call of the control API may take.
const callTimeout = 10 * time.Second

// newTransport returns a transport without the proxies of the environment: none of them reaches a simulator that runs for
// the test, though its host may have another name than localhost, such as that of a remote engine.
func newTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	return transport
}

// try makes a call of the control API, and decodes the answer into a value unless that is nil.
func (b *Bank) try(method, path string, body, into any) error {
	return b.client.Call(context.Background(), method, path, body, into)
}

// read returns the body of what a call answers.
func (b *Bank) read(path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	answer, err := b.client.Open(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(answer)
	return data, errors.Join(err, answer.Close())
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
	b.call(method, api.SandboxPath(b.name, path), body, into)
}
