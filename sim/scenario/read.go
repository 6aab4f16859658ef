package scenario

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Limits of one file. They are far above what a scenario needs, and bound the cost of loading one.
const (
	maxBytes   = 1 << 20
	maxDepth   = 50
	maxAliases = 100
	maxValues  = 200_000 // keys, values and containers, counted again for each alias
	maxKeys    = 10_000  // of one mapping: each is compared with the others
)

// read returns the mapping in a scenario file as a tree. It reports what is wrong with the file, and returns nil if
// there is no tree.
func (r *report) read(file string, source []byte) *yaml.Node {
	root := r.readTree(file, source, `a scenario has at least "institutions"`)
	if root != nil && root.Kind != yaml.MappingNode {
		r.addAt(file, root.Line, root.Column, `a scenario is a mapping, not %s: write "key: value" lines such as "name: demo"`, kindOf(root))
		return nil
	}
	return root
}

// readTree returns the content of a file as a tree that is simpler than YAML: aliases are replaced by their values, and
// there are no merge keys, tags and duplicate keys; every key, and every scalar that JSON has no type for, is a string.
// It reports what is wrong with the file (for an empty one, with the least that it must contain), and returns nil if
// there is no tree.
func (r *report) readTree(file string, source []byte, least string) *yaml.Node {
	source = bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
	if !r.readable(file, source) {
		return nil
	}
	document := r.parse(file, source, least)
	if document == nil {
		return nil
	}
	b := builder{report: r, file: file, built: map[*yaml.Node]extent{}}
	if b.build(document, 0); b.failed {
		return nil
	}
	return document.Content[0]
}

// readable checks size and encoding.
func (r *report) readable(file string, source []byte) bool {
	switch {
	case len(source) > maxBytes:
		r.addAt(file, 1, 1, "the file is larger than 1 MiB: split the scenario, or shorten it")
	case bytes.HasPrefix(source, []byte("\xff\xfe")), bytes.HasPrefix(source, []byte("\xfe\xff")):
		r.addAt(file, 1, 1, "the file is in UTF-16: save it as UTF-8")
	case !utf8.Valid(source):
		valid := 0
		for valid < len(source) {
			character, size := utf8.DecodeRune(source[valid:])
			if character == utf8.RuneError && size == 1 {
				break
			}
			valid += size
		}
		line, column := position(source, valid)
		r.addAt(file, line, column, "the byte 0x%02x is not UTF-8: save the file as UTF-8", source[valid])
	default:
		return true
	}
	return false
}

