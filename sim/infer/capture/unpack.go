package capture

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf16"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// unpack returns the text of an archive in UTF-8, and the files of its bodies. The archive may be in a zip file, as
// Playwright writes it.
func unpack(capture []byte, most int64, files fs.FS) ([]byte, *bodies, error) {
	if bytes.HasPrefix(capture, []byte("PK\x03\x04")) {
		packed, err := zip.NewReader(bytes.NewReader(capture), int64(len(capture)))
		if err != nil {
			return nil, nil, fmt.Errorf("the zip file can't be read: %w", err)
		}
		name := ""
		for _, f := range packed.File {
			isOfSystem := strings.HasPrefix(f.Name, "__MACOSX/") || strings.HasPrefix(path.Base(f.Name), "._")
			if path.Ext(f.Name) != ".har" || isOfSystem {
				continue
			}
			if name != "" {
				return nil, nil, fmt.Errorf("the zip file has several archives, %s and %s: name one", wording.Quote(name),
					wording.Quote(f.Name))
			}
			name = f.Name
		}
		if name == "" {
			return nil, nil, errors.New("the zip file has no file that ends in .har")
		}
		if capture, err = readFile(packed, name, most); err != nil {
			return nil, nil, fmt.Errorf("%s in the zip file %w", wording.Quote(name), err)
		}
		if files, err = fs.Sub(packed, path.Dir(name)); err != nil {
			return nil, nil, fmt.Errorf("%s in the zip file can't be read", wording.Quote(name))
		}
	}
	text := inUTF8(capture)
	return text, &bodies{files, max(most-int64(len(text)), 0)}, nil
}

// inUTF8 returns a text that begins with a byte order mark in UTF-8, without the mark. Other texts stay.
func inUTF8(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	units := make([]uint16, (len(text)-2)/2)
	for i := range units {
		units[i] = order.Uint16(text[2+2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// bodies are the files that an archive names.
type bodies struct {
	files fs.FS // or nil
	left  int64 // bytes that they may have, each file as often as it is named
}

// bodyName matches the name that Playwright gives the file of a body: its digest. No other file is read.
var bodyName = lazy.Regexp(`^[0-9a-f]{40}(\.\w+)*$`)

// read reads the file of a body.
func (b *bodies) read(name string) ([]byte, error) {
	switch {
	case !bodyName().MatchString(name):
		return nil, fmt.Errorf("it is in the file %s, whose name is no digest of Playwright's", wording.Quote(name))
	case b.files == nil:
		return nil, fmt.Errorf("it is in the file %s, which is not here", wording.Quote(name))
	}
	if info, err := fs.Stat(b.files, name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("its file, %s, is no regular file", wording.Quote(name))
	}
	body, err := readFile(b.files, name, b.left)
	if err != nil {
		return nil, fmt.Errorf("its file, %s, %w", wording.Quote(name), err)
	}
	b.left -= int64(len(body))
	return body, nil
}

// readFile reads a file of at most so many bytes.
func readFile(files fs.FS, name string, most int64) ([]byte, error) {
	f, err := files.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("doesn't exist")
	case err != nil:
		return nil, errors.New("can't be read")
	}
	defer func() { _ = f.Close() }() // it was only read
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, errors.New("can't be read")
	case int64(len(content)) > most:
		return nil, errors.New("is too large: the archive has no room for more bodies")
	}
	return content, nil
}
