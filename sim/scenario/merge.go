package scenario

import "gopkg.in/yaml.v3"

// A scenario may extend another one. Before anything is validated, it is merged into the other by these rules:
//
//   - Mappings merge key by key, recursively.
//   - Lists of things with an id (see [idOf]) merge by id: an item with a known id merges into that item, which keeps
//     its index; others are appended.
//   - Any other list or value replaces that of the extended scenario.
//   - null removes the value of the extended scenario, so that the default applies.
//   - name, description and extends are not inherited.

// idOf maps the key of a list to the key that identifies its items.
var idOf = map[string]string{
	"institutions": "institutionId",
	"clients":      "sharedKey",
	"users":        "hostUserId",
	"accounts":     "accountId",
	"tokens":       "accessToken",
	"groups":       "groupName",
	"faults":       "name",
}

// merge returns a value of a scenario merged into that of the scenario it extends. Both are values of the key. Neither
// is modified.
func (r *report) merge(key string, parent, child *yaml.Node) *yaml.Node {
	switch id := idOf[key]; {
	case parent.Kind == yaml.MappingNode && child.Kind == yaml.MappingNode:
		return r.mergeMappings(parent, child)
	case parent.Kind == yaml.SequenceNode && child.Kind == yaml.SequenceNode && id != "":
		return r.mergeLists(id, parent, child)
	}
	return child
}

func (r *report) mergeMappings(parent, child *yaml.Node) *yaml.Node {
	merged := r.emptied(child)
	for i := 0; i < len(parent.Content); i += 2 {
		key, value := parent.Content[i], parent.Content[i+1]
		changedKey, changed := entry(child, key.Value)
		switch {
		case changed == nil:
			merged.Content = append(merged.Content, key, value)
		case changed.Tag != "!!null":
			merged.Content = append(merged.Content, changedKey, r.merge(key.Value, value, changed))
		}
	}
	for i := 0; i < len(child.Content); i += 2 {
		key, value := child.Content[i], child.Content[i+1]
		if valueOf(parent, key.Value) != nil {
			continue
		}
		if value.Tag == "!!null" {
			r.add(value, "%s: null removes nothing, the extended scenario doesn't have it: remove the line", key.Value)
			continue
		}
		merged.Content = append(merged.Content, key, value)
	}
	return merged
}

func (r *report) mergeLists(id string, parent, child *yaml.Node) *yaml.Node {
	merged := r.emptied(child)
	merged.Content = append(merged.Content, parent.Content...)
	places := map[string]int{}
	for i, item := range parent.Content {
		if value := valueOf(item, id); value != nil {
			places[value.Value] = i
		}
	}
	for _, item := range child.Content {
		if value := valueOf(item, id); isKind(value, yaml.ScalarNode) {
			if place, known := places[value.Value]; known {
				merged.Content[place] = r.merge("", merged.Content[place], item)
				delete(places, value.Value) // the next item with this id is a duplicate, and reported as such
				continue
			}
		}
		merged.Content = append(merged.Content, item)
	}
	return merged
}

// emptied returns a copy of a container without its content.
func (r *report) emptied(n *yaml.Node) *yaml.Node {
	empty := *n
	empty.Content = nil
	if from, noted := r.files[n]; noted {
		r.files[&empty] = from
	}
	return &empty
}

// entry returns the key and the value of a mapping's entry, or nil if there is no entry or no mapping.
func entry(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if !isKind(mapping, yaml.MappingNode) {
		return nil, nil
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	return nil, nil
}

// valueOf returns the value of a mapping's entry, or nil.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	_, value := entry(mapping, key)
	return value
}

// remove removes an entry from a mapping.
func remove(mapping *yaml.Node, name string) {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			mapping.Content = append(mapping.Content[:i], mapping.Content[i+2:]...)
			return
		}
	}
}
