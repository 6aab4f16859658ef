package explore

import "fmt"

// loose are the members of rows that differ between two undisturbed runs, each after the place of its row: they don't count.
type loose map[string]bool

// newLoose returns the members in which rows at the same places differ. Rows that only one of the ends has are none of them.
func newLoose(one, other end) loose {
	open := map[string][]row{}
	for _, r := range other.rows {
		open[r.place] = append(open[r.place], r)
	}
	l := loose{}
	for _, r := range one.rows {
		if len(open[r.place]) == 0 {
			continue
		}
		o := open[r.place][0]
		open[r.place] = open[r.place][1:]
		if r.after == nil || o.after == nil || r.isNew != o.isNew {
			continue
		}
		for _, name := range apart(r.after, o.after) {
			l[r.place+" "+name] = true
		}
	}
	return l
}

// without returns the members of the row at a place that count; nil for none.
func (l loose) without(place string, members map[string]any) map[string]any {
	if len(l) == 0 || members == nil {
		return members
	}
	return l.members(place+" ", members)
}

func (l loose) members(prefix string, of map[string]any) map[string]any {
	kept := make(map[string]any, len(of))
	for name, value := range of {
		if !l[prefix+name] {
			kept[name] = l.value(prefix+name, value)
		}
	}
	return kept
}

func (l loose) value(name string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		return l.members(name+".", value)
	case []any:
		kept := make([]any, 0, len(value))
		for i, element := range value {
			if name := fmt.Sprintf("%s[%d]", name, i); !l[name] {
				kept = append(kept, l.value(name, element))
			}
		}
		return kept
	}
	return value
}
