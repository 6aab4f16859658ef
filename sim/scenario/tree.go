package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Limits of one file. They are far above what a scenario needs, and bound the cost of loading one.
const (
	MaxBytes  = 1 << 20 // of the file, and of its texts, counted again for each alias
	maxDepth  = 50
	maxValues = 200_000 // keys, values and containers, counted again for each alias
	maxKeys   = 1_000   // of one mapping: the YAML library compares each with the others
	maxKey    = 1_000   // bytes of a key
)

const (
	secondDocument = "a second document starts here: a file holds one scenario, so remove this line or move the rest to another file"
	tooDeep        = "nested deeper than 50 levels: flatten it"
	tooManyValues  = "more than 200000 values, counting what aliases repeat: shorten the file"
)

// A scenario is merged from several files. The line of a node holds the number of its file as well, as the positions of
// package go/token do: the node of a merged tree still tells where it was written.
const lineBits = 24

// lineOf returns the line that a node was written on, or 0 if no file has it.
func lineOf(n *yaml.Node) int { return n.Line & (1<<lineBits - 1) }

// fileOf returns the number of the file that a node was written in. The scenario itself has the number 0.
func fileOf(n *yaml.Node) int { return n.Line >> lineBits }

// nodeAt returns a node for a finding at a position of a file.
func nodeAt(file, line, column int) *yaml.Node {
	return &yaml.Node{Line: file<<lineBits + line, Column: column}
}

// nodeSet is a set of nodes.
type nodeSet map[*yaml.Node]bool

// parse returns the content of a file as a tree that is simpler than YAML. Aliases are replaced by their values.
// There are no merge keys, no tags and no doubled keys. Keys are strings, and so are scalars that JSON has no type
// for. The tree is nil if the file is unusable. Invalid has the values with a finding. Least is the key that an empty
// file needs.
func parse(text []byte, file int, least string) (tree *yaml.Node, invalid nodeSet, found findings) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if line, column, message := unreadable(text); message != "" {
		return nil, nil, findings{{nodeAt(file, line, column), message}}
	}
	reader := &countingReader{text: text}
	documents, err := decode(reader)
	if err != nil {
		line, column, message := explainSyntax(text, reader.read, err)
		return nil, nil, findings{{nodeAt(file, line, column), message}}
	}
	if len(documents) > 1 {
		found.add(nodeAt(file, documents[1].Line, documents[1].Column), secondDocument)
	}
	if len(documents) == 0 || isNull(documents[0].Content[0]) {
		if len(documents) < 2 {
			found.add(nodeAt(file, 1, 1), "the file is empty: %s", least)
		}
		return nil, nil, found
	}
	b := treeBuilder{file: file, invalid: nodeSet{}, findings: found}
	tree = b.simplify(documents[0].Content[0], "", 1)
	if b.failed {
		return nil, nil, b.findings
	}
	return tree, b.invalid, b.findings
}

// unreadable explains a wrong size or encoding of a text. It returns an empty message if both are good.
func unreadable(text []byte) (line, column int, message string) {
	switch {
	case isArchive(text):
		return 1, 1, "this is a capture, an HTTP archive (HAR): find the bank behind it with banksim infer"
	case len(text) > MaxBytes:
		return 1, 1, "the file is larger than 1 MiB: split the scenario, or shorten it"
	case isUTF16(text):
		return 1, 1, "the file is in UTF-16: save it as UTF-8"
	case utf8.Valid(text):
		return 0, 0, ""
	}
	valid := 0
	for {
		character, size := utf8.DecodeRune(text[valid:])
		if character == utf8.RuneError && size == 1 {
			line, column = position(text, valid)
			return line, column, fmt.Sprintf("the byte 0x%02x is not UTF-8: save the file as UTF-8", text[valid])
		}
		valid += size
	}
}

var archiveStart = lazy.Regexp(`^\s*\{\s*"log"\s*:`)

// isArchive reports whether a text begins as an HTTP archive does, in any encoding.
func isArchive(text []byte) bool {
	start := bytes.ReplaceAll(text[:min(len(text), 4096)], []byte{0}, nil) // of UTF-16
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		start = bytes.TrimPrefix(start, []byte(mark))
	}
	return archiveStart().Match(start)
}

