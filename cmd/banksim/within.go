package main

import (
	"context"
	"errors"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// errEndedEarly ends a command that a signal has interrupted while it read or loaded something.
var errEndedEarly = interrupted{errors.New("interrupted")}

// within calls a function and returns its error, or errEndedEarly once the context ends: a function that opens or reads a pipe may
// never return. It is left behind then, so what it sets must not be used, and ends with the program.
func within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errEndedEarly
	}
}

// loadScenario loads a scenario that an argument names. Its error ends the command.
func loadScenario(ctx context.Context, s streams, name string) (*scenario.Scenario, error) {
	sc, err := loaded(ctx, func() (*scenario.Scenario, error) { return scenario.Load(name, withProgress(s.err)) })
	if err != nil {
		return nil, unusable(err)
	}
	return sc, nil
}

// loaded returns what a function loads, unless it is interrupted.
func loaded(ctx context.Context, load func() (*scenario.Scenario, error)) (*scenario.Scenario, error) {
	var sc *scenario.Scenario
	err := within(ctx, func() (err error) {
		sc, err = load()
		return err
	})
	if err != nil {
		return nil, err
	}
	return sc, nil
}

// unusable returns the error that ends a command whose scenario can't be used: wrong use, unless it was interrupted.
func unusable(err error) error {
	if errors.Is(err, errEndedEarly) {
		return err
	}
	return wrongUse{err}
}
