package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// Difference is a value or a row that differs between two scenarios.
type Difference struct {
	Where  string // the row, such as users/02688/1001, or the block: behavior, clock, seed
	Key    string // of the value in it, such as active or disclosures[0].paperWaiver; empty: only one scenario has the row
	Before *Said  // nil: nothing, and there is no fixed default
	After  *Said
}

// Hidden replaces a secret.
const Hidden = "***"

// Said is a value in a scenario.
type Said struct {
	Value   any    // as decoded from JSON; Hidden for a secret
	Default bool   // it is left out, and this is its default
	File    string // where it is written; empty for a default
	Line    int    // from 1

	node *yaml.Node // nil for a default
}

// Diff compares two scenarios, named as for [Load], with everything they extend merged in. A value that is left out
// equals its default. Names and descriptions are not compared, nor are generated rows, only their number. The
// differences are in the order of the file. The error for a bad scenario is [Problems].
func Diff(before, after string) ([]Difference, error) {
	var each [2]found
	for i, name := range []string{before, after} {
		var err error
		if each[i], err = find(name); err != nil {
			return nil, err
		}
	}
	return differences(each[0], each[1])
}

// Compare compares two loaded scenarios as [Diff] does, as they were when they were loaded.
func Compare(before, after *Scenario) ([]Difference, error) {
	return differences(before.found, after.found)
}

// DiffInherited compares a scenario, named as for [Load], with what it extends. The error for one that extends nothing is
// [ErrExtendsNothing].
func DiffInherited(nameOrFile string) ([]Difference, error) {
	f, err := find(nameOrFile)
	if err != nil {
		return nil, err
	}
	if _, _, _, err := f.read(); err != nil {
		return nil, err
	}
	differences, parents, err := f.changes()
	if err == nil && len(parents) == 0 {
		err = ErrExtendsNothing
	}
	return differences, err
}

// ErrExtendsNothing is the error for a scenario that is to be compared with what it extends.
var ErrExtendsNothing = errors.New("it extends nothing: name the scenario to compare it with, too")

func differences(before, after found) ([]Difference, error) {
	var c comparison
	var roots [2]*yaml.Node
	for i, f := range []found{before, after} {
		root, _, r, err := f.read()
		if err != nil {
			return nil, err
		}
		roots[i], c.sides[i] = root, r
		for _, key := range own {
			remove(root, key)
		}
	}
	c.mappings(point{}, roots[0], roots[1], compiled().Schema)
	return c.found, nil
}

// comparison collects the differences between two trees.
type comparison struct {
	sides [2]*report
	found []Difference
}

// point is a position in both trees.
type point struct {
	ids  []string // of the rows, from the institution inwards
	row  string   // the kind of the innermost row: the key of its list
	path string   // within that row
}

func (p point) key(name string) point {
	if p.path != "" {
		name = p.path + "." + name
	}
	p.path = name
	return p
}

func (p point) index(i int) point {
	p.path = fmt.Sprintf("%s[%d]", p.path, i)
	return p
}

func (p point) item(list, id string) point {
	return point{ids: append(slices.Clone(p.ids), id), row: list}
}

// names returns the Where and the Key of a difference at the point.
func (p point) names() (where, key string) {
	if p.row != "" {
		return p.row + "/" + strings.Join(p.ids, "/"), p.path
	}
	where, key, _ = strings.Cut(p.path, ".")
	return where, key
}

// isFree reports whether the point is in a mapping that has any keys, whose lists are values.
func (p point) isFree() bool { return slices.Contains(strings.Split(p.path, "."), freeForm) }

// standing reports whether the point is in a block whose members have defaults even if the block is left out.
func (p point) standing() bool {
	block, _, _ := strings.Cut(p.path, ".")
	return p.row == "" && (block == "clock" || block == "behavior")
}

// values compares the values of a key in both trees; one of them may be nil.
func (c *comparison) values(at point, key string, before, after *yaml.Node, part *jsonschema.Schema) {
	switch {
	case isKind(before, yaml.MappingNode) && isKind(after, yaml.MappingNode), at.standing() && part != nil && part.Properties != nil:
		c.mappings(at, before, after, part)
	case keyed[key].what != "" && !at.isFree() && (isKind(before, yaml.SequenceNode) || isKind(after, yaml.SequenceNode)):
		c.rows(at, key, before, after, part)
	case isListOfMappings(before) && isListOfMappings(after):
		c.items(at, before, after, part)
	default:
		c.whole(at, key, before, after, part)
	}
}

