package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Resolved is a scenario with everything that it extends merged in. As a scenario of its own, it loads to the same.
type Resolved struct {
	YAML    string
	Origins []Origin // of the lines that begin a key or a value, in their order
}

// Origin says where a line of a resolved scenario was written.
type Origin struct {
	Line     int    // in the resolved scenario, from 1
	File     string // as in messages; empty: nowhere, the value is a default
	FileLine int    // in that file, from 1
	BuiltIn  bool   // whether that is the file of an embedded scenario
}

// Resolve returns the scenario with everything that it extends merged in, as that was when the scenario was loaded.
func (s *Scenario) Resolve() (Resolved, error) { return s.found.resolve() }

func (f found) resolve() (Resolved, error) {
	root, _, r, err := f.read()
	if err != nil {
		return Resolved{}, err
	}
	return r.resolved(root, f)
}

// resolved writes a checked tree.
func (r *report) resolved(root *yaml.Node, f found) (Resolved, error) {
	root = alone(root, f)
	var wanted any
	if err := root.Decode(&wanted); err != nil {
		return Resolved{}, fmt.Errorf("scenario %s: reading the tree: %w", f.file, err)
	}
	for _, asWritten := range []bool{true, false} { // comments and styles are for people: the values count
		text, err := r.encode(root, asWritten)
		if err != nil {
			return Resolved{}, fmt.Errorf("scenario %s: %w", f.file, err)
		}
		var values any
		again := newReport(f.file)
		written := again.read(f.file, text)
		if written == nil || again.err() != nil || written.Decode(&values) != nil || !reflect.DeepEqual(values, wanted) {
			continue
		}
		resolved := Resolved{YAML: string(text)}
		r.origins(&resolved.Origins, written, root)
		return resolved, nil
	}
	return Resolved{}, fmt.Errorf("scenario %s: what was written does not read as what was merged", f.file)
}

// alone returns a merged tree as that of a scenario that extends nothing: its name and its description come first, and the
// name is there.
func alone(root *yaml.Node, f found) *yaml.Node {
	whole := *root
	whole.Content = nil
	for _, name := range []string{"name", "description"} {
		if key, value := entry(root, name); value != nil {
			whole.Content = append(whole.Content, key, value)
		} else if name == "name" {
			whole.Content = append(whole.Content, scalar("name"), scalar(f.defaultName()))
		}
	}
	for i := 0; i < len(root.Content); i += 2 {
		if !slices.Contains(own, root.Content[i].Value) {
			whole.Content = append(whole.Content, root.Content[i], root.Content[i+1])
		}
	}
	return &whole
}

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// encode writes a tree, with its comments and styles or without.
func (r *report) encode(root *yaml.Node, asWritten bool) ([]byte, error) {
	var text limitedBuffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	err := encoder.Encode(r.forWriting(root, asWritten))
	if err == nil {
		err = encoder.Close()
	}
	if text.full {
		return nil, ErrResolvedTooLarge
	}
	return text.Bytes(), err
}

// ErrResolvedTooLarge is the error for a scenario that is too large for one once what it extends is merged in.
var ErrResolvedTooLarge = errors.New("with what it extends, it is larger than 1 MiB, so no scenario of its own: extend less, or use fewer aliases")

// limitedBuffer fails once it would hold more than maxBytes bytes.
type limitedBuffer struct {
	bytes.Buffer
	full bool
}

// Write implements io.Writer.
func (b *limitedBuffer) Write(data []byte) (int, error) {
	if b.full = b.full || b.Len()+len(data) > maxBytes; b.full {
		return 0, ErrResolvedTooLarge
	}
	return b.Buffer.Write(data)
}

// forWriting returns a copy of a tree that can be written: without anchors, whose aliases are replaced, and with every text
// that has line breaks in a notation that begins and ends on its own lines. What comes from several files isn't written on one
// line, so that each value has a line that says where it is from.
func (r *report) forWriting(n *yaml.Node, asWritten bool) *yaml.Node {
	copied := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	if asWritten {
		copied.Style = n.Style &^ yaml.TaggedStyle
		if n.Style&yaml.FlowStyle != 0 && r.isMixed(n, n) {
			copied.Style &^= yaml.FlowStyle
		}
		copied.HeadComment, copied.LineComment, copied.FootComment = shown(n.HeadComment), shown(n.LineComment), shown(n.FootComment)
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && strings.ContainsAny(n.Value, "\n\r") && n.Style&yaml.LiteralStyle == 0 {
		copied.Style = yaml.DoubleQuotedStyle
	}
	if n.Kind == yaml.ScalarNode && n.Style == 0 && isTimestamp(n.Value) {
		copied.Tag = "!!timestamp" // which needs no quotes
	}
	for _, inner := range n.Content {
		written := r.forWriting(inner, asWritten)
		if comment := written.LineComment; comment != "" && inner.Style&yaml.FlowStyle != written.Style&yaml.FlowStyle {
			above := written // there is no line of the whole any more
			if last := len(copied.Content) - 1; n.Kind == yaml.MappingNode && last >= 0 {
				above = copied.Content[last]
			}
			written.LineComment = ""
			above.HeadComment = strings.TrimPrefix(above.HeadComment+"\n"+comment, "\n")
		}
		copied.Content = append(copied.Content, written)
	}
	return copied
}

// isMixed reports whether a part of a tree comes from another file than the whole.
func (r *report) isMixed(whole, part *yaml.Node) bool {
	return r.originOf(part) != r.originOf(whole) ||
		slices.ContainsFunc(part.Content, func(inner *yaml.Node) bool { return r.isMixed(whole, inner) })
}

// shown returns a comment without what only means something in its own file: where an editor finds the schema.
func shown(comment string) string {
	if strings.Contains(comment, "$schema=") || strings.Contains(comment, "$schema:") {
		return ""
	}
	return comment
}

// origins adds the origins of the lines of a tree that was written from another one.
func (r *report) origins(to *[]Origin, written, from *yaml.Node) {
	if written.Kind == yaml.ScalarNode || len(written.Content) == 0 {
		if last := len(*to) - 1; last >= 0 && (*to)[last].Line == written.Line {
			return
		}
		at := Origin{Line: written.Line}
		if from.Line > 0 {
			o := r.originOf(from)
			at.File, at.FileLine, at.BuiltIn = o.file, from.Line, o.builtIn
		}
		*to = append(*to, at)
		return
	}
	for i, inner := range written.Content {
		r.origins(to, inner, from.Content[i])
	}
}

// WithOrigins returns the YAML with a comment at the end of each line that has an origin, aligned: "# base.yaml:12".
func (r Resolved) WithOrigins() string {
	lines := strings.Split(strings.TrimSuffix(r.YAML, "\n"), "\n")
	const widest = 80
	width := 0
	for _, o := range r.Origins {
		if n := len([]rune(lines[o.Line-1])); n <= widest {
			width = max(width, n)
		}
	}
	for _, o := range r.Origins {
		from := "default"
		if o.File != "" {
			from = fmt.Sprintf("%s:%d", o.File, o.FileLine)
		}
		line := lines[o.Line-1]
		lines[o.Line-1] = line + strings.Repeat(" ", max(0, width-len([]rune(line)))) + "  # " + from
	}
	return strings.Join(lines, "\n") + "\n"
}