// isUTF16 reports whether a text begins with the mark of UTF-16.
func isUTF16(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

// position returns the line and the column, in characters, of a byte of a text, both from 1.
func position(text []byte, offset int) (line, column int) {
	before := text[:offset]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// countingReader reads a text byte by byte, so that read tells how far the YAML parser came.
type countingReader struct {
	text []byte
	read int
}

// Read reads one byte.
func (r *countingReader) Read(into []byte) (int, error) {
	if r.read == len(r.text) {
		return 0, io.EOF
	}
	into[0] = r.text[r.read]
	r.read++
	return 1, nil
}

// decode returns the first two documents of a text.
func decode(text io.Reader) (documents []*yaml.Node, err error) {
	decoder := yaml.NewDecoder(text)
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

// treeBuilder copies the nodes of the YAML library into a simpler tree, as parse describes.
type treeBuilder struct {
	findings
	file          int
	invalid       nodeSet // the values with a finding
	values, bytes int     // so far, counted again for each alias
	failed        bool
}

// fail reports what makes the tree unusable.
func (b *treeBuilder) fail(at *yaml.Node, format string, args ...any) {
	if !b.failed {
		b.failed = true
		b.add(at, format, args...)
	}
}

// simplify returns a copy of a node, without aliases, tags and doubled keys. The node belongs to a key, and is depth
// levels below the document.
func (b *treeBuilder) simplify(n *yaml.Node, key string, depth int) *yaml.Node {
	c := *n
	if n.Kind == yaml.AliasNode { // a problem with its value is reported where the alias is
		c = yaml.Node{Kind: n.Alias.Kind, Style: n.Alias.Style, Tag: n.Alias.Tag, Value: n.Alias.Value,
			Content: n.Alias.Content, Line: n.Line, Column: n.Column}
	}
	content := c.Content
	c.Content, c.Line = nil, c.Line+b.file<<lineBits
	b.values, b.bytes = b.values+1, b.bytes+len(c.Value)
	switch {
	case depth > maxDepth:
		b.fail(&c, tooDeep)
	case b.values > maxValues:
		b.fail(&c, tooManyValues)
	case b.bytes > MaxBytes:
		b.fail(&c, "more than 1 MiB of text, counting what aliases repeat: shorten the file")
	}
	if b.failed = b.failed || b.full(); b.failed {
		return &c
	}
	if c.Style&yaml.TaggedStyle != 0 {
		b.tagged(&c, key)
	}
	switch c.Kind {
	case yaml.ScalarNode:
		b.scalar(&c)
	case yaml.MappingNode:
		c.Tag = "!!map"
		b.mapping(&c, content, depth)
	default: // a list, or the document
		if c.Kind == yaml.SequenceNode {
			c.Tag = "!!seq"
		}
		c.Content = make([]*yaml.Node, len(content))
		for i, item := range content {
			c.Content[i] = b.simplify(item, key, depth+1)
		}
	}
	return &c
}

// octal matches whole numbers that YAML reads to the base 8.
var octal = lazy.Regexp(`^0+[1-7][0-7]+$`)

// scalar sets the tag of a scalar to its JSON type. A value that JSON has no type for is a string.
func (b *treeBuilder) scalar(n *yaml.Node) {
	n.Tag = n.ShortTag()
	switch n.Tag {
	case "!!timestamp", "!!binary":
		n.Tag = "!!str"
	case "!!float":
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			n.Tag = "!!str"
		}
	case "!!int":
		if octal().MatchString(n.Value) {
			n.Tag = octalTag
		}
	}
}

// octalTag is the tag of a number that starts with 0. No schema takes it, because YAML reads it to the base 8.
const octalTag = "!!octal"

// mapping copies the entries of a mapping.
func (b *treeBuilder) mapping(n *yaml.Node, content []*yaml.Node, depth int) {
	if len(content)/2 > maxKeys {
		b.fail(n, "more than %d keys in one mapping: shorten it, or make a list of it", maxKeys)
		return
	}
	first := map[string]*yaml.Node{}
	n.Content = make([]*yaml.Node, 0, len(content))
	for i := 0; i < len(content) && !b.failed; i += 2 {
		if content[i].Kind == yaml.AliasNode {
			b.fail(nodeAt(b.file, content[i].Line, content[i].Column), "an alias can't be a key: write the key out")
			return
		}
		key := b.simplify(content[i], "", depth+1)
		value := b.simplify(content[i+1], key.Value, depth+1)
		earlier, doubled := first[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			b.add(key, `a key is plain text, not %s: write "key: value"`, kindOf(key))
		case key.Tag == "!!merge":
			b.add(key, "merge keys (<<) are not supported: use extends, or write the keys out")
		case len(key.Value) > maxKey:
			b.add(key, "a key has at most %d bytes: shorten it", maxKey)
		case doubled && n.Style&yaml.FlowStyle != 0 && isLeftOut(value) && digits().MatchString(key.Value):
			earlier.Value += key.Value // the rest of a number, as in 1,000,000
		case doubled && n.Style&yaml.FlowStyle != 0 && isLeftOut(value):
			b.add(key, commaInText)
		case doubled:
			b.add(key, "duplicate key %s, first on line %d: remove one of them", shownKey(key.Value), lineOf(earlier))
		default:
			key.Tag = "!!str"
			first[key.Value] = key
			n.Content = append(n.Content, key, value)
		}
	}
}

// tagged reports a tag. A tag before nothing is rather the start of a text. It isn't shown, because it may be secret.
func (b *treeBuilder) tagged(n *yaml.Node, key string) {
	n.Style &^= yaml.TaggedStyle
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0:
		b.invalid[n] = true
		b.add(n, `a value can't start with "!": put it in quotes`)
		return
	case secretKeys[key]:
		b.add(n, `%s can't start with "!": put it in quotes`, key)
	default:
		b.add(n, "a scenario has no tags: remove %s", wording.Quote(n.Tag))
	}
	if !strings.HasSuffix(n.Tag, "str") {
		n.Tag = ""
	}
}

// isNull reports whether a node is null, written or left out.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// isKind reports whether a node is there and of a kind.
func isKind(n *yaml.Node, kind yaml.Kind) bool { return n != nil && n.Kind == kind }

// kindOf names the kind of a node for messages.
func kindOf(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return "plain text"
	}
	return kindNames[typeOfTag[n.Tag]]
}

// valueOf returns the value of a key of a mapping, or nil if there is no such key or no mapping.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	if isKind(mapping, yaml.MappingNode) {
		for i := 0; i < len(mapping.Content); i += 2 {
			if mapping.Content[i].Value == key {
				return mapping.Content[i+1]
			}
		}
	}
	return nil
}

// lookup returns the value at a path of keys and of indexes of lists, or the last value on the way that is there.
func lookup(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		if n.Kind == yaml.SequenceNode {
			if i, err := strconv.Atoi(key); err == nil && i < len(n.Content) {
				n = n.Content[i]
			}
		} else if value := valueOf(n, key); value != nil {
			n = value
		}
	}
	return n
}
