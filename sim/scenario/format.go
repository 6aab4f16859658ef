package scenario

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"gopkg.in/yaml.v3"
)

// Format returns a YAML text in the normal form of scenarios. It keeps values, their order, quotes, comments and line breaks
// as they are, and changes the space between them:
//
//   - Two spaces for each level; the items of a list are indented below their key.
//   - One space after "-", ":" and ","; none inside brackets. The space before a comment stays, because it may align it.
//   - No space at the end of lines, no two empty lines in a row, and none at the start and at the end of the file.
//   - Line feeds, and no byte order mark.
//
// The file is its name in messages. It need not be a scenario, only YAML: otherwise the error is [Problems], as for a bad
// scenario, and so it is for what can't be formatted without changing what it means.
func Format(file string, source []byte) ([]byte, error) {
	r := newReport(file)
	if !r.readable(file, source) {
		return nil, r.err()
	}
	before, err := allDocuments(source)
	if err != nil {
		r.parse(file, source, "")
		return nil, r.err()
	}
	first := formatter{text: plainLines(source)}
	if problem := first.run(); problem != nil {
		r.addAt(file, problem.line, 1, "%s", problem.message)
		return nil, r.err()
	}
	if line := first.changes(before); line > 0 {
		r.addAt(file, line, 1, "this can't be formatted without changing what it means, so the file is left as it is: write it in a simpler way")
		return nil, r.err()
	}
	return first.out.Bytes(), nil
}

// plainLines returns a text without a byte order mark and with line feeds only.
func plainLines(source []byte) []byte {
	source = bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
	source = bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(source, []byte("\r"), []byte("\n")) // which YAML reads as the end of a line, too
}

// allDocuments returns all documents of a source.
func allDocuments(source []byte) (all []*yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(plainLines(source)))
	for {
		document := new(yaml.Node)
		err := decoder.Decode(document)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, document)
	}
}

// changes returns the line of the source from which on the formatted text means something else than the documents, or 0 if it
// means the same. It also requires that the text is its own normal form, with the same comments in the same places.
func (f *formatter) changes(before []*yaml.Node) (line int) {
	after, err := allDocuments(f.out.Bytes())
	if err != nil || len(after) != len(before) {
		return 1
	}
	for i := range before {
		if at := firstChange(before[i], after[i]); at != nil {
			return max(at.Line, 1)
		}
	}
	again := formatter{text: f.out.Bytes()}
	if again.run() != nil || !bytes.Equal(again.out.Bytes(), f.out.Bytes()) || !slices.Equal(again.seen, f.seen) {
		return 1
	}
	return 0
}

// firstChange returns the first node of a tree that differs from its counterpart, or nil.
func firstChange(before, after *yaml.Node) *yaml.Node {
	if before.Kind != after.Kind || before.Style != after.Style || before.Tag != after.Tag || before.Value != after.Value ||
		before.Anchor != after.Anchor || len(before.Content) != len(after.Content) {
		return before
	}
	for i, inner := range before.Content {
		if at := firstChange(inner, after.Content[i]); at != nil {
			return at
		}
	}
	return nil
}
