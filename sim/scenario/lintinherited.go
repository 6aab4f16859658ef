package scenario

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// same warns of what a file repeats of what it extends.
func (l *fileLinter) same(root *yaml.Node) {
	child := *root
	child.Content = nil
	for i := 0; i < len(root.Content); i += 2 {
		if !slices.Contains(own, root.Content[i].Value) {
			child.Content = append(child.Content, root.Content[i], root.Content[i+1])
		}
	}
	l.sameEntries("", l.parent, &child)
}

// sameEntries warns of the entries of a mapping that change nothing of the one that it is merged into, except the id.
func (l *fileLinter) sameEntries(id string, parent, child *yaml.Node) {
	for i := 0; i < len(child.Content); i += 2 {
		key, value := child.Content[i], child.Content[i+1]
		inheritedKey, inherited := entry(parent, key.Value)
		switch {
		case inherited == nil || key.Value == id:
		case repeats(key.Value, inherited, value):
			where := fmt.Sprintf("%s, line %d", l.above.fileOf(inheritedKey), inheritedKey.Line)
			l.add(sameCode, l.file, key, "%s is the same as the inherited value (%s): remove it, or write another one", key.Value, where)
		case value.Kind == yaml.MappingNode:
			l.sameEntries("", inherited, value)
		case value.Kind == yaml.SequenceNode && idKey(key.Value) != "" && !replaces(value):
			l.sameItems(key.Value, inherited, value)
		}
	}
}

func (l *fileLinter) sameItems(list string, parent, child *yaml.Node) {
	key := idKey(list)
	index := indexOf(parent, key)
	for _, item := range child.Content {
		id := idIn(item, key)
		if id == nil || index[id.Value] == nil {
			continue
		}
		inherited := index[id.Value]
		if repeats("", inherited, item) {
			l.add(sameCode, l.file, item, "%s%s changes nothing of the inherited one (%s, line %d): write what differs, or remove it",
				key, idShown(key, id.Value), l.above.fileOf(inherited), inherited.Line)
			continue
		}
		if valueOf(item, "replace") == nil {
			l.sameEntries(key, inherited, item)
		}
	}
}

// indexOf returns the items of a list by their ids.
func indexOf(list *yaml.Node, key string) map[string]*yaml.Node {
	index := map[string]*yaml.Node{}
	if isKind(list, yaml.SequenceNode) {
		for _, item := range list.Content {
			if id := idIn(item, key); id != nil {
				index[id.Value] = item
			}
		}
	}
	return index
}

// repeats reports whether a value changes nothing of the one that it is merged into.
func repeats(key string, parent, child *yaml.Node) bool {
	switch {
	case parent.Kind != child.Kind:
		return false
	case child.Kind == yaml.MappingNode:
		for i := 0; i < len(child.Content); i += 2 {
			inherited := valueOf(parent, child.Content[i].Value)
			if inherited == nil || !repeats(child.Content[i].Value, inherited, child.Content[i+1]) {
				return false
			}
		}
		return true
	case child.Kind == yaml.SequenceNode && idKey(key) != "":
		index := indexOf(parent, idKey(key))
		for _, item := range child.Content {
			id := idIn(item, idKey(key))
			if id == nil || index[id.Value] == nil || !repeats("", index[id.Value], item) {
				return false
			}
		}
		return len(child.Content) > 0
	}
	return text(plain(key, parent, false)) == text(plain(key, child, false))
}

// defaultSwitches warns of switches that are set to their defaults and override nothing.
func (l *fileLinter) defaultSwitches() {
	block, inherited := valueOf(l.root, "behavior"), valueOf(l.parent, "behavior")
	for _, s := range contract.Switches() {
		n := setting(block, s)
		if n == nil || setting(inherited, s) != nil || s == contract.AlertsContradiction.Switch { // that one means more if it is written
			continue
		}
		value, err := valueOfKind(n, s.Kind)
		if err != nil {
			continue // null, which is reported elsewhere
		}
		b := sim.DefaultBehavior()
		if s.Set(&b, value); s.Value(&b) == s.Default {
			name := path.Ext("." + s.Key)[1:]
			l.add(defaultSwitchCode, l.file, n, "%s is the default of behavior.%s: remove %s, or write another value", strings.TrimSpace(shownValue(n)), s.Key, name)
		}
	}
}

// shownValue returns a value as it may stand in a message.
func shownValue(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return written(n)
	}
	return phrase.Shorten(text(plain("", n, true)))
}

// hiddenFile warns of names of built-in scenarios that hide files beside the one that extends them.
func (l *fileLinter) hiddenFile() {
	extends := valueOf(l.root, "extends")
	if extends == nil || l.folder == "" {
		return
	}
	names := []*yaml.Node{extends}
	if extends.Kind == yaml.SequenceNode {
		names = extends.Content
	}
	folder := path.Dir(l.name)
	for _, n := range names {
		if file, hidden := hidden(n.Value, filepath.Join(l.folder, filepath.FromSlash(folder))); hidden && path.Join(folder, file) != path.Clean(filepath.ToSlash(l.name)) {
			l.add(hiddenFileCode, l.file, n, "%s is the built-in scenario, and not the file %s beside this one: write %s to extend the file, or rename it",
				phrase.Quote(n.Value), file, phrase.Quote(file))
		}
	}
}

// hiddenByBuiltIn warns of a file that is hidden by the name of a built-in scenario.
func hiddenByBuiltIn(f found) []Warning {
	file, hidden := hidden(f.name, ".")
	if !hidden {
		return nil
	}
	return []Warning{{Problem{file, 1, 1, fmt.Sprintf("%s is the built-in scenario, and not this file: write ./%s for the file, or rename it", phrase.Quote(f.name), file)}, hiddenFileCode}}
}

// hidden returns the file in a folder whose name is that of a built-in scenario.
func hidden(name, folder string) (file string, hidden bool) {
	if isFile(name) || !slices.Contains(Names(), name) {
		return "", false
	}
	for _, file := range []string{name + ".yaml", name + ".yml"} {
		if info, err := os.Stat(filepath.Join(folder, file)); err == nil && info.Mode().IsRegular() {
			return file, true
		}
	}
	return "", false
}
