package redact

import (
	"bytes"
	"fmt"
	"mime"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// partFiles are the members of multipart bodies that are files, and partTypes the content types that parts may show.
var partFiles, partTypes = declaredParts()

func declaredParts() (files, types names) {
	files, types = names{}, names{}
	types.add([]string{"text/plain", "application/json", "application/octet-stream"})
	for _, op := range contract.AllSpoken() {
		if op.Multipart == nil {
			continue
		}
		for _, m := range op.Request.Members {
			if len(m.Type.FileTypes) > 0 {
				files[m.Name] = true
				types.add(m.Type.FileTypes)
			}
		}
	}
	return files, types
}

// redactParts redacts a multipart body: it keeps the content of the parts that the contract has, and of a file only its
// name, its type and where its lines end. A body whose parts can't be read is masked.
func redactParts(body []byte, boundary string) []byte {
	parts, err := wire.Parts(body, boundary)
	if err != nil {
		return mask(body)
	}
	var b bytes.Buffer
	for _, p := range parts {
		name, content := Name(p.Name), mask(p.Content)
		if requestMembers.isPlain(p.Name) && !p.IsFile {
			content = p.Content
		}
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q", boundary, name)
		if p.IsFile {
			file := p.FileName
			if !partFiles[p.Name] {
				file = Text(file)
			}
			fmt.Fprintf(&b, "; filename=%q", file)
		}
		if p.ContentType != "" {
			fmt.Fprintf(&b, "\r\nContent-Type: %s", partType(p.ContentType))
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", content)
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.Bytes()
}

// partType returns what may be kept of the content type of a part.
func partType(contentType string) string {
	if media, _, err := mime.ParseMediaType(contentType); err == nil && partTypes[media] {
		return media
	}
	return Text(contentType)
}

// Parts returns the content of the parts of a multipart body by their names, without files, as JSON has members. It is
// false for another body, and for one that can't be read.
func Parts(body []byte, contentType string) (map[string]any, bool) {
	boundary, isMultipart := wire.Boundary(contentType)
	if !isMultipart {
		return nil, false
	}
	parts, err := wire.Parts(body, boundary)
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
