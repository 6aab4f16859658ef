package fault

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // RFC 9110 5.6.2

// maxHeaderName is the longest name of a header, in bytes (choice).
const maxHeaderName = 256

// framing are the headers that describe the message itself: the simulator sets them.
var framing = []string{"content-length", "transfer-encoding", "connection", "date", "trailer", "upgrade", "keep-alive"}

func (c *check) headers() {
	for name, value := range c.rule.Then.Headers {
		switch at := "then.headers"; {
		case !c.headerName(at, name):
		case slices.Contains(framing, strings.ToLower(name)):
			c.add(at, "the simulator sets header %s itself: remove it", name)
		case strings.ContainsAny(value, "\r\n"):
			c.add(at, "header %s must be one line: remove the line breaks", name)
		case !utf8.ValidString(value):
			c.add(at, "header %s must be UTF-8: remove the other bytes", name)
		case hasControl(strings.ReplaceAll(value, "\t", " ")): // RFC 9110 5.5
			c.add(at, "header %s must have no control characters: remove them", name)
		}
	}
}

// texts checks the code and the message of the error.
func (c *check) texts(e *Error) {
	for _, text := range []struct{ name, value string }{{"code", e.Code}, {"message", e.Message}} {
		switch {
		case !utf8.ValidString(text.value):
			c.add("then.error."+text.name, "%s must be UTF-8: remove the other bytes", text.name)
		case hasControl(text.value):
			c.add("then.error."+text.name, "%s must have no control characters, such as a line break: write it on one line", text.name)
		}
	}
}

func hasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }

// headerName reports whether a header can have the name, and notes it if not.
func (c *check) headerName(at, name string) bool {
	ok := len(name) <= maxHeaderName && token.MatchString(name)
	if !ok {
		c.add(at, "%s can't be the name of a header: use letters, digits and dashes", phrase.Quote(name))
	}
	return ok
}
