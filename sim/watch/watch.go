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

// How long things take unless a configuration says otherwise (choice).
const (
	defaultPoll  = 2 * time.Second
	defaultQuiet = 50 * time.Millisecond
	quietPeriods = 10 // at most so many quiet times pass between an event and the look at the files
)

// maxTries bounds how often files that change while they are read are read anew at once. What was read last counts
// then: the next look follows.
const maxTries = 5

// Config says what is watched, and for whom.
type Config struct {
	File      string         // the scenario's
	Files     scenario.Files // as they were when the scenario was loaded that the sandboxes start from
	Sandboxes *sandbox.Registry
	Log       *slog.Logger
	Poll      time.Duration // between looks at the files where no event tells of a change; 0: 2s
	Quiet     time.Duration // without events before the files are looked at, so that none is half-written; 0: 50ms
}

// Watcher follows a scenario's files until it is closed.
type Watcher struct {
	Config
	notifier *fsnotify.Watcher // nil where the system has none to give: the poll does alone
	cancel   context.CancelFunc
	done     chan struct{}
}

// Start begins to watch. The watcher ends with the context; Close waits for that.
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
		w.Log.Warn("the system doesn't tell of changed files: they are looked at from time to time", "every", w.Poll, "error", err)
		w.notifier = nil
	}
	go w.run(ctx)
	return w
}

// Close ends the watcher: once it returns, no sandbox is touched any more.
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
	var settled <-chan time.Time // nil: no event since the last look
	var latest time.Time         // of the next look, when there was an event
	w.look()
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-failures:
			// Events were lost, or a folder can't be watched: the poll goes on.
			w.Log.Warn("watching the scenario's folder", "error", err)
		case <-events:
			if settled == nil {
				latest = time.Now().Add(quietPeriods * w.Quiet)
			}
			settled = time.After(min(w.Quiet, time.Until(latest)))
		case <-settled:
			settled = nil
			w.look()
		case <-poll.C:
			if settled == nil {
				w.look()
			}
		}
	}
}

// look loads the scenario if one of its files has changed.
func (w *Watcher) look() {
	w.follow()
	if !w.Files.Changed() {
		return
	}
	sc, files, err := scenario.LoadFile(w.File)
	for tries := 1; tries < maxTries && files.Changed(); tries++ {
		sc, files, err = scenario.LoadFile(w.File)
	}
	w.Files = files
	w.follow()
	if err != nil {
		w.refuse(err)
		return
	}
	restarted := w.Sandboxes.Replace(sc)
	w.Log.Info("scenario reloaded", "file", w.File, "scenario", sc.Name, "version", sc.Version, "restarted", restarted)
}

// refuse keeps the last good scenario, and tells all that is wrong with the files.
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

// follow has the system tell of events in the folders of the files: of the folders, because a file that is replaced by
// another one takes its events with it. A folder that was replaced itself is found again by the next look.
func (w *Watcher) follow() {
	if w.notifier == nil {
		return
	}
	for _, folder := range w.Files.Folders() {
		_ = w.notifier.Add(folder) // a folder that is gone, or can't be watched, is left to the poll
	}
}
