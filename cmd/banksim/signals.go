package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errEndedEarly ends a command that a signal has interrupted.
var errEndedEarly = errors.New("interrupted")

// graceOf returns how long a command may take to end after a signal (choice).
func graceOf(name string) time.Duration {
	switch name {
	case "serve":
		return drainTimeout + flushTimeout + time.Second
	case "check", "explore": // they remove what they have created
		return 10 * time.Second
	}
	return time.Second / 2
}

// sameSignal is how long copies of the first signal may arrive (choice). timeout(1), shells and npm pass a signal on
// that the process has got already, and a terminal that closes sends several.
const sameSignal = 100 * time.Millisecond

// untilSignal returns a context that ends with the first signal. If the process is still there after the grace, or gets
// a second signal, untilSignal calls force and ends the process.
func untilSignal(grace time.Duration, force func()) context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	received := make(chan os.Signal, len(signals))
	signal.Notify(received, signals...)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-received
		cancel()
		time.Sleep(sameSignal)
		for len(received) > 0 {
			<-received
		}
		select {
		case <-received:
		case <-time.After(grace):
		}
		force()
		os.Exit(exitInterrupted)
	}()
	return ctx
}

// await returns the results of fn, or errEndedEarly if the context ends first. Then fn goes on until the program ends.
func await[T any](ctx context.Context, fn func() (T, error)) (value T, err error) {
	done := make(chan struct{})
	var result T
	var failure error
	go func() {
		defer close(done)
		result, failure = fn()
	}()
	select {
	case <-done:
		return result, failure
	case <-ctx.Done():
		return value, errEndedEarly
	}
}
