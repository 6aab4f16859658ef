package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// The errors of Resolved.
var (
	ErrResolvedTooLarge = errors.New("with what it extends, it is larger than 1 MiB, so no scenario of its own: " +
		"extend less, or use fewer aliases")
	ErrFilesChanged = errors.New("a file that the scenario extends has changed since it was loaded: load it again")
)

// Resolved returns the scenario as YAML with everything that it extends merged in, which loads to the same. A comment at the end of a line
// says where it was written: "# base.yaml:12".
func (s *Scenario) Resolved() ([]byte, error) {
	root, _, r, err := s.found.read()
	if err != nil {
		return nil, err
	}
	if r.sources.version(s.Source) != s.Version {
		return nil, ErrFilesChanged
	}
	encoded, err := encode(r.withOrigins(alone(root, s.found), false))
	if err == nil && len(encoded) > MaxBytes {
		err = ErrResolvedTooLarge
	}
	return encoded, err
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

// withOrigins returns a copy of a part of a tree without anchors, with the comments that say where lines were written. What comes from
// several files isn't written on one line.
func (r *report) withOrigins(n *yaml.Node, onLine bool) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ yaml.TaggedStyle,
		HeadComment: shown(n.HeadComment), FootComment: shown(n.FootComment)}
	switch {
	case n.Kind != yaml.ScalarNode && !onLine && n.Style&yaml.FlowStyle != 0:
		if onLine = !r.isMixed(n, n); !onLine {
			c.Style = 0
		}
	case n.Kind == yaml.ScalarNode && strings.ContainsAny(n.Value, lineBreaks) && n.Style&yaml.LiteralStyle == 0:
		c.Style = yaml.DoubleQuotedStyle
	case n.Kind == yaml.ScalarNode && n.Style == 0 && n.Line > 0:
		c.Tag = "" // it needs no quotes here if it has none there
	}
	for i, inner := range n.Content {
		value := r.withOrigins(inner, onLine)
		c.Content = append(c.Content, value)
		isBlock := len(inner.Content) > 0 && value.Style&yaml.FlowStyle == 0
		switch {
		case onLine, n.Kind == yaml.MappingNode && i%2 == 0, n.Kind == yaml.SequenceNode && isBlock:
		case n.Kind == yaml.SequenceNode:
			value.LineComment = r.writtenAt(inner)
		case isBlock:
			c.Content[i-1].LineComment = r.writtenAt(n.Content[i-1])
		default:
			value.LineComment = r.writtenAt(n.Content[i-1])
		}
	}
	return c
}

// writtenAt returns a comment that says where a node was written.
func (r *report) writtenAt(n *yaml.Node) string {
	if n.Line == 0 {
		return "# default"
	}
	return fmt.Sprintf("# %s:%d", r.originOf(n).file, n.Line)
}

// isMixed reports whether a part of a tree comes from another file than the whole, or has a comment of its own.
func (r *report) isMixed(whole, part *yaml.Node) bool {
	isMixed := func(inner *yaml.Node) bool {
		return inner.HeadComment+inner.LineComment+inner.FootComment != "" || r.isMixed(whole, inner)
	}
	return r.originOf(part) != r.originOf(whole) || slices.ContainsFunc(part.Content, isMixed)
}

// shown returns a comment without what only means something in its own file: where an editor finds the schema.
func shown(comment string) string {
	if strings.Contains(comment, "$schema=") || strings.Contains(comment, "$schema:") {
		return ""
	}
	return comment
}
