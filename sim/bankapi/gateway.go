package bankapi

import (
	"net/url"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// passGateway refuses what the gateway in front of the public interface refuses, before the operation looks at the
// request (published).
func (c *call) passGateway() error {
	if c.op.Dialect != sim.DialectPublic {
		return nil
	}
	isLong := func(value string) bool { return len(value) > contract.MaxHeader }
	if name, found := c.headerThat(isLong); found {
		err := c.refuseUnlessWaived(contract.HeaderTooLong,
			"header %s is longer than %d bytes", name, contract.MaxHeader)
		if err != nil {
			return err
		}
	}
	return c.checkCharacters()
}

// checkCharacters refuses a request with a character outside printable ASCII and JSON's white space.
func (c *call) checkCharacters() error {
	where := ""
	switch name, found := c.headerThat(isUnprintable[string]); {
	case isUnprintable(c.below.Path):
		where = "the path"
	case isUnprintable(decodedQuery(c.below.RawQuery)):
		where = "the query"
	case found:
		where = "header " + name
	case c.header("Content-Encoding") == "" && isUnprintable(c.content.withoutMark()): // requireMedia refuses a coding
		where = "the body"
	default:
		return nil
	}
	return c.refuseUnlessWaived(contract.CharacterRefused, "%s has a character outside printable ASCII", where)
}

// isUnprintable reports whether a text has a byte outside printable ASCII and JSON's white space.
func isUnprintable[T string | []byte](text T) bool {
	for i := range len(text) {
		if b := text[i]; b > '~' || b < ' ' && b != '\t' && b != '\n' && b != '\r' {
			return true
		}
	}
	return false
}

// decodedQuery returns a query without its escapes. It leaves a query with a broken escape alone.
func decodedQuery(query string) string {
	if decoded, err := url.QueryUnescape(query); err == nil {
		return decoded
	}
	return query
}

// headerThat returns the first header by name with a value that fulfils a condition.
func (r *request) headerThat(fulfils func(value string) bool) (name string, found bool) {
	for other, values := range r.Header {
		if (!found || other < name) && slices.ContainsFunc(values, fulfils) {
			name, found = other, true
		}
	}
	return name, found
}
