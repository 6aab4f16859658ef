package scenario

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// The errors of Resolved.
var (
	ErrResolvedTooLarge = errors.New("with what it extends, it is larger than 1 MiB, so no scenario of its own: " +
		"extend less, or use fewer aliases")
	ErrFilesChanged = errors.New("a file that the scenario extends has changed since it was loaded: load it again")
)

// Resolved returns the scenario as YAML with everything that it extends merged in. This YAML loads to an equal
// scenario. A comment at the end of a line says where the line was written: "# base.yaml:12".
func (s *Scenario) Resolved() ([]byte, error) { return s.resolved() }

// Merged returns the scenario as Resolved does, without the comments that say where lines were written.
func (s *Scenario) Merged() ([]byte, error) { return s.merged() }

// WithOrigins returns the YAML of the scenario with behavior.cors.origins: the pages of these origins may read the
// answers. It fails as Merged does.
func (s *Scenario) WithOrigins(origins []string) ([]byte, error) {
	text, err := s.Merged()
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	change := nodeOf(map[string]any{"behavior": map[string]any{"cors": map[string]any{"origins": origins}}})
	m := merger{removed: map[keyPath]*yaml.Node{}}
	notRoot := keyPath{isFreeForm: true} // at the root, name and description are not inherited
	return encode(m.mappings(notRoot, document.Content[0], change), ErrResolvedTooLarge)
}

// resolve returns a scenario as Resolved or Merged describes, if its files still have the version.
func resolve(from source, version string, origins bool) ([]byte, error) {
	d, found := newDraft(from)
	if d.version != version {
		return nil, ErrFilesChanged
	}
	if len(found) > 0 {
		return nil, found.problems(d.files)
	}
	root := d.withOrigins(standalone(d.tree, from))
	if !origins {
		removeLineComments(root)
	}
	return encode(root, ErrResolvedTooLarge)
}

// standalone turns a merged tree into a scenario that extends nothing. The name is there, and comes first with the
// description.
func standalone(root *yaml.Node, from source) *yaml.Node {
	whole, rest := *root, []*yaml.Node{}
	whole.Content = nil
	if valueOf(root, "name") == nil {
		whole.Content = []*yaml.Node{scalar("name"), scalar(from.defaultName())}
	}
	for i := 0; i < len(root.Content); i += 2 {
		switch pair := root.Content[i : i+2]; pair[0].Value {
		case "extends":
		case "name", "description":
			whole.Content = append(whole.Content, pair...)
		default:
			rest = append(rest, pair...)
		}
	}
	whole.Content = append(whole.Content, rest...)
	return &whole
}

// withOrigins returns a copy of a part of a tree without anchors, with the comments that say where lines were written.
func (d draft) withOrigins(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ (yaml.TaggedStyle | yaml.FlowStyle),
		HeadComment: withoutSchemaLine(n.HeadComment), FootComment: withoutSchemaLine(n.FootComment)}
	switch {
	case n.Kind != yaml.ScalarNode && len(n.Content) == 0:
		c.Style |= yaml.FlowStyle
	case n.Kind == yaml.ScalarNode && strings.ContainsAny(n.Value, lineBreaks) && n.Style&yaml.LiteralStyle == 0:
		c.Style = yaml.DoubleQuotedStyle
	case n.Kind == yaml.ScalarNode && n.Style == 0 && lineOf(n) > 0:
		c.Tag = "" // it needs no quotes here if it has none there
	}
	for i, inner := range n.Content {
		value := d.withOrigins(inner)
		c.Content = append(c.Content, value)
		isBlock := len(inner.Content) > 0
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 0, n.Kind == yaml.SequenceNode && isBlock:
		case n.Kind == yaml.SequenceNode:
			value.LineComment = d.writtenAt(inner)
		case isBlock:
			c.Content[i-1].LineComment = d.writtenAt(n.Content[i-1])
		default:
			value.LineComment = d.writtenAt(n.Content[i-1])
		}
	}
	return c
}

// writtenAt returns a comment that says where a node was written.
func (d draft) writtenAt(n *yaml.Node) string {
	if lineOf(n) == 0 {
		return "# default"
	}
	return fmt.Sprintf("# %s:%d", d.files[fileOf(n)].file, lineOf(n))
}

func removeLineComments(n *yaml.Node) {
	n.LineComment = ""
	for _, inner := range n.Content {
		removeLineComments(inner)
	}
}

// withoutSchemaLine returns a comment without what only means something in its own file: where an editor finds the
// schema.
func withoutSchemaLine(comment string) string {
	if strings.Contains(comment, "$schema=") || strings.Contains(comment, "$schema:") {
		return ""
	}
	return comment
}

// Stored returns a scenario that a store has kept as [Scenario.Resolved] returned it, with the name of its file and
// its version.
func Stored(file, version string, resolved []byte) (*Scenario, error) {
	s, _, err := load(source{file: file, name: file, text: resolved, storedVersion: version}, nil)
	return s, err
}
