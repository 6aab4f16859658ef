package watch

import (
	"os"

	"github.com/fsnotify/fsnotify"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// maxWritten bounds how many names are remembered between two versions (choice).
const maxWritten = 100

// traces are what events say about a change: how the files came to be as they are.
type traces struct {
	created bool            // something was put into a folder: a new file, a renamed one or a link
	written map[string]bool // the names that were written to, as long as they are names of the same file
}

func (t *traces) add(event fsnotify.Event) {
	if event.Has(fsnotify.Create) {
		t.created = true
		delete(t.written, event.Name)
	}
	if event.Has(fsnotify.Write) && len(t.written) <= maxWritten {
		if t.written == nil {
			t.written = map[string]bool{}
		}
		t.written[event.Name] = true
	}
}

// whole reports whether each file that has changed was replaced as a whole: another file, or a link to another one, took its
// place, and nobody has written to it there. What was written under another name before was complete when it was renamed.
func (t *traces) whole(before, now scenario.Files) bool {
	if !t.created || len(t.written) > maxWritten {
		return false
	}
	for _, file := range now {
		old, known := before.Find(file.Name)
		if (scenario.Files{file}).Within(before) {
			continue
		}
		if !known || len(file.Content) == 0 || old.Info != nil && os.SameFile(old.Info, file.Info) || t.wroteTo(file) {
			return false
		}
	}
	return true
}

// wroteTo reports whether somebody has written to a file, under any of its names in the folders.
func (t *traces) wroteTo(file scenario.File) bool {
	for name := range t.written {
		if info, err := os.Stat(name); err == nil && os.SameFile(info, file.Info) {
			return true
		}
	}
	return false
}
