package testkit

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// Suite is a bank that the tests of a package share. Start it in TestMain, and close it there.
type Suite struct {
	handle *handle
	ends   []func() // after the sandbox
}

// StartSuite starts a bank that no test owns. It fails where [Start] would end a test.
func StartSuite(ctx context.Context, opts ...Option) (*Suite, error) {
	s, err := settle(opts)
	if err == nil {
		err = s.refuseExploreOptions()
	}
	if err != nil {
		return nil, fmt.Errorf("testkit: StartSuite: %w", err)
	}
	suite := &Suite{}
	p, err := s.place(ctx, func(end func()) { suite.ends = append(suite.ends, end) })
	if err == nil {
		suite.handle, err = createSandbox(ctx, p, s.client, s.plan)
	}
	if err != nil {
		suite.end()
		return nil, fmt.Errorf("testkit: StartSuite: %w", err)
	}
	return suite, nil
}

// Bank returns the bank for a test. If the test fails, its end logs the bank's exchanges. The faults that the test
// injects end with it; all else that it does to the bank stays.
func (s *Suite) Bank(t testing.TB) *Bank {
	b := &Bank{t: t, handle: s.handle, faults: &faultWatch{shared: true}}
	t.Cleanup(func() {
		b.conclude()
		b.removeInjected()
	})
	return b
}

// Close removes the bank.
func (s *Suite) Close() error {
	err := s.handle.remove()
	s.end()
	if err != nil {
		return fmt.Errorf("testkit: removing the bank: %w", err)
	}
	return nil
}

func (s *Suite) end() {
	for _, end := range slices.Backward(s.ends) {
		end()
	}
}
