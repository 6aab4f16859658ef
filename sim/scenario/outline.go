package scenario

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Outline is what can be said of a file without checking it: enough to tell the scenarios of a folder from its other
// files.
type Outline struct {
	IsScenario      bool // whether it has a key of scenarios that files of other kinds hardly have
	HasInstitutions bool
}

// outlineKeys are the keys that make a file a scenario, good or bad: those of an institution, too, which people write
// at the top by mistake.
var outlineKeys = []string{
	"institutions", "extends", "faults", "behavior", "scenario", "clock", "users", "clients", "tokens", "groups",
	"accounts",
}

// outlineLine matches a line with such a key, in a file that is no mapping.
var outlineLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?mi)^[\s{"'-]*(` + strings.Join(outlineKeys, "|") + `|institutionId)["']?\s*[:：]`)
})

// OutlineOf returns the outline of a file. A misspelt key counts, too, and so does a file without any.
func OutlineOf(text []byte) Outline {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	_, _, wrong := unreadable(text)
	var documents []*yaml.Node
	if wrong == "" {
		documents, _ = decode(bytes.NewReader(text))
	}
	isEmpty := wrong == "" && len(documents) == 0 && noContent().Match(text)
	if len(documents) == 0 || documents[0].Content[0].Kind != yaml.MappingNode {
		return Outline{IsScenario: isEmpty || outlineLine().Match(text) || isUTF16(text)}
	}
	root := documents[0].Content[0]
	o := Outline{HasInstitutions: valueOf(root, "institutions") != nil}
	for i := 0; i < min(len(root.Content), 2*maxKeys) && !o.IsScenario; i += 2 {
		_, o.IsScenario = wording.Slip(plainly(strings.TrimRight(root.Content[i].Value, "：: ")), outlineKeys)
	}
	return o
}

// noContent matches a file that has nothing but comments.
var noContent = lazy.Regexp(`^(\s*(#[^\n]*)?(\n|$))*$`)
