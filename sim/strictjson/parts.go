package strictjson

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"unicode/utf8"
)

// Part is a part of a multipart body (RFC 7578).
type Part struct {
	IsFile      bool   // whether it has a filename
	FileName    string // without folders
	ContentType string // as it was sent, or "" if there was none
	Content     []byte
}

// Parts reads a body by the names of its parts, given its Content-Type. It reports whether that is one of multipart
// bodies with names.
func Parts(body []byte, contentType string) (parts map[string]Part, isMultipart bool, err error) {
	media, parameters, err := mime.ParseMediaType(contentType)
	if media != "multipart/form-data" && media != "multipart/mixed" {
		return nil, false, nil
	}
	boundary := parameters["boundary"]
	if err != nil || boundary == "" {
		return nil, true, errors.New("the Content-Type has no boundary")
	}
	parts = map[string]Part{}
	for reader := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := reader.NextRawPart()
		if err == io.EOF &&
			bytes.Contains(body, []byte("--"+boundary+"--")) { // a body that ends in a part's header has the same error
			return parts, true, nil
		}
		if err != nil {
			return nil, true, errors.New("the parts can't be read: they are cut off, or not separated by the boundary")
		}
		content, err := io.ReadAll(part)
		_, parameters, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		name, fileName := parameters["name"], part.FileName()
		_, isFile := parameters["filename"]
		_, twice := parts[name]
		switch {
		case err != nil:
			return nil, true, errors.New("a part is cut off")
		case !utf8.ValidString(name + fileName):
			return nil, true, errors.New("the name of a part or of a file is not valid UTF-8")
		case twice:
			return nil, true, errors.New("a part is given twice")
		}
		parts[name] = Part{isFile, fileName, part.Header.Get("Content-Type"), content}
	}
}
