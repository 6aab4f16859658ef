package main

import (
	"context"
	"errors"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// errEndedEarly ends a command that a signal has interrupted while it read or loaded something.
var errEndedEarly = interrupted{errors.New("interrupted")}

// within returns what a function returns, or errEndedEarly once the context ends. A function that opens or reads a pipe may never
// return: it is left behind then, and ends with the program.
func within[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, errEndedEarly
	}
}

// loadScenario loads a scenario that an argument names. Its error ends the command.
func loadScenario(ctx context.Context, s streams, name string) (*scenario.Scenario, error) {
	sc, err := within(ctx, func() (*scenario.Scenario, error) { return scenario.Load(name, withProgress(s.err)) })
	return sc, unusable(err)
}

// unusable returns the error that ends a command whose scenario can't be used: wrong use, unless it was interrupted.
func unusable(err error) error {
	if err == nil || errors.Is(err, errEndedEarly) {
		return err
	}
	return wrongUse{err}
}
