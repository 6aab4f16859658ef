package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Resolved is a scenario with everything that it extends merged in. As a scenario of its own, it loads to the same.
type Resolved struct {
	YAML    string
	Origins []Origin // of the lines that begin a key or a value, in their order
}

// Origin says where a line of a resolved scenario was written.
type Origin struct {
	Line     int    `json:"line" about:"From 1."`
	File     string `json:"file,omitzero" about:"Left out: nowhere, the value is a default."`
	FileLine int    `json:"fileLine,omitzero" about:"From 1."`
	BuiltIn  bool   `json:"builtIn,omitzero" about:"Whether the file is that of a built-in scenario."`
}

// ErrResolvedTooLarge is the error for a scenario that is too large for one once what it extends is merged in.
var ErrResolvedTooLarge = errors.New("with what it extends, it is larger than 1 MiB, so no scenario of its own: " +
	"extend less, or use fewer aliases")

// Resolve returns the scenario with everything that it extends merged in, as that was when the scenario was loaded.
func (s *Scenario) Resolve() (Resolved, error) {
	root, _, r, err := s.found.read()
	if err != nil {
		return Resolved{}, err
	}
	return r.resolved(root, s.found)
}

// originMark stands before the number of an origin, in the comment of its line. No scenario has this character.
const originMark = "#\x1e"

// resolved writes a checked tree.
func (r *report) resolved(root *yaml.Node, f found) (Resolved, error) {
	w := originWriter{report: r}
	encoded, err := encode(w.copied(alone(root, f), false))
	if err != nil {
		return Resolved{}, fmt.Errorf("scenario %s: %w", f.file, err)
	}
	var origins []Origin
	lines := strings.Split(string(encoded), "\n")
	for i, line := range lines {
		before, number, marked := strings.Cut(line, originMark)
		if n, err := strconv.Atoi(number); marked && err == nil {
			w.origins[n].Line = i + 1
			origins = append(origins, w.origins[n])
			lines[i] = strings.TrimRight(before+w.comments[n], " ")
		}
	}
	resolved := Resolved{YAML: strings.Join(lines, "\n"), Origins: origins}
	if len(resolved.YAML) > MaxBytes {
		err = ErrResolvedTooLarge
	}
	return resolved, err
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

// originWriter copies a tree, with a mark in place of the comment of each line that begins a key or a value.
type originWriter struct {
	*report
	origins  []Origin
	comments []string // of the lines, in place of which the marks stand
}

// copied returns a copy without anchors, whose texts that have line breaks begin and end on their own lines. What comes from several files
// isn't written on one line, so that each value has a line that says where it is from.
func (w *originWriter) copied(n *yaml.Node, onLine bool) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ yaml.TaggedStyle,
		HeadComment: shown(n.HeadComment), FootComment: shown(n.FootComment)}
	switch {
	case n.Kind != yaml.ScalarNode && !onLine && n.Style&yaml.FlowStyle != 0:
		if onLine = !w.isMixed(n, n); !onLine {
			c.Style = 0
		}
	case n.Kind == yaml.ScalarNode && strings.ContainsAny(n.Value, lineBreaks) && n.Style&yaml.LiteralStyle == 0:
		c.Style = yaml.DoubleQuotedStyle
	case n.Kind == yaml.ScalarNode && n.Style == 0 && n.Line > 0:
		c.Tag = "" // it needs no quotes here if it has none there
	}
	for i, inner := range n.Content {
		value := w.copied(inner, onLine)
		c.Content = append(c.Content, value)
		isBlock := len(inner.Content) > 0 && value.Style&yaml.FlowStyle == 0
		switch {
		case onLine:
		case n.Kind == yaml.SequenceNode && isBlock:
			value.HeadComment = strings.Trim(value.HeadComment+"\n"+inner.LineComment, "\n")
		case n.Kind == yaml.SequenceNode:
			first := inner
			for len(first.Content) > 0 {
				first = first.Content[0]
			}
			value.LineComment = w.mark(first, inner.LineComment)
		case n.Kind == yaml.MappingNode && i%2 == 1:
			line := value
			if isBlock {
				line = c.Content[i-1]
			}
			line.LineComment = w.mark(n.Content[i-1], cmp.Or(n.Content[i-1].LineComment, inner.LineComment))
		}
	}
	return c
}

// mark notes where a line is from, and its comment.
func (w *originWriter) mark(n *yaml.Node, comment string) string {
	at := Origin{}
	if n.Line > 0 {
		o := w.originOf(n)
		at = Origin{File: o.file, FileLine: n.Line, BuiltIn: o.builtIn}
	}
	w.origins, w.comments = append(w.origins, at), append(w.comments, strings.ReplaceAll(shown(comment), "\n", " "))
	return originMark + strconv.Itoa(len(w.origins)-1)
}

// isMixed reports whether a part of a tree comes from another file than the whole, or has a comment of its own.
func (w *originWriter) isMixed(whole, part *yaml.Node) bool {
	isMixed := func(inner *yaml.Node) bool {
		return inner.HeadComment+inner.LineComment+inner.FootComment != "" || w.isMixed(whole, inner)
	}
	return w.originOf(part) != w.originOf(whole) || slices.ContainsFunc(part.Content, isMixed)
}

// shown returns a comment without what only means something in its own file: where an editor finds the schema.
func shown(comment string) string {
	if strings.Contains(comment, "$schema=") || strings.Contains(comment, "$schema:") {
		return ""
	}
	return comment
}

// WithOrigins returns the YAML with a comment at the end of each line that has an origin, aligned: "# base.yaml:12".
func (r Resolved) WithOrigins() string {
	lines := strings.Split(r.YAML, "\n")
	const widest = 80
	width := 0
	for _, o := range r.Origins {
		if n := utf8.RuneCountInString(lines[o.Line-1]); n <= widest {
			width = max(width, n)
		}
	}
	for _, o := range r.Origins {
		from := "default"
		if o.File != "" {
			from = fmt.Sprintf("%s:%d", o.File, o.FileLine)
		}
		line := lines[o.Line-1]
		lines[o.Line-1] = line + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(line))) + "  # " + from
	}
	return strings.Join(lines, "\n")
}
