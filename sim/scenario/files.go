package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Files are the files that a scenario was read from, or would have been, each with what it then held.
type Files []source

// source is a file as it was read.
type source struct {
	file  string
	held  [sha256.Size]byte
	again func() ([]byte, error) // reads it once more; nil for an embedded one, which never changes
}

// LoadFile loads a scenario from a file, as [Load] does, and tells what it was read from. It does so, too, where the
// scenario is bad or the file can't be read: that is what has to change before another try is worth it. Only regular
// files are read, so that none keeps it waiting.
func LoadFile(file string, options ...Option) (*Scenario, Files, error) {
	read := func() ([]byte, error) { return readRegular(file) }
	content, err := read()
	var files Files
	files.note(file, content, err, read)
	if err != nil {
		return nil, files, fmt.Errorf("reading the scenario: %w", err)
	}
	options = append(slices.Clone(options), func(l *loading) { l.files = &files })
	sc, err := load(found{file, content, filepath.Base(file), filepath.Dir(file)}, options...)
	return sc, files, err
}

// Watchable tells whether a scenario is named by its file, so that it can change: see [Load].
func Watchable(nameOrFile string) bool { return isFile(nameOrFile) }

func readRegular(name string) ([]byte, error) {
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", name, errNotRegular)
	}
	return readPath(name)
}

var errNotRegular = errors.New("this is not a regular file: name a scenario file")

// note keeps what reading a file came to.
func (f *Files) note(file string, content []byte, err error, again func() ([]byte, error)) {
	*f = append(*f, source{file, digest(content, err), again})
}

// digest stands for what reading a file came to.
func digest(content []byte, err error) [sha256.Size]byte {
	if err != nil {
		return sha256.Sum256([]byte("unreadable: " + err.Error()))
	}
	return sha256.Sum256(content)
}

// Changed reads the files once more and tells whether any holds something else than it did. A file that is gone, or
// back, has changed; one that was merely touched has not.
func (f Files) Changed() bool {
	return slices.ContainsFunc(f, func(s source) bool {
		return s.again != nil && digest(s.again()) != s.held
	})
}

// Folders returns the folders that the files are in, sorted.
func (f Files) Folders() []string {
	var folders []string
	for _, s := range f {
		if s.again != nil {
			folders = append(folders, filepath.Dir(s.file))
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// version returns the version of a scenario that extends the files.
func (f Files) version(content []byte) string {
	held := digest(content, nil)
	whole := slices.Clone(held[:])
	for _, s := range f {
		whole = append(whole, s.held[:]...)
	}
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:8])
}
