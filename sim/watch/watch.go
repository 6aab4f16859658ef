package watch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Defaults (choice).
const (
	defaultPoll  = 2 * time.Second
	defaultQuiet = 50 * time.Millisecond
	maxQuiets    = 10 // how many quiet periods can pass at most between an event and the check of the files
)

// maxReads is how often files that change while they are read are read in a row. The result of the last read applies until
// the next check.
const maxReads = 5

// Config configures a Watcher.
type Config struct {
	File      string         // of the scenario
	Files     scenario.Files // as they were when the present scenario was loaded
	Sandboxes *sandbox.Registry
	Log       *slog.Logger
	Poll      time.Duration // between checks of the files without an event; 0: 2s
	Quiet     time.Duration // without events before the files are checked, so that none is half-written; 0: 50ms
}

// Watcher watches the files of a scenario until it is closed.
type Watcher struct {
	Config
	notifier *fsnotify.Watcher // nil if the system has none: then only polling is left
	cancel   context.CancelFunc
	done     chan struct{}
}

// Start starts a watcher, which ends with the context. Close waits for the end.
func Start(ctx context.Context, cfg Config) *Watcher {
	if cfg.Poll == 0 {
		cfg.Poll = defaultPoll
	}
	if cfg.Quiet == 0 {
		cfg.Quiet = defaultQuiet
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{Config: cfg, cancel: cancel, done: make(chan struct{})}
	var err error
	if w.notifier, err = fsnotify.NewWatcher(); err != nil {
		w.Log.Warn("the system reports no file events: changes are found by polling", "every", w.Poll, "error", err)
		w.notifier = nil
	}
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
	var events chan fsnotify.Event
	var failures chan error
	if w.notifier != nil {
		defer func() { _ = w.notifier.Close() }()
		events, failures = w.notifier.Events, w.notifier.Errors
	}
	poll := time.NewTicker(w.Poll)
	defer poll.Stop()
	var settled <-chan time.Time // nil: no event since the last check
	var latest time.Time         // for the next check, once there was an event
	w.check()
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-failures:
			// Events were lost, or a folder can't be watched. Polling goes on.
			w.Log.Warn("watching the scenario's folder", "error", err)
		case <-events:
			if settled == nil {
				latest = time.Now().Add(maxQuiets * w.Quiet)
			}
			settled = time.After(min(w.Quiet, time.Until(latest)))
		case <-settled:
			settled = nil
			w.check()
		case <-poll.C:
			if settled == nil {
				w.check()
			}
		}
	}
}

// check loads the scenario if one of its files has changed.
func (w *Watcher) check() {
	w.subscribe()
	if !w.Files.Changed() {
		return
	}
	sc, files, err := scenario.LoadFile(w.File)
	for reads := 1; reads < maxReads && files.Changed(); reads++ {
		sc, files, err = scenario.LoadFile(w.File)
	}
	w.Files = files
	w.subscribe()
	if err != nil {
		w.refuse(err)
		return
	}
	restarted := w.Sandboxes.Replace(sc)
	w.Log.Info("scenario reloaded", "file", w.File, "scenario", sc.Name, "version", sc.Version, "restarted", restarted)
	LogWarnings(w.Log, sc)
}

// refuse keeps the last good scenario, and records and logs all problems of the files.
func (w *Watcher) refuse(err error) {
	w.Sandboxes.Refuse(err)
	var problems scenario.Problems
	if !errors.As(err, &problems) {
		w.Log.Error("scenario not reloaded: the last good one stays", "file", w.File, "error", err)
		return
	}
	w.Log.Error("scenario not reloaded: the last good one stays", "file", w.File, "problems", len(problems))
	for _, p := range problems {
		w.Log.Error("problem in the scenario", "problem", p.String())
	}
}

// subscribe asks the system for events of the folders of the files. Events of a file would end when the file is replaced. A
// folder that was itself replaced is subscribed to again by the next check.
func (w *Watcher) subscribe() {
	if w.notifier == nil {
		return
	}
	for _, folder := range w.Files.Folders() {
		_ = w.notifier.Add(folder) // a folder that is missing, or can't be watched, is left to polling
	}
}