// position returns the line and the column, in characters, of a byte of the source, both from 1.
func position(source []byte, offset int) (line, column int) {
	before := source[:offset]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// parse returns the one YAML document of a file, or nil.
func (r *report) parse(file string, source []byte, least string) *yaml.Node {
	documents, err := decode(source)
	switch {
	case err != nil:
		line, column, message := explainSyntax(source, err)
		r.addAt(file, line, column, "%s", message)
		return nil
	case len(documents) == 0:
		r.addAt(file, 1, 1, "the file is empty: %s", least)
		return nil
	case len(documents) > 1:
		second := documents[1]
		r.addAt(file, second.Line, second.Column, secondDocument)
	}
	document := documents[0]
	if root := document.Content[0]; root.Kind != yaml.MappingNode && root.ShortTag() == "!!null" {
		if len(documents) > 1 {
			return nil
		}
		r.addAt(file, root.Line, root.Column, "the file is empty: %s", least)
		return nil
	}
	return document
}

// decode returns the first two documents of a source.
func decode(source []byte) (documents []*yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	for len(documents) < 2 {
		document := new(yaml.Node)
		err := decoder.Decode(document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return documents, nil
}

// builder turns the nodes of the YAML library into the tree that readTree describes.
type builder struct {
	report  *report
	file    string
	aliases int
	built   map[*yaml.Node]extent // by node, for those with an anchor
	failed  bool
}

// extent is the size of a part of a tree, with aliases replaced by their values.
type extent struct{ values, bytes, depth int }

func (b *builder) add(at *yaml.Node, format string, args ...any) {
	b.report.addAt(b.file, at.Line, at.Column, format, args...)
}

// tell reports a problem with the text of a node that leaves nothing to say about its structure.
func (b *builder) tell(n *yaml.Node, message string) {
	b.add(n, "%s", message)
	b.report.told[n] = true
}

// fail reports a problem that makes the tree unusable.
func (b *builder) fail(at *yaml.Node, format string, args ...any) extent {
	if !b.failed {
		b.failed = true
		b.add(at, format, args...)
	}
	return extent{}
}

// build converts a node that is depth levels below the document.
func (b *builder) build(n *yaml.Node, depth int) extent {
	if b.failed {
		return extent{}
	}
	if depth > maxDepth {
		return b.fail(n, "nested deeper than %d levels: flatten it", maxDepth)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		b.tagged(n)
		n.Style &^= yaml.TaggedStyle
		if n.Kind == yaml.ScalarNode && !saysString(n) {
			n.Tag = "" // the value's notation decides its type
		}
	}
	whole := extent{values: 1, bytes: len(n.Value), depth: 1}
	switch n.Kind {
	case yaml.ScalarNode:
		normalize(n)
	case yaml.MappingNode:
		n.Tag = "!!map"
		whole = b.buildMapping(n, depth)
	default: // a list, or the document
		if n.Kind == yaml.SequenceNode {
			n.Tag = "!!seq"
		}
		for i, item := range n.Content {
			whole = whole.with(b.buildValue(item, depth+1, &n.Content[i]))
		}
	}
	switch {
	case whole.values > maxValues:
		return b.fail(n, "more than %d values, counting what aliases repeat: shorten the file", maxValues)
	case whole.bytes > maxBytes:
		return b.fail(n, "more than %d MiB, counting what aliases repeat: shorten the file", maxBytes>>20)
	}
	if n.Anchor != "" {
		b.built[n] = whole
	}
	return whole
}

func (e extent) with(inner extent) extent {
	return extent{e.values + inner.values, e.bytes + inner.bytes, max(e.depth, inner.depth+1)}
}

// buildValue converts a value and stores it in its place. An alias is replaced by its value.
func (b *builder) buildValue(n *yaml.Node, depth int, place **yaml.Node) extent {
	if n.Kind != yaml.AliasNode {
		return b.build(n, depth)
	}
	b.aliases++
	whole, ok := b.built[n.Alias]
	switch {
	case !ok:
		return b.fail(n, "alias %s is inside its own anchor: write the value out", phrase.Quote("*"+n.Value))
	case b.aliases > maxAliases:
		return b.fail(n, "more than %d aliases: write the values out, or use extends", maxAliases)
	case depth+whole.depth-1 > maxDepth:
		return b.fail(n, "alias %s nests the file deeper than %d levels: flatten it", phrase.Quote("*"+n.Value), maxDepth)
	}
	here := *n.Alias // its content is shared; problems with the value itself are reported at the alias
	here.Line, here.Column, here.Anchor = n.Line, n.Column, ""
	*place = &here
	return whole
}

func (b *builder) buildMapping(n *yaml.Node, depth int) extent {
	if len(n.Content)/2 > maxKeys {
		return b.fail(n, "more than %d keys in one mapping: shorten it, or make a list of it", maxKeys)
	}
	whole := extent{values: 1, depth: 1}
	first := map[string]*yaml.Node{}
	kept := n.Content[:0]
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Style&yaml.TaggedStyle != 0 {
			b.report.told[key] = true
		}
		if key.Kind == yaml.AliasNode {
			return b.fail(key, "alias %s can't be a key: write the key out", phrase.Quote("*"+key.Value))
		}
		inner := b.build(key, depth+1)
		whole = whole.with(inner).with(b.buildValue(value, depth+1, &value))
		switch earlier, duplicate := first[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			if isPlaceholder(n, key) {
				b.tell(n, placeholder)
				break
			}
			b.add(key, `a key is plain text, not %s: write "key: value"`, kindOf(key))
		case key.Tag == "!!merge":
			b.add(key, "merge keys (<<) are not supported: use extends, or write the keys out")
		case duplicate:
			if remedy, ok := keyRemedy(key.Value, n, value); ok {
				b.add(key, "%s", remedy)
				break
			}
			b.add(key, "duplicate key %s, first on line %d: remove one of them", phrase.Quote(key.Value), earlier.Line)
		default:
			key.Tag = "!!str"
			first[key.Value] = key
			kept = append(kept, key, value)
		}
	}
	n.Content = kept
	return whole
}

const placeholder = `"{{" opens a placeholder that no template engine has filled in: write the value, or put it in quotes`

// isPlaceholder reports whether a mapping is what YAML makes of {{ NAME }}.
func isPlaceholder(mapping, key *yaml.Node) bool {
	return mapping.Style&key.Style&yaml.FlowStyle != 0 && key.Kind == yaml.MappingNode && key.Line == mapping.Line && key.Column == mapping.Column+1
}

// normalize sets the tag of a scalar to its JSON type. A value that JSON has no type for is a string.
func normalize(n *yaml.Node) {
	n.Tag = n.ShortTag()
	switch n.Tag {
	case "!!timestamp":
		n.Tag = "!!str"
	case "!!float":
		var f float64
		if n.Decode(&f) != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			n.Tag = "!!str"
		}
	}
}

// kindOf names the kind of a node for messages.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "plain text"
}

// tagged reports a tag. Before nothing, it is rather the start of a text, which may be secret.
func (b *builder) tagged(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		b.tell(n, `a value can't start with "!": put it in quotes`)
		return
	}
	b.add(n, "a scenario has no tags: remove %s%s", phrase.Quote(n.Tag), quoteRemedy(n))
}

// quoteRemedy completes the remedy for a tag that turns another type into a string.
func quoteRemedy(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && saysString(n) {
		return " and put the value in quotes"
	}
	return ""
}

// saysString reports whether a node's tag is that of strings.
func saysString(n *yaml.Node) bool { return strings.HasSuffix(n.Tag, "str") }
