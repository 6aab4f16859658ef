package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
)

// Part is a part of a multipart body (RFC 7578).
type Part struct {
	Name        string
	IsFile      bool   // whether it has a filename
	FileName    string // without folders
	ContentType string // as it was sent; empty: none
	Content     []byte
}

// maxParts is how many parts a body may have (choice).
const maxParts = 20

// Boundary returns the boundary of the parts of a body, given its Content-Type. It reports whether that is one of multipart
// bodies with names; the boundary of a malformed one is empty.
func Boundary(contentType string) (boundary string, isMultipart bool) {
	const kind = "multipart/"
	if trimmed := strings.TrimSpace(contentType); len(trimmed) < len(kind) || !strings.EqualFold(trimmed[:len(kind)], kind) {
		return "", false // most are not: it need not be parsed
	}
	media, parameters, err := mime.ParseMediaType(contentType)
	if media != "multipart/form-data" && media != "multipart/mixed" {
		return "", false
	}
	if err != nil {
		return "", true
	}
	return parameters["boundary"], true
}

// Parts reads a multipart body.
func Parts(body []byte, boundary string) ([]Part, error) {
	if boundary == "" {
		return nil, errors.New("the Content-Type has no boundary")
	}
	var all []Part
	for reader := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := reader.NextRawPart()
		if err == io.EOF && bytes.Contains(body, []byte("--"+boundary+"--")) { // a body that ends in a part's header has the same error
			return all, nil
		}
		if err != nil {
			return nil, errors.New("the parts can't be read: they are cut off, or not separated by the boundary")
		}
		if len(all) == maxParts {
			return nil, fmt.Errorf("there are more than %d parts", maxParts)
		}
		disposition, parameters, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		_, isFile := parameters["filename"]
		content, err := io.ReadAll(part)
		switch {
		case err != nil:
			return nil, errors.New("a part is cut off")
		case disposition == "":
			return nil, errors.New("a part has no Content-Disposition")
		case strings.ContainsFunc(part.FormName()+part.FileName(), func(c rune) bool { return c < ' ' || c == 0x7f || c == '\uFFFD' }):
			return nil, errors.New("the name of a part or of a file has characters that are not acceptable")
		}
		all = append(all, Part{parameters["name"], isFile, part.FileName(), part.Header.Get("Content-Type"), content})
	}
}

// PartTexts returns the content of the parts of a multipart body by their names, without files, as JSON has members. It is
// false for another body, and for one that can't be read.
func PartTexts(body []byte, contentType string) (map[string]any, bool) {
	boundary, isMultipart := Boundary(contentType)
	if !isMultipart {
		return nil, false
	}
	parts, err := Parts(body, boundary)
	if err != nil {
		return nil, false
	}
	object := map[string]any{}
	for _, p := range slices.Backward(parts) { // of several, the first counts
		if !p.IsFile {
			object[p.Name] = string(p.Content)
		}
	}
	return object, true
}
