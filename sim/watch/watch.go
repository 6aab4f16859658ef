// Package watch reloads the scenario of a running simulator when its files change. It asks no file system for events:
// it looks every second. Start at Start.
package watch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// defaultPoll is how often the files are looked at (choice).
const defaultPoll = time.Second

// Config configures a Watcher.
type Config struct {
	File      string         // of the scenario
	Files     scenario.Files // as they were when the present scenario was loaded
	Sandboxes *sandbox.Registry
	Log       *slog.Logger
	Poll      time.Duration // between two looks at the files; 0 means a second
}

// Watcher looks at the files of a scenario until it is closed. A changed file is loaded when two looks in a row have
// found the same content, so that a half-written file is not loaded. A bad scenario is logged, and the last good one
// stays.
type Watcher struct {
	Config
	cancel context.CancelFunc
	done   chan struct{}
	seen   scenario.Files // by the last look; nil before a change
}

// Start starts a watcher. It ends with the context, and Close waits for the end.
func Start(ctx context.Context, cfg Config) *Watcher {
	if cfg.Poll == 0 {
		cfg.Poll = defaultPoll
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{Config: cfg, cancel: cancel, done: make(chan struct{})}
	go w.run(ctx)
	return w
}

// Close ends the watcher. Once it returns, the watcher changes no sandbox.
func (w *Watcher) Close() {
	w.cancel()
	<-w.done
}

func (w *Watcher) run(ctx context.Context) {
	defer close(w.done)
	ticker := time.NewTicker(w.Poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.look()
		}
	}
}

// look looks at the files, and loads the scenario if they have changed and are as the last look has found them.
func (w *Watcher) look() {
	now := w.Files.Now()
	switch {
	case slices.Equal(now, w.Files):
		w.seen = nil
	case !slices.Equal(now, w.seen):
		w.seen = now
	default:
		sc, files, err := scenario.LoadFile(w.File)
		w.Files, w.seen = files, nil
		w.apply(sc, err)
	}
}

// apply replaces the registry's scenario by the loaded one, or records the errors of loading.
func (w *Watcher) apply(sc *scenario.Scenario, err error) {
	if err == nil {
		changed, restarted := w.Sandboxes.SetScenario(sc)
		how := "restarted"
		if !restarted {
			how = "withoutReset"
		}
		w.Log.Info(
			"scenario reloaded", "file", w.File, "scenario", sc.Name, "version", sc.Version, how, changed,
			"seed", w.Sandboxes.Default().Known().Seed(),
		)
		LogWarnings(w.Log, sc)
		if !w.Sandboxes.Default().Info().Follows {
			w.Log.Warn("the default sandbox has a scenario of its own and stays as it is: to follow the file again, " +
				"DELETE /v1/sandboxes/default/scenario of the control API")
		}
		if w.Sandboxes.IsStored() {
			w.Log.Warn(
				"stored banks stay as they are: new sandboxes take the new scenario, and a reset starts a bank from it: "+
					"POST /v1/sandboxes/NAME/reset of the control API",
				"stored",
				w.Sandboxes.Location(),
			)
		}
		return
	}
	w.Sandboxes.Refuse(err)
	var problems scenario.Problems
	if !errors.As(err, &problems) {
		w.Log.Error("scenario not reloaded: the last good one stays", "file", w.File, "error", err)
		return
	}
	w.Log.Error("scenario not reloaded: the last good one stays", "file", w.File, "problems", len(problems))
	for _, p := range problems.Brief() {
		w.Log.Error("problem in the scenario", "problem", p.String())
	}
}

// LogWarnings logs each warning of a scenario that was loaded.
func LogWarnings(log *slog.Logger, sc *scenario.Scenario) {
	for _, warning := range sc.Warnings.Brief() {
		log.Warn("warning in the scenario", "warning", warning.String())
	}
}
