package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Limits of one file. They are far above what a scenario needs, and bound the cost of loading one.
const (
	MaxBytes  = 1 << 20 // of the file, and of its texts, counted again for each alias
	maxDepth  = 50
	maxValues = 200_000 // keys, values and containers, counted again for each alias
	maxKeys   = 1_000   // of one mapping: the YAML library compares each with the others
	maxKey    = 1_000   // bytes of a key
)

var tooDeep = fmt.Sprintf("nested deeper than %d levels: flatten it", maxDepth)

const (
	secondDocument = "a second document starts here: a file holds one scenario, so remove this line or move the rest to another file"
	commaInText    = `a "," separates entries in { }: write numbers without it, and texts that contain one in quotes`
)

// read returns the mapping in a scenario file as a tree. It reports what is wrong with the file, and returns nil if
// there is no tree.
func (r *report) read(from origin, source []byte) *yaml.Node {
	tree := r.readTree(from, source, `a scenario has at least "institutions"`)
	if tree != nil && tree.Kind != yaml.MappingNode {
		r.add(tree,
			`a scenario is a mapping, not %s: write "key: value" lines such as "name: demo"`, kindOf(tree))
		return nil
	}
	return tree
}

// readTree returns the content of a file as a tree that is simpler than YAML: aliases are replaced by their values, and
// there are no merge keys, tags and duplicate keys; every key, and every scalar that JSON has no type for, is a string.
// It reports what is wrong with the file (for an empty one, with the least that it must contain), and returns nil if
// there is no tree.
func (r *report) readTree(from origin, source []byte, least string) *yaml.Node {
	source = bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
	if line, column, message := unreadable(source); message != "" {
		r.addAt(from.file, line, column, "%s", message)
		return nil
	}
	documents, err := decode(source)
	if err != nil {
		line, column, message := explainSyntax(source, err)
		r.addAt(from.file, line, column, "%s", message)
		return nil
	}
	if len(documents) > 1 {
		r.addAt(from.file, documents[1].Line, documents[1].Column, secondDocument)
	}
	if len(documents) == 0 || isNull(documents[0].Content[0]) {
		if len(documents) < 2 {
			r.addAt(from.file, 1, 1, "the file is empty: %s", least)
		}
		return nil
	}
	b := builder{report: r, from: from}
	if b.build(documents[0], 0); b.failed {
		return nil
	}
	return documents[0].Content[0]
}

// unreadable returns what is wrong with the size and the encoding of a source.
func unreadable(source []byte) (line, column int, message string) {
	switch {
	case len(source) > MaxBytes:
		return 1, 1, "the file is larger than 1 MiB: split the scenario, or shorten it"
	case bytes.HasPrefix(source, []byte("\xff\xfe")), bytes.HasPrefix(source, []byte("\xfe\xff")):
		return 1, 1, "the file is in UTF-16: save it as UTF-8"
	case utf8.Valid(source):
		return 0, 0, ""
	}
	valid := 0
	for {
		character, size := utf8.DecodeRune(source[valid:])
		if character == utf8.RuneError && size == 1 {
			line, column = position(source, valid)
			return line, column, fmt.Sprintf("the byte 0x%02x is not UTF-8: save the file as UTF-8", source[valid])
		}
		valid += size
	}
}

