package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// The time to live of sandboxes on a simulator that outlives the tests, and how old it may get (choice).
const (
	timeToLive = "1h"
	renewAfter = 10 * time.Minute
)

// handle is a sandbox on a simulator, and how to reach it.
type handle struct {
	simulator endpoint
	client    *api.Client // of the control API
	name      string
	created   time.Time // by the simulator's real time
	baseURL   string
	apps      *http.Client // of apps under test
	settings  clientSettings
	unlisten  []func()     // end the listeners that it has for itself
	snapshots atomic.Int64 // how many were taken

	mu      sync.Mutex
	renewed time.Time // when its time to live began
}

// createSandbox creates a sandbox on a simulator.
func createSandbox(ctx context.Context, e endpoint, settings clientSettings, plan api.NewSandbox) (*handle, error) {
	if e.outlives {
		ttl := timeToLive
		plan.TTL = &ttl
	}
	return newSandbox(ctx, e, settings, "/v1/sandboxes", plan)
}

// fork returns another sandbox that starts as this one is now.
func (h *handle) fork(ctx context.Context) (*handle, error) {
	var plan api.NewFork
	if h.simulator.outlives {
		ttl := timeToLive
		plan.TTL = &ttl
	}
	return newSandbox(ctx, h.simulator, h.settings, api.SandboxPath(h.name, "/fork"), plan)
}

// newSandbox creates a sandbox by a call of the control API. If it fails, it leaves nothing behind.
func newSandbox(
	ctx context.Context,
	e endpoint,
	settings clientSettings,
	path string,
	plan any,
) (_ *handle, err error) {
	h := &handle{simulator: e, client: e.newClient(), settings: settings, renewed: time.Now()}
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	var created api.Sandbox
	if err := h.client.Call(ctx, http.MethodPost, path, plan, &created); err != nil {
		return nil, plainly(err)
	}
	h.name, h.created = created.Name, created.CreatedAt
	if e.service == "" { // of an exploration, which gives the URL of its one bank alone
		h.simulator.service = strings.TrimSuffix(created.BaseURL, "/sandboxes/"+h.name)
	}
	urls, err := h.urls()
	if err != nil {
		return nil, errors.Join(err, h.remove())
	}
	h.baseURL = urls.base
	h.apps = newAppClient(e, h.name, settings.hosts, urls.https)
	return h, nil
}

// bankURLs are the URLs of a bank.
type bankURLs struct {
	base  string
	https string // or "" if nobody needs it
}

// urls returns the URLs of the sandbox, and opens the listeners that it has for itself.
func (h *handle) urls() (u bankURLs, err error) {
	e, needsHTTPS := h.simulator, h.settings.https || len(h.settings.hosts) > 0
	if e.listen == nil {
		u.base = e.service + "/sandboxes/" + h.name
		if needsHTTPS && e.https == "" {
			return u, errors.New(
				"the simulator speaks no https that is known: start it with --listen https://ADDRESS, too",
			)
		}
		u.https = e.https + "/sandboxes/" + h.name
	} else {
		if needsHTTPS {
			if u.https, err = h.listen(true); err != nil {
				return u, err
			}
		}
		if !h.settings.https {
			if u.base, err = h.listen(false); err != nil {
				return u, err
			}
		}
	}
	if h.settings.https {
		u.base = u.https
	}
	return u, nil
}

// listen opens a listener for the sandbox, for https if it is secure, and returns its URL.
func (h *handle) listen(secure bool) (string, error) {
	url, end, err := h.simulator.listen(h.name, secure)
	if err != nil {
		return "", fmt.Errorf("opening a listener for the bank: %w", err)
	}
	h.unlisten = append(h.unlisten, end)
	return url, nil
}

// call makes a call about the sandbox, and decodes the answer unless into is nil.
func (h *handle) call(ctx context.Context, method, path string, body, into any) error {
	if err := h.renew(ctx); err != nil {
		return err
	}
	return plainly(h.client.Call(ctx, method, api.SandboxPath(h.name, path), body, into))
}

// read makes a call about the sandbox, and returns the body of the answer.
func (h *handle) read(ctx context.Context, method, path string) ([]byte, error) {
	data, err := h.client.Read(ctx, method, api.SandboxPath(h.name, path), nil)
	return data, plainly(err)
}

// newestExchange returns the id of the newest exchange, or "0" if there was none.
func (h *handle) newestExchange(ctx context.Context) (string, error) {
	var page struct{ Exchanges []struct{ ID string } }
	if err := h.call(ctx, http.MethodGet, "/journal?limit=1", nil, &page); err != nil || len(page.Exchanges) == 0 {
		return "0", err
	}
	return page.Exchanges[0].ID, nil
}

// renew lets the sandbox live for its whole time again, if some of the time is over.
func (h *handle) renew(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.simulator.outlives || time.Since(h.renewed) < renewAfter {
		return nil
	}
	patch := api.SandboxPatch{TTL: timeToLive}
	if err := h.client.Call(ctx, http.MethodPatch, api.SandboxPath(h.name, ""), patch, nil); err != nil {
		return plainly(err)
	}
	h.renewed = time.Now()
	return nil
}

// close ends the connections of apps, and the listeners. It can be called again.
func (h *handle) close() {
	if h.apps != nil {
		h.apps.CloseIdleConnections()
	}
	for _, end := range h.unlisten {
		end()
	}
	h.client.Close()
}

// remove ends the sandbox.
func (h *handle) remove() error {
	defer h.client.Close()
	h.close()
	return plainly(h.client.Call(context.Background(), http.MethodDelete, api.SandboxPath(h.name, ""), nil, nil))
}

// plainly returns what a control API says is wrong, without the call: the method that a test has called says more.
func plainly(err error) error {
	var refusal *api.Refusal
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Status == http.StatusUnauthorized:
		return errors.New("the simulator wants another control token: see BANKSIM_CONTROL_TOKEN")
	case refusal.Problem == nil:
		return err
	case refusal.Problem.Code == api.NoSandbox:
		return errors.New("the bank has ended: it was removed, or nobody called it for an hour")
	}
	return refusal.Problem
}
