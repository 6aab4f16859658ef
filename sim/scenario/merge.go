package scenario

import (
	"gopkg.in/yaml.v3"
)

// A scenario may extend others. Before anything is validated, they are merged from left to right, and it into them, by these
// rules:
//
//   - Mappings merge key by key, recursively.
//   - Lists of things that are told apart (see [keyed]) merge item by item: see mergelist.go.
//   - Any other list or value replaces that of the extended scenario.
//   - null removes the value of the extended scenario, so that the default applies.
//   - name, description and extends are not inherited.

// merger merges one scenario into what it extends. Neither is modified.
type merger struct {
	report *report
	gone   map[string]bool // what other scenarios removed: removing it once more is no mistake; nil: nothing was
}

// step is a way from the root of a scenario to a value.
type step struct {
	up   *step
	name string // the key, or the identity of the item
}

func (s *step) to(name string) *step { return &step{s, name} }

// String returns the way as a text that is equal for equal ways.
func (s *step) String() string {
	if s == nil {
		return ""
	}
	return s.up.String() + "\x00" + s.name
}

// isFree reports whether a place is in a mapping that has any keys.
func (s *step) isFree() bool { return s != nil && (s.name == freeForm || s.up.isFree()) }

// value returns a value merged into the inherited one. Both are values of the key.
func (m merger) value(at *step, key string, inherited, own *yaml.Node) *yaml.Node {
	switch _, isKeyed := keyed[key]; {
	case inherited.Kind == yaml.MappingNode && own.Kind == yaml.MappingNode:
		return m.mappings(at, inherited, own)
	case inherited.Kind == yaml.SequenceNode && own.Kind == yaml.SequenceNode && isKeyed && !at.isFree():
		return m.lists(at, key, inherited, own)
	}
	return own
}

func (m merger) mappings(at *step, inherited, own *yaml.Node) *yaml.Node {
	merged := m.report.emptied(own)
	merged.Content = make([]*yaml.Node, 0, len(inherited.Content)+len(own.Content))
	changes, there := indexed(own), indexed(inherited)
	for i := 0; i < len(inherited.Content); i += 2 {
		key, value := inherited.Content[i], inherited.Content[i+1]
		n, changed := changes[key.Value]
		switch {
		case !changed:
			merged.Content = append(merged.Content, key, value)
		case own.Content[n+1].Tag == "!!null":
			m.removes(at.to(key.Value), own.Content[n], "")
		default:
			merged.Content = append(merged.Content, own.Content[n], m.value(at.to(key.Value), key.Value, value, own.Content[n+1]))
		}
	}
	for i := 0; i < len(own.Content); i += 2 {
		key, value := own.Content[i], own.Content[i+1]
		_, isInherited := there[key.Value]
		switch {
		case isInherited:
		case len(m.gone) > 0 && m.gone[at.to(key.Value).String()]: // so this one has nothing to remove or to replace
			if value = m.value(at.to(key.Value), key.Value, &yaml.Node{Kind: value.Kind}, value); value.Tag != "!!null" {
				merged.Content = append(merged.Content, key, value)
			}
		case value.Tag != "!!null":
			merged.Content = append(merged.Content, key, value)
		default:
			m.report.add(value, "%s: null removes nothing, the extended scenario doesn't have it: remove the line", key.Value)
		}
	}
	return merged
}

// removes notes that what is at a place was removed, by a node that names it by an id, unless that is empty.
func (m merger) removes(at *step, by *yaml.Node, id string) {
	m.report.removals = append(m.report.removals, removal{by, id})
	if m.gone != nil {
		m.gone[at.String()] = true
	}
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

// indexed returns where the keys of a mapping are, by name.
func indexed(mapping *yaml.Node) map[string]int {
	index := make(map[string]int, len(mapping.Content)/2)
	for i := 0; i < len(mapping.Content); i += 2 {
		index[mapping.Content[i].Value] = i
	}
	return index
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
