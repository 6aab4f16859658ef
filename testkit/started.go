package testkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Started returns a bank that no test owns, for TestMain and for test runners without a [testing.TB]. It is started as
// [Start] does, and lives until Close. Where no Docker engine answers, Started fails.
//
// A call on the bank that would end a test panics. [Bank.For] returns the bank for a test, whose failures are those of the
// test.
func Started(ctx context.Context, opts ...Option) (b *Bank, err error) {
	s := settle(opts)
	simulator, err := s.simulator(ctx)
	if err != nil {
		return nil, fmt.Errorf("testkit: starting the simulator: %w", err)
	}
	t := &noTest{}
	defer func() {
		if p := recover(); p != nil {
			failed, ok := p.(failure)
			if !ok {
				panic(p)
			}
			b, err = nil, errors.Join(failed, t.end())
		}
	}()
	return newBank(t, simulator, s.hosts, newSandboxPath, s.plan), nil
}

// For returns the bank for a test: its failures are those of the test, and if the test fails or panics, its end logs the bank's
// exchanges. The bank doesn't end with the test.
func (b *Bank) For(t testing.TB) *Bank {
	t.Helper()
	of := *b
	of.t = t
	t.Cleanup(func() {
		if t.Failed() || panicking() {
			of.report()
		}
		if err := suite.write(&of); err != nil {
			t.Errorf("testkit: writing the coverage, because %s is set: %v", coverageVariable, err)
		}
	})
	return &of
}

// Close removes a bank that [Started] has returned, or that was forked from one. A bank of a test is removed at the end
// of the test, and Close does nothing to it.
func (b *Bank) Close() (err error) {
	if t, ok := b.t.(*noTest); ok {
		err = t.end()
	}
	return err
}

// failure is a panic by which a call on a bank without a test fails.
type failure struct{ error }

// noTest stands for the test of a bank that has none.
type noTest struct {
	testing.TB // nil: a test of the testing package, which this is not, has more

	cleanups []func()
	problems []error
}

func (t *noTest) Helper()             {}
func (t *noTest) Failed() bool        { return false }
func (t *noTest) Log(...any)          {}
func (t *noTest) Logf(string, ...any) {}
func (t *noTest) Cleanup(f func())    { t.cleanups = append(t.cleanups, f) }

func (t *noTest) Fatalf(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// Errorf fails as Fatalf does: nobody would look at a failure later. At the end there is somebody, see end.
func (t *noTest) Errorf(format string, args ...any) {
	if t.cleanups != nil {
		t.Fatalf(format, args...)
	}
	t.problems = append(t.problems, fmt.Errorf(format, args...))
}

// end does what was to be done at the end, once, and returns the problems.
func (t *noTest) end() error {
	cleanups := t.cleanups
	t.cleanups = nil
	for _, f := range slices.Backward(cleanups) {
		f()
	}
	return errors.Join(t.problems...)
}
