package watch

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// How long changed files must stay as they are before they are taken, in quiet periods (choice).
const (
	suspicious = 8  // of files that look unfinished
	longest    = 32 // since the first change, whatever else happens
)

// prompt is how long files must stay as they are that were replaced as a whole (choice).
const prompt = 50 * time.Millisecond

// promptLooks is how often such files must be found as they were. Between two looks, events that are on their way arrive, also
// where the program hardly gets to run: an event may show that a file is still being written to.
const promptLooks = 2

// settling follows files that have changed until they can be taken.
type settling struct {
	began time.Time      // when the change was found
	since time.Time      // when the present content was found
	held  scenario.Files // the present content
	same  int            // how often it was found since then
	pause time.Duration  // the longest between two looks between which a file grew; 0: none did
}

func startSettling(seen scenario.Files) *settling {
	now := time.Now()
	return &settling{began: now, since: now, held: seen}
}

// see notes what the files hold now. They were read before, so that the content is at least as old as it seems.
func (s *settling) see(seen scenario.Files) {
	if seen.Within(s.held) && s.held.Within(seen) {
		s.same++
		return
	}
	now := time.Now()
	if grew(s.held, seen) {
		s.pause = max(s.pause, now.Sub(s.since))
	}
	s.since, s.held, s.same = now, seen, 0
}

// grew reports whether something was added to the end of a file.
func grew(before, after scenario.Files) bool {
	for _, file := range after {
		old, known := before.Find(file.Name)
		if known && len(file.Content) > len(old.Content) && bytes.HasPrefix(file.Content, old.Content) {
			return true
		}
	}
	return false
}

// overdue is when the files are taken whatever they are.
func (s *settling) overdue(quiet time.Duration) time.Time { return s.began.Add(longest * quiet) }

// doubtful is when files that look unfinished are taken.
func (s *settling) doubtful(quiet time.Duration) time.Time { return s.since.Add(suspicious * quiet) }

// due returns when the present content can be taken.
func (s *settling) due(quiet time.Duration, whole bool, doubt string) time.Time {
	wait := quiet
	switch {
	case whole:
		wait = min(quiet, prompt)
	case doubt != "":
		wait = suspicious * quiet
	default:
		wait = min(max(wait, 3*s.pause), suspicious*quiet) // whoever has paused may do so again
	}
	at := s.since.Add(wait)
	if last := s.overdue(quiet); at.After(last) {
		return last
	}
	return at
}

// adds reports whether what was loaded has a file that exists and is not held, or not so.
func (s *settling) adds(loaded scenario.Files) bool {
	return slices.ContainsFunc(loaded, func(file scenario.File) bool {
		_, known := s.held.Find(file.Name)
		return (known || file.Info != nil) && !scenario.Files{file}.Within(s.held)
	})
}

// doubt returns why one of the files looks unfinished, compared with the last good version. Empty: none does. A file that was
// missing from the last version that was taken, good or not, isn't awaited again.
func doubt(good, taken, seen scenario.Files) string {
	for _, file := range seen {
		old, known := good.Find(file.Name)
		if known && bytes.Equal(file.Content, old.Content) {
			continue
		}
		if last, found := taken.Find(file.Name); found && last.Info == nil && file.Info == nil {
			continue
		}
		switch content := file.Content; {
		case file.Info == nil:
			return file.Name + " is missing"
		case len(content) == 0:
			return file.Name + " is empty"
		case !known:
		case endsLine(old.Content) && !endsLine(content):
			return file.Name + " ends within a line"
		case bytes.HasPrefix(old.Content, content):
			return file.Name + " is the beginning of its last version"
		case len(content) < len(old.Content)/2:
			return file.Name + " has less than half of its last version"
		}
	}
	return ""
}

func endsLine(content []byte) bool { return bytes.HasSuffix(content, []byte("\n")) }

// breaksOff returns why a bad scenario looks unfinished: all that is wrong is the end of a file. Empty: it doesn't.
func breaksOff(err error, files scenario.Files) string {
	var problems scenario.Problems
	if !errors.As(err, &problems) || len(problems) != 1 {
		return ""
	}
	file, _ := files.Find(problems[0].File)
	if lines := bytes.Count(bytes.TrimRight(file.Content, "\n"), []byte("\n")) + 1; problems[0].Line < lines {
		return ""
	}
	return file.Name + " has a mistake at its end"
}
