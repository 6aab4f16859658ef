package testkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

	mu    sync.Mutex
	users []*Bank // of tests that haven't ended
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
	return &Suite{handle: h}, nil
}

// Bank returns the bank for a test. The test sees only the requests from now on: earlier tests don't count. If the test
// fails, its end logs the bank's exchanges. Its faults and its snapshots end with it. The rest of what it does to the
// bank stays.
func (s *Suite) Bank(t testing.TB) *Bank {
	t.Helper()
	switch {
	case s == nil:
		t.Fatalf("testkit: Bank: the Suite is nil: start it in TestMain by testkit.StartSuite")
	case inBubble():
		t.Fatalf("testkit: Bank: a bubble of testing/synctest has no network: use testkit.Start(t, testkit.InMemory())")
	}
	newest, err := s.handle.newestExchange(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("testkit: Bank: %v", err)
	}
	b := newBank(t, s.handle)
	b.isShared, b.since = true, newest
	s.join(b)
	t.Cleanup(func() {
		b.conclude()
		b.removeSnapshots()
		s.leave(b)
	})
	return b
}

// join notes a test that uses the bank, and which others use it at the same time. A test that waits for its subtests
// doesn't count.
func (s *Suite) join(b *Bank) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.users {
		if !strings.HasPrefix(b.t.Name()+"/", other.t.Name()+"/") {
			another, name := other.t.Name(), b.t.Name()
			b.concurrent.Store(&another)
			other.concurrent.Store(&name)
		}
	}
	s.users = append(s.users, b)
}

func (s *Suite) leave(b *Bank) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users = slices.DeleteFunc(s.users, func(user *Bank) bool { return user == b })
}

// Close removes the bank.
func (s *Suite) Close() error {
	if s == nil {
		return errors.New("testkit: Close: the Suite is nil: testkit.StartSuite has failed, or was not called")
	}
	if err := s.handle.remove(); err != nil {
		return fmt.Errorf("testkit: removing the bank: %w", err)
	}
	return nil
}