// position returns the line and the column, in characters, of a byte of the source, both from 1.
func position(source []byte, offset int) (line, column int) {
	before := source[:offset]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
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

// isOctal matches whole numbers that YAML doesn't read as they are written.
var isOctal = regexp.MustCompile(`^0+[1-7][0-7]+$`)

// builder turns the nodes of the YAML library into the tree that readTree describes.
type builder struct {
	report        *report
	from          origin
	values, bytes int // so far, counted again for each alias
	failed        bool
}

// add reports a problem at a position: what a file has by itself is no fault of those that extend it.
func (b *builder) add(at *yaml.Node, format string, args ...any) {
	b.report.addAt(b.from.file, at.Line, at.Column, format, args...)
}

// fail reports a problem that makes the tree unusable.
func (b *builder) fail(at *yaml.Node, format string, args ...any) {
	if !b.failed {
		b.failed = true
		b.add(at, format, args...)
	}
}

// build converts a node that is depth levels below the document, and records where it comes from. An alias becomes its value.
func (b *builder) build(n *yaml.Node, depth int) {
	if n.Kind == yaml.AliasNode {
		here := *n.Alias // its content is shared; problems with the value itself are reported at the alias
		here.Line, here.Column, here.Anchor = n.Line, n.Column, ""
		*n = here
	}
	if b.from != b.report.origin {
		b.report.files[n] = b.from
	}
	b.values, b.bytes = b.values+1, b.bytes+len(n.Value)
	switch {
	case b.failed || b.report.full():
		return
	case depth > maxDepth:
		b.fail(n, "%s", tooDeep)
	case b.values > maxValues:
		b.fail(n, "more than %d values, counting what aliases repeat: shorten the file", maxValues)
	case b.bytes > MaxBytes:
		b.fail(n, "more than 1 MiB of text, counting what aliases repeat: shorten the file")
	case n.Style&yaml.TaggedStyle != 0:
		b.tagged(n)
	}
	switch n.Kind {
	case yaml.ScalarNode:
		normalize(n)
		if decimal := strings.TrimLeft(n.Value, "0"); n.Tag == "!!int" && isOctal.MatchString(n.Value) {
			b.add(n, "%s starts with 0, so YAML reads it to the base 8: write %s, or %s if it is a text",
				phrase.Shorten(n.Value), phrase.Shorten(decimal), phrase.Quote(n.Value))
			b.report.wrong[n] = true
		}
	case yaml.MappingNode:
		n.Tag = "!!map"
		b.buildMapping(n, depth)
	default: // a list, or the document
		if n.Kind == yaml.SequenceNode {
			n.Tag = "!!seq"
		}
		for _, item := range n.Content {
			b.build(item, depth+1)
		}
	}
}

func (b *builder) buildMapping(n *yaml.Node, depth int) {
	if len(n.Content)/2 > maxKeys {
		b.fail(n, "more than %d keys in one mapping: shorten it, or make a list of it", maxKeys)
		return
	}
	first := map[string]*yaml.Node{}
	kept := make([]*yaml.Node, 0, len(n.Content))
	for i := 0; i < len(n.Content) && !b.failed; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			b.fail(key, "an alias can't be a key: write the key out")
			return
		}
		b.build(key, depth+1)
		b.build(value, depth+1)
		earlier, duplicate := first[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			b.add(key, `a key is plain text, not %s: write "key: value"`, kindOf(key))
		case key.Tag == "!!merge":
			b.add(key, "merge keys (<<) are not supported: use extends, or write the keys out")
		case len(key.Value) > maxKey:
			b.add(key, "a key has at most %d bytes: shorten it", maxKey)
		case duplicate:
			b.add(key, "duplicate key %s, first on line %d: remove one of them", shownKey(key.Value), earlier.Line)
		default:
			key.Tag = "!!str"
			first[key.Value] = key
			kept = append(kept, key, value)
		}
	}
	n.Content = kept
}

// normalize sets the tag of a scalar to its JSON type. A value that JSON has no type for is a string.
func normalize(n *yaml.Node) {
	n.Tag = n.ShortTag()
	switch n.Tag {
	case "!!timestamp", "!!binary":
		n.Tag = "!!str"
	case "!!float":
		if f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64); err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			n.Tag = "!!str"
		}
	}
}

// isNull reports whether a node is null, written or left out.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// isLeftOut reports whether nothing is written for a value.
func isLeftOut(n *yaml.Node) bool { return isNull(n) && n.Value == "" }

// kindOf names the kind of a node for messages.
func kindOf(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return "plain text"
	}
	return kindNames[kindOfTag[n.Tag]]
}

// tagged reports a tag. Before nothing, it is rather the start of a text, which may be secret.
func (b *builder) tagged(n *yaml.Node) {
	n.Style &^= yaml.TaggedStyle
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 {
		b.add(n, `a value can't start with "!": put it in quotes`)
		b.report.wrong[n] = true
		return
	}
	b.add(n, "a scenario has no tags: remove %s", phrase.Quote(n.Tag))
	if !strings.HasSuffix(n.Tag, "str") {
		n.Tag = ""
	}
}

