package scenario

import (
	"fmt"
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
func (l *fileLinter) same() {
	whole := *l.root
	whole.Content = nil
	for i := 0; i < len(l.root.Content); i += 2 {
		if !slices.Contains(own, l.root.Content[i].Value) {
			whole.Content = append(whole.Content, l.root.Content[i], l.root.Content[i+1])
		}
	}
	l.sameEntries(nil, l.inherited, &whole)
}

// sameEntries warns of the entries of a mapping that change nothing of the inherited one, except those that identify it.
func (l *fileLinter) sameEntries(of *identity, inherited, changed *yaml.Node) {
	for i := 0; i < len(changed.Content); i += 2 {
		key, value := changed.Content[i], changed.Content[i+1]
		before, was := entry(inherited, key.Value)
		list, isKeyed := keyed[key.Value]
		switch {
		case was == nil || of != nil && of.identifies(key.Value):
		case repeats(key.Value, was, value):
			l.add(sameCode, l.file, key, "%s is the same as the inherited value (%s): remove it, or write another one", key.Value, l.where(before, l.file))
		case key.Value == freeForm:
		case value.Kind == yaml.MappingNode:
			l.sameEntries(nil, was, value)
		case value.Kind == yaml.SequenceNode && isKeyed:
			l.sameItems(list, was, value)
		}
	}
}

func (l *fileLinter) sameItems(list identity, inherited, changed *yaml.Node) {
	if len(changed.Content) > 0 && replacesList(changed.Content[0]) {
		return
	}
	index := list.index(inherited)
	for _, item := range changed.Content {
		ids := list.of(item)
		if len(ids) == 0 || index[ids[0].key] == nil || marked(item, replaceKey) || marked(item, removeKey) {
			continue
		}
		was := index[ids[0].key]
		if repeats("", was, item) {
			l.add(sameCode, l.file, item, "%s changes nothing of the inherited one (%s): write what differs, or remove it",
				list.named(ids[0]), l.where(was, l.file))
			continue
		}
		l.sameEntries(&list, was, item)
	}
}

// repeats reports whether a value changes nothing of the inherited one.
func repeats(key string, inherited, changed *yaml.Node) bool {
	list, isKeyed := keyed[key]
	switch {
	case inherited.Kind != changed.Kind:
		return false
	case key == freeForm:
	case changed.Kind == yaml.MappingNode:
		for i := 0; i < len(changed.Content); i += 2 {
			was := valueOf(inherited, changed.Content[i].Value)
			if was == nil || !repeats(changed.Content[i].Value, was, changed.Content[i+1]) {
				return false
			}
		}
		return true
	case changed.Kind == yaml.SequenceNode && isKeyed:
		index := list.index(inherited)
		for _, item := range changed.Content {
			ids := list.of(item)
			if len(ids) == 0 || index[ids[0].key] == nil || !repeats("", index[ids[0].key], item) {
				return false
			}
		}
		return len(changed.Content) > 0
	}
	return text(plain(key, inherited, false)) == text(plain(key, changed, false))
}

// defaultSwitches warns of switches that are set to their defaults and override nothing.
func (l *fileLinter) defaultSwitches() {
	block, inherited := valueOf(l.root, "behavior"), valueOf(l.inherited, "behavior")
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

// hiddenFiles warns of names of built-in scenarios that hide files beside the one that extends them.
func (l *fileLinter) hiddenFiles() {
	folder := filepath.Dir(l.file)
	for _, n := range namesIn(l.extends) {
		if file := hiddenFile(folder, n.Value); !isFile(n.Value) && file != "" && filepath.Join(folder, file) != filepath.Clean(l.file) {
			l.add(hiddenFileCode, l.file, n, "%s is the built-in scenario, and not the file %s beside this one: write %s to extend the file, or rename it",
				phrase.Quote(n.Value), file, phrase.Quote(file))
		}
	}
}

// hiddenByBuiltIn warns of a file that is hidden by the name of a built-in scenario.
func hiddenByBuiltIn(f found) []Warning {
	file := hiddenFile(".", f.name)
	if file == "" {
		return nil
	}
	return []Warning{{Problem{file, 1, 1, fmt.Sprintf("%s is the built-in scenario, and not this file: write ./%s for the file, or rename it", phrase.Quote(f.name), file)}, hiddenFileCode}}
}
