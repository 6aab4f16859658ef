package scenario

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// cut is a comment that was perhaps meant as part of the text before it.
type cut struct {
	comment
	column int // of the #
}

// cutTexts warns of texts without quotes that end before a # with neither more than a space before it nor one after it.
func (l *fileLinter) cutTexts(comments []comment) {
	doubtful := map[int]cut{}
	for _, c := range comments {
		before := l.lines[c.line-1][:c.offset]
		if c.text != "" && !strings.ContainsAny(c.text[:1], " \t#!") && strings.HasSuffix(before, " ") && strings.TrimRight(before, " \t") == before[:len(before)-1] {
			doubtful[c.line] = cut{c, column(l.lines[c.line-1], c.offset)}
		}
	}
	if len(doubtful) > 0 {
		l.cutText("", l.root, doubtful)
	}
}

func (l *fileLinter) cutText(key string, n *yaml.Node, doubtful map[int]cut) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			l.cutText(n.Content[i].Value, n.Content[i+1], doubtful)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			l.cutText(key, item, doubtful)
		}
	case yaml.ScalarNode:
		c, ok := doubtful[n.Line]
		if !ok || n.Style != 0 || n.Tag != "!!str" {
			return
		}
		if n.Column+utf8.RuneCountInString(n.Value)+1 != c.column || !strings.HasSuffix(l.lines[n.Line-1][:c.offset], n.Value+" ") {
			return
		}
		text := phrase.Quote("#" + strings.TrimRight(c.text, " "))
		if secretKeys[key] || namesSecret(c.text) {
			text = "the #"
		}
		l.addAt(hashInTextCode, l.file, n.Line, c.column,
			"%s ends before %s, which is a comment: put the whole text in quotes, or write a space after the # if it is one", key, text)
	}
}