// explainSyntax returns where a source stops being YAML, and what is wrong there: in words of our own for what is certain, and
// otherwise for what the library says. Its line is where the parser has noticed it.
func explainSyntax(source []byte, err error) (line, column int, message string) {
	for i, c := range string(source) {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfffe || c == 0xffff {
			line, column = position(source, i)
			return line, column, fmt.Sprintf("a control character (U+%04X) is in the file: remove it", c)
		}
	}
	match := libraryError.FindStringSubmatch(err.Error())
	if len(source) > maxSearched {
		line, _ = strconv.Atoi(match[1])
		return line, 1, inWords(match[2])
	}
	offset := offender(source, err)
	line, column = position(source, offset)
	start := bytes.LastIndexByte(source[:offset], '\n') + 1
	rest, _, _ := bytes.Cut(source[start:], []byte("\n"))
	indent := len(rest) - len(bytes.TrimLeft(rest, " "))
	begins := string(rest[indent:])
	switch {
	case strings.HasPrefix(begins, "\t"):
		return line, indent + 1, "a tab can't indent a line: use spaces"
	case strings.HasPrefix(begins, "```"), strings.HasPrefix(begins, "~~~"):
		return line, indent + 1, "a Markdown fence isn't YAML: remove the line, and the fence at the other end"
	case strings.HasPrefix(begins, "<<<<<<<"), strings.HasPrefix(begins, "======="), strings.HasPrefix(begins, ">>>>>>>"):
		return line, indent + 1, "a merge conflict is left here: choose a side, and remove the lines with <<<<<<<, ======= and >>>>>>>"
	case source[offset] == '\t':
		return line, column, "a tab can't stand here: use spaces"
	}
	if strings.Contains(match[2], "cannot start any token") {
		return line, column, fmt.Sprintf("a value can't start with %q: put it in quotes", source[offset])
	}
	lines := bytes.Split(source, []byte("\n"))
	for above := range min(line, 2) {
		if name, ok := oddCharacter(letters.ReplaceAllString(string(lines[line-above-1]), "")); ok {
			return line, column, fmt.Sprintf("%s (line %d contains %s)", inWords(match[2]), line-above, name)
		}
	}
	return line, column, inWords(match[2])
}

var letters = regexp.MustCompile(`\p{L}`)

// maxSearched is the largest source in which the position of an error is searched: the search parses the source about twenty times.
// In a larger one, the library's line is used.
const maxSearched = 128 << 10

// libraryError has the line, which may be missing, and the text of the library's error.
var libraryError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// libraryWords has texts of the library's errors, and what they mean.
var libraryWords = []struct{ text, words string }{
	{"found unexpected end of stream", "a quote is opened here and never closed: close it at the end of the text"},
	{"found unexpected document indicator", "a quote is opened above and not closed before this line"},
	{"did not find expected ',' or ']'", `a list in [ ] is not complete: write "," between its items and "]" at its end`},
	{"did not find expected ',' or '}'", `a mapping in { } is not complete: ` +
		`write "," between its entries and "}" at its end, and a value with { or } in quotes`},
	{"did not find expected node content", "a value is missing here, or a bracket is not closed: write it, or put the value in quotes"},
	{"mapping values are not allowed", `a ":" can't stand here: put the value in quotes if it is a text; if this is a key, check its ` +
		`indentation, and that nothing follows the key above`},
	{"block sequence entries are not allowed", `a list item can't start here: check its indentation, and that nothing follows the key ` +
		`above`},
	{"did not find expected '-' indicator", `this line is no item of the list above: check its indentation, and that it starts with "- "`},
	{"did not find expected key", "this line doesn't fit those above: check its indentation, and that quotes and brackets above are " +
		"closed"},
	{"could not find expected ':'", `a ":" with a space after it is missing after the key, or a quote or bracket is not closed`},
	{"cannot start any token", "a value can't start with this character: put it in quotes"},
	{"expected alphabetic or numeric character", `a value that starts with "&" or "*" must be in quotes`},
	{"unknown anchor", `a value that starts with "*" must be in quotes, unless it is an alias, whose anchor must come before it`},
	{"escape", `"\" starts an escape in double quotes: write "\\", or put the text in single quotes`},
	{"comment or line break", `a text after "|" or ">" begins on the next line: put it there, or put the value in quotes`},
	{"exceeded max depth", tooDeep},
	{"did not find expected <document start>", "this line is outside of the document: remove it, or check the lines above"},
	{"incompatible YAML document", "the file asks for a version of YAML: remove the line"},
}

// inWords explains an error of the library. One that isn't known could show a secret, so that it isn't shown.
func inWords(text string) string {
	for _, known := range libraryWords {
		if strings.Contains(text, known.text) {
			return known.words
		}
	}
	return "this is not YAML: check the quotes, the brackets and the indentation here and in the lines above"
}

// offender returns the offset of the character that completes an error in the source: the shortest prefix with the same error
// ends there.
func offender(source []byte, err error) int {
	message := libraryError.FindStringSubmatch(err.Error())[2]
	fails := func(end int) bool {
		_, err := decode(source[:end])
		return err != nil && libraryError.FindStringSubmatch(err.Error())[2] == message
	}
	var ends []int // the offset after each line
	for i, b := range source {
		if b == '\n' || i == len(source)-1 {
			ends = append(ends, i+1)
		}
	}
	line := sort.Search(len(ends)-1, func(i int) bool { return fails(ends[i]) })
	start := 0
	if line > 0 {
		start = ends[line-1]
	}
	text := source[start:ends[line]]
	offset := start + min(sort.Search(len(text), func(i int) bool { return fails(start + i + 1) }), len(text)-1)
	for offset > start && !utf8.RuneStart(source[offset]) {
		offset--
	}
	return offset
}
