package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is an error by which a command ends that was interrupted.
type interrupted struct{ error }

// interruptible returns a context that ends with the first signal, after which an exploration ends in an orderly way, and a
// channel that closes with the second. Until stop is called, no signal ends the program: it would leave commands behind. From here
// on, a pipe that nobody reads any more doesn't, either.
func interruptible(parent context.Context) (ctx context.Context, now <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals, second, stopped := make(chan os.Signal, 2), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // to ignore it would make the commands ignore it, too
	go func() {
		for count := 1; ; count++ {
			select {
			case <-signals:
			case <-stopped:
				return
			}
			cancel()
			if count == 2 {
				close(second)
			}
		}
	}()
	return ctx, second, func() {
		signal.Stop(signals)
		close(stopped)
		cancel()
	}
}
