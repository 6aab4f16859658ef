package explore

import (
	"fmt"
	"maps"
	"slices"
)

// leaves are the values in a row that are no objects and no lists, by the names that lead to them, such as
// disclosures[0].paperWaiver. Empty ones count as values.
type leaves map[string]any

func newLeaves(row map[string]any) leaves {
	l := leaves{}
	for name, value := range row {
		l.add(name, value)
	}
	return l
}

func (l leaves) add(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for member, of := range value {
			l.add(name+"."+member, of)
		}
		if len(value) > 0 {
			return
		}
	case []any:
		for i, element := range value {
			l.add(fmt.Sprintf("%s[%d]", name, i), element)
		}
		if len(value) > 0 {
			return
		}
	}
	l[name] = value
}

// apart returns the names of the values in which two rows differ, sorted.
func apart(one, other map[string]any) []string {
	a, b := newLeaves(one), newLeaves(other)
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		value, ok := a[name]
		otherValue, otherOK := b[name]
		return ok == otherOK && encode(value) == encode(otherValue)
	})
}

// valueAt returns a value of a row as a text, given the name that leads to it.
func valueAt(row map[string]any, name string) string {
	if value, ok := newLeaves(row)[name]; ok {
		return encode(value)
	}
	return absent
}
