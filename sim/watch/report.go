package watch

import (
	"errors"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

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

// logDoubt logs that files are taken that may be unfinished, because nobody waits for ever.
func (w *Watcher) logDoubt(loaded scenario.Files, err error) {
	s := w.settling
	if w.traces.whole(w.Files, s.held) {
		return
	}
	why := doubt(w.good, w.Files, loaded)
	if why == "" {
		why = breaksOff(err, loaded)
	}
	if !time.Now().Before(s.overdue(w.Quiet)) {
		why = "the files keep changing"
	}
	if why != "" {
		w.Log.Info("the scenario may be unfinished and is taken as it is", "file", w.File, "because", why, "waited", time.Since(s.began).Round(time.Millisecond))
	}
}
