package watch

import (
	"context"
	"log/slog"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Defaults (choice).
const (
	defaultPoll  = 2 * time.Second
	defaultQuiet = 300 * time.Millisecond
)

// maxGlance is how long after an event the files are looked at, so that many events are one look (choice).
const maxGlance = 50 * time.Millisecond

// Config configures a Watcher.
type Config struct {
	File      string         // of the scenario
	Files     scenario.Files // as they were when the present scenario was loaded
	Sandboxes *sandbox.Registry
	Log       *slog.Logger
	Poll      time.Duration // between looks at the files without an event; 0: 2s
	Quiet     time.Duration // how long files stay as they are before they are taken, so that none is half-written; 0: 300ms
	PollOnly  bool          // whether the system isn't asked for events
}

// Watcher watches the files of a scenario until it is closed.
type Watcher struct {
	Config
	notifier *fsnotify.Watcher // nil if the system has none: then only polling is left
	cancel   context.CancelFunc
	done     chan struct{}

	good     scenario.Files // from which the present scenario was loaded
	settling *settling      // nil: the files are as they were when they were loaded
	traces   traces         // of changes since then
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
	w := &Watcher{Config: cfg, cancel: cancel, done: make(chan struct{}), good: cfg.Files}
	if !cfg.PollOnly {
		w.askForEvents()
	}
	w.subscribe() // before anything changes, so that events tell how it was changed
	go w.run(ctx)
	return w
}

func (w *Watcher) askForEvents() {
	var err error
	if w.notifier, err = fsnotify.NewWatcher(); err != nil {
		w.Log.Warn("the system reports no file events: changes are found by polling", "every", w.Poll, "error", err)
		w.notifier = nil
	}
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
	glance := min(w.Quiet/6, maxGlance)
	next := time.Now() // of the next look
	timer := time.NewTimer(0)
	defer timer.Stop()
	lookAt := func(at time.Time) {
		next = at
		timer.Reset(time.Until(at))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-failures:
			// Events were lost, or a folder can't be watched. Polling goes on.
			w.Log.Warn("watching the scenario's folder", "error", err)
		case event := <-events:
			w.traces.add(event)
			if soon := time.Now().Add(glance); soon.Before(next) {
				lookAt(soon)
			}
		case <-timer.C:
			lookAt(w.look(time.Now()))
		}
	}
}

// look looks at the files, and loads the scenario if one of them has changed and all seem complete. It returns when to look
// again unless there is an event before.
func (w *Watcher) look(now time.Time) (again time.Time) {
	w.subscribe()
	again = now.Add(w.Poll)
	if !w.Files.Changed() {
		w.settling, w.traces = nil, traces{}
		return again
	}
	if w.settling == nil {
		w.settling = startSettling(w.Files.Read())
	} else {
		w.settling.see(w.settling.held.Read())
	}
	due := w.due(now)
	if now.Before(due) {
		return earlier(due, again)
	}
	sc, files, err := scenario.LoadFile(w.File)
	if retry, wait := w.unsettled(now, files, err); wait {
		return earlier(retry, again)
	}
	w.take(sc, files, err)
	return again
}

// due returns when the files can be taken as they are.
func (w *Watcher) due(now time.Time) time.Time {
	s := w.settling
	if w.traces.whole(w.Files, s.held) {
		at := s.due(w.Quiet, true, "")
		if s.same < promptLooks && !now.Before(at) {
			return now.Add(min(w.Quiet, prompt) / promptLooks)
		}
		return at
	}
	return s.due(w.Quiet, false, doubt(w.good, w.Files, s.held))
}

// unsettled reports whether what was loaded must not be taken yet, and when to look again.
func (w *Watcher) unsettled(now time.Time, loaded scenario.Files, err error) (again time.Time, wait bool) {
	s := w.settling
	if !now.Before(s.overdue(w.Quiet)) {
		return again, false
	}
	// Changed meanwhile, or the scenario extends other files now. Whoever waited for those that look unfinished has waited for
	// those that are missing, too.
	if !loaded.Within(s.held) && (s.adds(loaded) || now.Before(s.doubtful(w.Quiet))) {
		s.see(loaded)
		return w.due(now), true
	}
	if until := s.doubtful(w.Quiet); now.Before(until) && breaksOff(err, loaded) != "" && !w.traces.whole(w.Files, s.held) {
		return earlier(until, s.overdue(w.Quiet)), true
	}
	return again, false
}

// take replaces the registry's scenario by what was loaded, or records why that is bad.
func (w *Watcher) take(sc *scenario.Scenario, files scenario.Files, err error) {
	w.logDoubt(files, err)
	w.Files, w.settling, w.traces = files, nil, traces{}
	w.subscribe()
	if err != nil {
		w.refuse(err)
		return
	}
	w.good = files
	before := w.Sandboxes.Origin().Scenario
	restarted := w.Sandboxes.Replace(sc)
	w.Log.Info("scenario reloaded", "file", w.File, "scenario", sc.Name, "version", sc.Version, "restarted", restarted, "changes", changes(before, sc))
	LogWarnings(w.Log, sc)
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

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
