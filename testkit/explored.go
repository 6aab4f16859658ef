package testkit

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
)

// exploring says that banksim explore runs the tests.
var exploring = os.Getenv("BANKSIM_EXPLORE") != ""

// exploredInUse is locked while a test has the explored bank.
var exploredInUse sync.Mutex

// startExplored returns the bank that banksim explore has made for this run of the tests. They all use it, one after
// another, and each finds it at its start. So the calls of all tests are counted together.
func startExplored(t testing.TB, s settings) (*Bank, error) {
	t.Helper()
	if s.inMemory || s.on != nil || s.client.https || len(s.client.hosts) > 0 {
		return nil, errors.New("banksim explore runs the test, with a bank of its own: leave out InMemory, On, " +
			"HTTPS and AsHost")
	}
	if !exploredInUse.TryLock() {
		return nil, errors.New("banksim explore runs the tests with one bank at a time, and another test's is open: " +
			"use go test -p 1 -parallel 1")
	}
	t.Cleanup(exploredInUse.Unlock)
	control, name, _ := strings.Cut(os.Getenv("BANKSIM_CONTROL_URL"), "/v1/sandboxes/")
	e := endpoint{control: control, token: os.Getenv("BANKSIM_TOKEN")}
	h := &handle{
		simulator: e, client: e.newClient(), name: name, baseURL: os.Getenv("BANKSIM_BASE_URL"),
		apps: newAppClient(e, name, nil, ""),
	}
	b := newBank(t, h)
	b.isShared, b.explores = true, &s.plan.Beginning
	t.Cleanup(h.close)
	return b, b.beginAgain()
}

// beginAgain returns the explored bank to the start that a test asks for. Its journal and the faults of the exploration
// stay.
func (b *Bank) beginAgain() error {
	ctx := context.WithoutCancel(b.t.Context())
	err := b.call(ctx, http.MethodPost, "/begin", b.explores, nil)
	if err == nil {
		b.since, err = b.newestExchange(ctx)
	}
	return err
}