func (c *comparison) mappings(at point, before, after *yaml.Node, part *jsonschema.Schema) {
	var keys []string
	for _, mapping := range []*yaml.Node{before, after} {
		for i := 0; mapping != nil && i < len(mapping.Content); i += 2 {
			if key := mapping.Content[i].Value; !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	for _, key := range keys {
		c.values(at.key(key), key, valueOf(before, key), valueOf(after, key), property(part, key))
	}
}

// rows compares lists of things with an id.
func (c *comparison) rows(at point, key string, before, after *yaml.Node, part *jsonschema.Schema) {
	item := itemOf(part)
	here, there := namedRows(key, before), namedRows(key, after)
	others := map[string]*yaml.Node{}
	for _, row := range there {
		others[row.id] = row.node
	}
	for _, row := range here {
		c.row(at.item(key, row.name), row.node, others[row.id], item)
		delete(others, row.id)
	}
	for _, row := range there {
		if others[row.id] != nil {
			c.row(at.item(key, row.name), nil, row.node, item)
		}
	}
}

// namedRow is an item of a list of things with an id.
type namedRow struct {
	id   string // "#2" for the second item, if it has none
	name string // the id, or "#2" if the id is a secret
	node *yaml.Node
}

func namedRows(list string, of *yaml.Node) []namedRow {
	var rows []namedRow
	if of == nil {
		return nil
	}
	seen := map[string]int{}
	for i, item := range of.Content {
		position := fmt.Sprintf("#%d", i+1)
		row := namedRow{position, position, item}
		if ids := keyed[list].of(item); len(ids) > 0 {
			row.id = ids[0].key
			if ids[0].text != "" {
				row.name = ids[0].text
			}
		}
		if seen[row.id]++; seen[row.id] > 1 {
			again := fmt.Sprintf("#%d", seen[row.id])
			row.id, row.name = row.id+again, row.name+again
		}
		rows = append(rows, row)
	}
	return rows
}

func (c *comparison) row(at point, before, after *yaml.Node, part *jsonschema.Schema) {
	if before != nil && after != nil {
		c.mappings(at, before, after, part)
		return
	}
	c.whole(at, "", before, after, part)
}

// items compares lists of mappings without an id, by position.
func (c *comparison) items(at point, before, after *yaml.Node, part *jsonschema.Schema) {
	item := itemOf(part)
	for i := range max(len(before.Content), len(after.Content)) {
		var items [2]*yaml.Node
		for side, list := range []*yaml.Node{before, after} {
			if i < len(list.Content) {
				items[side] = list.Content[i]
			}
		}
		c.values(at.index(i), "", items[0], items[1], item)
	}
}

// whole compares two values as wholes.
func (c *comparison) whole(at point, key string, before, after *yaml.Node, part *jsonschema.Schema) {
	d := Difference{Before: c.said(0, key, before, part), After: c.said(1, key, after, part)}
	if before != nil && after != nil && text(plain("", before, false)) == text(plain("", after, false)) ||
		d.Before != nil && d.After != nil && (before == nil || after == nil) && text(d.Before.Value) == text(d.After.Value) {
		return
	}
	d.Where, d.Key = at.names()
	c.found = append(c.found, d)
}

// said returns the value of one side, or its default.
func (c *comparison) said(side int, key string, n *yaml.Node, part *jsonschema.Schema) *Said {
	switch {
	case n != nil:
		return &Said{Value: plain(key, n, true), File: c.sides[side].fileOf(n), Line: n.Line, node: n}
	case part != nil && part.Default != nil:
		return &Said{Value: number(*part.Default), Default: true}
	}
	return nil
}

// plain returns a tree as decoded from JSON, with secrets replaced if they are to be hidden.
func plain(key string, n *yaml.Node, hide bool) any {
	switch {
	case n.Kind == yaml.MappingNode:
		mapping := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			mapping[name] = plain(name, n.Content[i+1], hide)
		}
		return mapping
	case n.Kind == yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = plain("", item, hide)
		}
		return list
	case hide && isSecret(key, n):
		return Hidden
	}
	var value any
	_ = n.Decode(&value) // everything in a checked tree decodes
	return value
}

// number returns a number of the schema as a Go number, and anything else as it is.
func number(value any) any {
	n, ok := value.(json.Number)
	if !ok {
		return value
	}
	if whole, err := n.Int64(); err == nil {
		return whole
	}
	fraction, _ := n.Float64()
	return fraction
}

// text returns a value as JSON, for comparison.
func text(value any) string {
	encoded, _ := json.Marshal(value)
	return string(encoded)
}

// property returns the schema of a key of a mapping, or nil.
func property(part *jsonschema.Schema, key string) *jsonschema.Schema {
	if part == nil {
		return nil
	}
	return resolved(part.Properties[key])
}

// itemOf returns the schema of the items of a list, or nil.
func itemOf(part *jsonschema.Schema) *jsonschema.Schema {
	if part == nil {
		return nil
	}
	return resolved(part.Items2020)
}

func resolved(part *jsonschema.Schema) *jsonschema.Schema {
	if part != nil && part.Ref != nil {
		return part.Ref
	}
	return part
}

func isKind(n *yaml.Node, kind yaml.Kind) bool { return n != nil && n.Kind == kind }

func isListOfMappings(n *yaml.Node) bool {
	return isKind(n, yaml.SequenceNode) &&
		!slices.ContainsFunc(n.Content, func(item *yaml.Node) bool { return item.Kind != yaml.MappingNode })
}
