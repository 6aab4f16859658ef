package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a file in one step, so that nobody reads half of it: first as a draft, whose name is made from a pattern,
// beside it. The check may object just before the draft takes its place; nil: nothing does. If it fails, the file stays as it
// is, and no draft is left.
func replaceFile(name, pattern string, content []byte, mode fs.FileMode, check func() error) (written fs.FileInfo, err error) {
	draft, err := os.CreateTemp(filepath.Dir(name), pattern) // readable by its owner only
	if err != nil {
		return nil, err
	}
	if _, err = draft.Write(content); err == nil {
		err = draft.Chmod(mode)
	}
	if err == nil {
		written, err = draft.Stat()
	}
	if closed := draft.Close(); err == nil {
		err = closed
	}
	if err == nil && check != nil {
		err = check()
	}
	if err == nil {
		err = os.Rename(draft.Name(), name)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
		return nil, err
	}
	return written, nil
}
