package scenario

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// openQuote is a text in quotes that may hold lines which were not meant to be in it: its quote was not closed, and the next one
// closes it, lines below.
type openQuote struct {
	node   *yaml.Node
	indent int  // of the block that it is in
	inFlow bool // whether it is in brackets
}

// noteQuote notes a text in quotes that holds what keys, items or comments have.
func (b *builder) noteQuote(n *yaml.Node) {
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		return
	}
	for _, sign := range []string{": ", "- ", "# "} {
		if strings.Contains(n.Value, sign) {
			b.quotes = append(b.quotes, openQuote{n, b.column - 1, b.inFlow})
			return
		}
	}
}

// openQuotes reports texts in quotes that hold lines of the block around them. YAML wants such lines to be indented further, and
// the library doesn't.
func (b *builder) openQuotes() {
	for _, quote := range b.quotes {
		text := b.textAt(quote.node)
		if text == "" || text[0] != '"' && text[0] != '\'' {
			continue
		}
		s := scanner{text: text}
		if _, ok := s.quoted(0, quote.indent, quote.inFlow); !ok && s.found.offset == 0 {
			b.tell(quote.node, s.found.message)
		}
	}
}

// textAt returns the text of the file from a node on.
func (b *builder) textAt(n *yaml.Node) string {
	if b.lines == nil {
		b.text = string(b.source)
		b.lines = append([]int{0}, lineEnds(b.source)...)
	}
	if n.Line < 1 || n.Line > len(b.lines) {
		return ""
	}
	line := b.text[b.lines[n.Line-1]:]
	return line[b.columns.offsetOf(line, n.Line, n.Column):]
}
