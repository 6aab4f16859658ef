package contract_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// sections are the numbers in the interface's document.
var sections = strings.Fields("1 2 2.1 2.2 2.3 2.4 2.5 2.6 2.7 3 4 4.1 4.2 4.3 4.4 4.5 4.6 4.7 5 6 7 7.1 7.2 8 9")

const (
	number     = `\d+(?:\.\d+)*`
	someNumber = number + `(?:, ` + number + `)*(?: and ` + number + `)?`
	standard   = `(?:RFC \d+ ` + number + `|Fetch standard|Spring Data|Spring HATEOAS)`
)

// sourcesOf maps a basis to how its sources begin, up to a semicolon.
var sourcesOf = map[contract.Basis]*regexp.Regexp{
	contract.Documented: regexp.MustCompile(`^sections? ` + someNumber + `$`),
	contract.Published:  regexp.MustCompile(`^` + contract.PublishedSource + `: .+$`),
	contract.Convention: regexp.MustCompile(`^` + standard + `(, ` + standard + `)*$`),
	contract.Choice:     regexp.MustCompile(`^` + contract.OwnSource + `$`),
}

var (
	citedSections = regexp.MustCompile(`\bsections? (` + someNumber + `)`)
	citedRFC      = regexp.MustCompile(`RFC[^;,]*`)
	wholeRFC      = regexp.MustCompile(`^RFC \d+ ` + number + `\b`)
	oneNumber     = regexp.MustCompile(number)
)

// assertSource checks that a source is of its basis, and that what it names exists.
func assertSource(t *testing.T, basis contract.Basis, source string) {
	t.Helper()
	head, note, noted := strings.Cut(source, ";")
	assert.Regexp(t, sourcesOf[basis], head, "the source of %s", basis)
	if noted {
		assert.Regexp(t, `^ \S.*[^.]$`, note, "what a source says after a semicolon")
	}
	if said, ok := strings.CutPrefix(head, contract.PublishedSource+": "); ok {
		for place := range strings.SplitSeq(said, " and ") {
			assert.Contains(t, contract.Places(), contract.Place(place), "places of the public API description")
		}
	}
	for _, cited := range citedSections.FindAllStringSubmatch(source, -1) {
		for _, section := range oneNumber.FindAllString(cited[1], -1) {
			assert.Contains(t, sections, section, "sections of the interface's document")
		}
	}
	for _, rfc := range citedRFC.FindAllString(source, -1) {
		assert.Regexp(t, wholeRFC, rfc, "an RFC is named with its section")
	}
}
