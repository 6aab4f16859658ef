package testkit

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// Suite is a bank that the tests of a package share, one after the other. Start it in TestMain, and close it there:
//
//	func TestMain(m *testing.M) { os.Exit(run(m)) }
//
//	func run(m *testing.M) int {
//		var err error
//		if suite, err = testkit.StartSuite(context.Background()); err != nil {
//			log.Fatal(err)
//		}
//		defer suite.Close()
//		return m.Run()
//	}
type Suite struct {
	handle *handle
}

// StartSuite starts a bank that no test owns. It fails where [Start] would end a test.
func StartSuite(ctx context.Context, opts ...Option) (*Suite, error) {
	s, err := newSettings(opts)
	if err == nil {
		err = s.refuseExploreOptions()
	}
	if err == nil && s.inMemory {
		err = errors.New("a bank in memory belongs to one test: use Start")
	}
	if err != nil {
		return nil, fmt.Errorf("testkit: StartSuite: %w", err)
	}
	e, err := s.endpoint(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("testkit: StartSuite: %w", err)
	}
	h, err := createSandbox(ctx, e, s.client, s.plan)
	if err != nil {
		return nil, fmt.Errorf("testkit: StartSuite: %w", err)
	}
	return &Suite{h}, nil
}

// Bank returns the bank for a test. The test sees only the requests from now on: earlier tests don't count. If the test
// fails, its end logs the bank's exchanges. Its faults and its snapshots end with it. The rest of what it does to the
// bank stays.
func (s *Suite) Bank(t testing.TB) *Bank {
	t.Helper()
	if inBubble() {
		t.Fatalf("testkit: Bank: a bubble of testing/synctest has no network: use testkit.Start(t, testkit.InMemory())")
	}
	newest, err := s.handle.newestExchange(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("testkit: Bank: %v", err)
	}
	b := newBank(t, s.handle)
	b.faults.shared, b.since = true, newest
	t.Cleanup(func() {
		b.conclude()
		b.removeInjected()
		b.removeSnapshots()
	})
	return b
}

// Close removes the bank.
func (s *Suite) Close() error {
	if err := s.handle.remove(); err != nil {
		return fmt.Errorf("testkit: removing the bank: %w", err)
	}
	return nil
}
