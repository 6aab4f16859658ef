// Package memlimit keeps the program within the memory that its container may use. The limit comes from GOMEMLIMIT or from
// the control group of the process; the budgets of the parts of the program follow from it.
package memlimit

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// The shares of the limit (choice).
const (
	heapPercent = 85 // of the control group's limit that the Go runtime may use; the rest is for the program's text and the kernel

	journalShare = 4 // the part of the limit that all journals may hold: a quarter
	bodyShare    = 16
	worldShare   = 4
	roomShare    = 4

	mib         = 1 << 20
	maxJournals = 512 * mib
	maxBodies   = 64 * mib
	minBodies   = 2 * mib
	maxRoom     = 64 * mib
	smallLimit  = 128 * mib // up to here, fewer large answers are sent at a time
)

// Limits are the limit of the process's memory and the budgets that follow from it.
type Limits struct {
	Memory       int64  // bytes that the Go runtime may use; 0: no limit
	Source       string // where the limit is from: environment, cgroup v2, cgroup v1 or none
	Journals     int    // bytes of all journals together
	Bodies       int64  // bytes of request bodies that are read and answered at a time
	WorldBytes   int    // bytes that callers can add to all worlds together, whatever their scenarios allow; 0: no limit
	LargeAnswers int    // answers of any size that are sent at a time
	HeapRoom     int64  // bytes by which the heap may grow between two garbage collections, see KeepRoom; 0: as GOGC says
}

// unlimited is the least limit that stands for none: version 1 of control groups has a number of about 2⁶³ for it.
const unlimited = math.MaxInt64 / 2

// Of returns the limits that a process has whose variable GOMEMLIMIT has a value, or is empty, and whose file system is
// root. A value of GOMEMLIMIT has the Go runtime's meaning, and wins over the control group.
func Of(root fs.FS, variable string, inForce int64) Limits {
	switch bytes, source := cgroup(root); {
	case variable != "" && inForce < unlimited:
		return budgets(inForce, "environment")
	case variable != "":
		return budgets(0, "environment")
	case bytes > 0:
		return budgets(bytes/100*heapPercent, source)
	}
	return budgets(0, "none")
}

// Apply finds the limits of this process and makes the Go runtime keep to them.
func Apply(root fs.FS, getenv func(string) string) Limits {
	limits := Of(root, getenv("GOMEMLIMIT"), debug.SetMemoryLimit(-1))
	if limits.Memory > 0 {
		debug.SetMemoryLimit(limits.Memory)
	}
	if getenv("GOGC") != "" {
		limits.HeapRoom = 0
	}
	return limits
}

func budgets(limit int64, source string) Limits {
	l := Limits{Memory: limit, Source: source, Journals: maxJournals, Bodies: maxBodies, LargeAnswers: 4, HeapRoom: maxRoom}
	if limit > 0 {
		l.Journals = int(min(limit/journalShare, maxJournals))
		l.Bodies = max(min(limit/bodyShare, maxBodies), minBodies)
		l.WorldBytes = int(limit / worldShare)
		l.HeapRoom = min(limit/roomShare, maxRoom)
	}
	if limit > 0 && limit <= smallLimit {
		l.LargeAnswers = 2
	}
	return l
}

// cgroup returns the memory limit of the process's control group, 0 if it has none.
func cgroup(root fs.FS) (bytes int64, source string) {
	const mount = "sys/fs/cgroup"
	own := groups(root)
	for _, c := range []struct{ source, group, mount, file string }{
		{"cgroup v2", own[""], mount, "memory.max"},
		{"cgroup v1", own["memory"], mount + "/memory", "memory.limit_in_bytes"},
	} {
		// The group's own folder has the limit, one above it may have a lower one. In a container, the mount is the group.
		for folder := c.group; ; folder = path.Dir(folder) {
			if limit, ok := read(root, path.Join(c.mount, folder, c.file)); ok && (bytes == 0 || limit < bytes) {
				bytes, source = limit, c.source
			}
			if folder == "/" || folder == "." || folder == "" {
				break
			}
		}
	}
	return bytes, source
}

// groups returns the control groups of the process, by controller; that of version 2 has none.
func groups(root fs.FS) map[string]string {
	own := map[string]string{}
	text, _ := fs.ReadFile(root, "proc/self/cgroup") // without it, the mount's own limit counts
	for line := range strings.Lines(string(text)) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 {
			for controller := range strings.SplitSeq(parts[1], ",") {
				own[controller] = path.Clean("/" + parts[2])
			}
		}
	}
	return own
}

// read returns the limit that a file holds; false if it holds none.
func read(root fs.FS, file string) (int64, bool) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, false
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return limit, err == nil && limit > 0 && limit < unlimited
}

// Attributes are the limits as the log has them.
func (l Limits) Attributes() []any {
	return []any{"limit", size(l.Memory), "source", l.Source, "journals", size(int64(l.Journals)), "bodies", size(l.Bodies),
		"worlds", size(int64(l.WorldBytes)), "large-answers", l.LargeAnswers, "heap-room", l.heapRoom()}
}

// heapRoom returns the room of the heap as the log has it.
func (l Limits) heapRoom() string {
	if l.HeapRoom == 0 {
		return "GOGC"
	}
	return size(l.HeapRoom)
}

// size returns a limit as the log has it.
func size(bytes int64) string {
	if bytes == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1fMiB", float64(bytes)/mib)
}
