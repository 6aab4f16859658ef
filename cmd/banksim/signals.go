package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

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
// a second signal, untilSignal calls force and ends it.
func untilSignal(grace time.Duration, force func()) context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
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
