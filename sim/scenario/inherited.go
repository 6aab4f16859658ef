package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// moveToChanges moves findings at inherited values to the changes that made the values wrong. For example, a base says
// delay: {p50: 1s, p95: 2s}. A file that adds uniform to this delay is wrong, and the base is not. A finding that the
// inherited file has by itself stays.
func moveToChanges(found findings, f family, m merged) findings {
	own := map[int]map[[2]int]bool{} // by the number of a file, the positions of the findings that it has by itself
	changes := changesAround(m.tree)
	top := f.trees[len(f.trees)-1]
	for i, one := range found {
		number := fileOf(one.at)
		from := f.files[number]
		if number == 0 || one.at == m.tree {
			continue
		}
		if own[number] == nil {
			own[number] = f.findingsOf(number)
		}
		if !from.builtIn && own[number][[2]int{one.at.Line, one.at.Column}] {
			continue
		}
		change := changes[one.at]
		if change != nil && f.files[fileOf(change)].builtIn { // which its author can't mend
			change = nil
		}
		found[i] = finding{
			at:      cmp.Or(change, valueOf(top, "extends"), top),
			message: fmt.Sprintf("%s (inherited from %s:%d, and changed here)", one.message, from.file, lineOf(one.at)),
		}
	}
	return found
}

// changesAround maps each value of a merged tree to the innermost mapping around it that another file has changed.
func changesAround(tree *yaml.Node) map[*yaml.Node]*yaml.Node {
	changes := map[*yaml.Node]*yaml.Node{}
	var visit func(n, change *yaml.Node)
	visit = func(n, change *yaml.Node) {
		changes[n] = change
		for _, inner := range n.Content {
			if n != tree && fileOf(inner) != fileOf(n) {
				visit(inner, n)
			} else {
				visit(inner, change)
			}
		}
	}
	visit(tree, nil)
	return changes
}

// findingsOf returns the positions of the findings of a file, when it is loaded without the files that extend it.
func (f family) findingsOf(number int) map[[2]int]bool {
	end := slices.IndexFunc(f.trees, func(tree *yaml.Node) bool { return fileOf(tree) == number }) + 1
	f.trees = f.trees[:end]
	m, _ := f.merge()
	_, found, _ := f.examine(m)
	positions := map[[2]int]bool{}
	for _, one := range found {
		positions[[2]int{one.at.Line, one.at.Column}] = true
	}
	return positions
}
