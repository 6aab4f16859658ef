package simtest

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Detached is a simulator without listeners, for fuzz tests: a request is a call of a function, a panic reaches the
// test, and nothing waits, as if the server were shutting down.
type Detached struct {
	*Bank // without a server and a client: its default sandbox

	bank, control http.Handler
}

// NewDetached returns a simulator whose sandboxes start from a scenario's YAML.
func NewDetached(t testing.TB, yaml string) *Detached {
	t.Helper()
	sandboxes := Registry(t, yaml)
	t.Cleanup(sandboxes.Close)
	log, draining := slog.New(slog.DiscardHandler), make(chan struct{})
	close(draining)
	bank := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: log, Draining: draining})
	return &Detached{
		Bank: &Bank{Sandboxes: sandboxes, Sandbox: sandboxes.Default(), t: t},
		bank: bank,
		control: controlapi.New(
			controlapi.Config{Sandboxes: sandboxes, Log: log, Draining: draining, Ready: func() bool { return true },
				ServiceURL: "http://bank.test", Bank: bank},
		),
	}
}

// Fresh returns the simulator for one input of a fuzz test: with its default sandbox reset, and one more sandbox of
// the given name, unless that is the default sandbox's. It returns the bank of the new sandbox, or else of the
// default one.
func (d *Detached) Fresh(t testing.TB, name string) *Detached {
	t.Helper()
	for _, sb := range d.Sandboxes.All() {
		_ = d.Sandboxes.Delete(t.Context(), sb) // the default one is kept, and another may have expired
	}
	sb := d.Sandboxes.Default()
	sb.Reset(t.Context(), "")
	if name != sandbox.Default {
		var err error
		if sb, err = d.Sandboxes.Create(t.Context(), sandbox.Plan{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	fresh := *d
	fresh.Bank = &Bank{Sandboxes: d.Sandboxes, Sandbox: sb, t: t}
	return &fresh
}

// ServeBank answers a request to the bank API.
func (d *Detached) ServeBank(r *http.Request) Answer { return serve(d.bank, r) }

// ServeControl answers a request to the control API.
func (d *Detached) ServeControl(r *http.Request) Answer { return serve(d.control, r) }

func serve(handler http.Handler, r *http.Request) Answer {
	w, aborted := httptest.NewRecorder(), false
	func() {
		defer func() {
			if p := recover(); p == http.ErrAbortHandler { // a fault: there is no answer, or a part of one
				aborted = true
			} else if p != nil {
				panic(p)
			}
		}()
		handler.ServeHTTP(w, r)
	}()
	res := w.Result()
	for name, values := range res.Header { // a client sees canonical names, whichever a handler writes
		delete(res.Header, name)
		res.Header[http.CanonicalHeaderKey(name)] = values
	}
	if aborted {
		res.StatusCode = 0
	}
	return Answer{res, w.Body.String()}
}
