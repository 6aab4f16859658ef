package scenario

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// readRegular reads a regular file, but only as much as shows that it is larger than MaxBytes. Others could block.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: name one", wording.Quote(name))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, MaxBytes+4))
}

// Files are the files that a scenario was read from, with digests of their content. They include files that were
// missing.
type Files []File

// File is a file with a digest of its content.
type File struct {
	Name string

	held [sha256.Size]byte // a digest of the content
}

// Now returns the files with digests of their present content. A file that was removed has another digest; a file
// that was only touched has the same.
func (f Files) Now() Files {
	now := slices.Clone(f)
	for i, file := range now {
		now[i].held = digest(readRegular(file.Name))
	}
	return now
}

// digest returns a digest of the result of reading a file: one for all that are missing, and one for other errors.
func digest(content []byte, err error) [sha256.Size]byte {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return [sha256.Size]byte{}
	case err != nil:
		return [sha256.Size]byte{1}
	}
	return sha256.Sum256(content)
}
