package scenario

import "gopkg.in/yaml.v3"

// YAML returns the value as it is written, without comments and with secrets hidden. It is empty for a default.
func (s *Said) YAML() string {
	if s.node == nil {
		return ""
	}
	plain := new(report) // that knows of no files
	text, err := plain.encode(withoutSecrets("", plain.forWriting(s.node, true)), true)
	if err != nil { // aliases make it too large
		return ""
	}
	return string(text)
}

// withoutSecrets returns a tree that was copied, without comments and with secrets replaced.
func withoutSecrets(key string, n *yaml.Node) *yaml.Node {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			withoutSecrets("", n.Content[i])
			withoutSecrets(n.Content[i].Value, n.Content[i+1])
		}
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			withoutSecrets("", item)
		}
	case isSecret(key, n):
		n.Value, n.Tag, n.Style = Hidden, "!!str", 0
	}
	return n
}
