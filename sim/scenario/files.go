package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
)

// Files are the files that a scenario was read from, or would have been.
type Files []File

// File is a file as it was read.
type File struct {
	Name    string
	Content []byte      // nil: it couldn't be read, or is embedded
	Info    fs.FileInfo // nil: there is none

	held  [sha256.Size]byte      // a digest of the content
	again func() ([]byte, error) // reads it again; nil for an embedded one, which never changes
}

// LoadFile loads a scenario, named as for [Load], and returns the files that it was read from. It returns them
// even if the scenario is bad or a file can't be read: one of them has to change before another try makes sense. It
// reads regular files only, because others could block.
func LoadFile(file string, options ...Option) (*Scenario, Files, error) {
	if source, err := Source(file); err == nil {
		sc, err := load(found{file: file + ".yaml", source: source, name: file, builtIn: true}, options...)
		return sc, nil, err
	}
	var files Files
	name, content, err := firstOf(candidates(file), func(candidate string) ([]byte, error) {
		read := func() ([]byte, error) { return readRegular(candidate) }
		content, err := read()
		files.note(candidate, content, err, read)
		return content, err
	})
	if err != nil {
		return nil, files, notFound(file, err)
	}
	options = append(slices.Clone(options), func(l *loading) { l.files = &files })
	sc, err := load(inFolder(name, content), options...)
	return sc, files, err
}

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

// note records the result of reading a file.
func (f *Files) note(file string, content []byte, err error, again func() ([]byte, error)) {
	read := File{Name: file, held: digest(content, err), again: again}
	if again != nil && err == nil {
		read.Content = content
		read.Info, _ = os.Stat(file)
	}
	*f = append(*f, read)
}

// digest returns a digest of the result of reading a file.
func digest(content []byte, err error) [sha256.Size]byte {
	if err != nil {
		return sha256.Sum256([]byte("unreadable: " + err.Error()))
	}
	return sha256.Sum256(content)
}

// Changed reads the files again and reports whether the content of any has changed. A file that was removed or restored
// has changed; one that was only touched has not.
func (f Files) Changed() bool {
	return slices.ContainsFunc(f, func(file File) bool {
		return file.again != nil && digest(file.again()) != file.held
	})
}

// Read returns the files as they are now, without the embedded ones.
func (f Files) Read() Files {
	var now Files
	for _, file := range f {
		if file.again != nil {
			content, err := file.again()
			now.note(file.Name, content, err, file.again)
		}
	}
	return now
}

// Find returns the file of a name.
func (f Files) Find(name string) (file File, ok bool) {
	at := slices.IndexFunc(f, func(file File) bool { return file.Name == name })
	if at < 0 {
		return File{}, false
	}
	return f[at], true
}

// Within reports whether each of the files, but for embedded ones, is among others with the same content.
func (f Files) Within(others Files) bool {
	return !slices.ContainsFunc(f, func(file File) bool {
		other, ok := others.Find(file.Name)
		return file.again != nil && (!ok || other.held != file.held)
	})
}

// Folders returns the folders of the files, sorted.
func (f Files) Folders() []string {
	var folders []string
	for _, file := range f {
		if file.again != nil {
			folders = append(folders, filepath.Dir(file.Name))
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// version returns the version of a scenario that extends the files.
func (f Files) version(content []byte) string {
	held := digest(content, nil)
	whole := slices.Clone(held[:])
	for _, file := range f {
		whole = append(whole, file.held[:]...)
	}
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:8])
}

// SourceBytes returns how many bytes the YAML of the scenario has, with that of the files that it extends.
func (s *Scenario) SourceBytes() int {
	size := len(s.Source)
	for _, source := range s.found.held {
		size += len(source)
	}
	return size
}

// maxTagged is how many characters of a name a tag has (choice).
const maxTagged = 64

// nameTag returns the name, percent-encoded, a slash and the version. A long name is cut off.
func nameTag(name, version string) string {
	if characters := []rune(name); len(characters) > maxTagged {
		name = string(characters[:maxTagged])
	}
	return url.PathEscape(name) + "/" + version
}
