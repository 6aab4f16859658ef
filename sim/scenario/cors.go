package scenario

import "gopkg.in/yaml.v3"

// WithOrigins returns the YAML of the scenario with behavior.cors.origins: the pages of these origins may read the
// answers. It fails as Merged does.
func (s *Scenario) WithOrigins(origins []string) ([]byte, error) {
	source, err := s.Merged()
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return nil, err
	}
	var list yaml.Node
	if err := list.Encode(origins); err != nil {
		return nil, err
	}
	cors := memberOf(memberOf(document.Content[0], "behavior"), "cors")
	*memberOf(cors, "origins") = list
	return yaml.Marshal(&document)
}

// memberOf returns the value of a key of a mapping. A new one is a mapping.
func memberOf(mapping *yaml.Node, key string) *yaml.Node {
	if value := valueOf(mapping, key); value != nil {
		return value
	}
	value := &yaml.Node{Kind: yaml.MappingNode}
	mapping.Content = append(mapping.Content, scalar(key), value)
	return value
}
