package scenario

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Outline is what can be said of a file without checking it: enough to tell the scenarios of a folder from its other
// files.
type Outline struct {
	IsScenario      bool // whether it has a key of scenarios that files of other kinds hardly have
	HasInstitutions bool
}

// outlineKeys are the keys that make a file a scenario, good or bad.
var outlineKeys = []string{"institutions", "extends", "faults", "behavior"}

// outlineLine matches a line with such a key, in a file that is no YAML.
var outlineLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?mi)^[\s{"']*(` + strings.Join(outlineKeys, "|") + `)["']?\s*:`)
})

// OutlineOf returns the outline of a file. A misspelt key counts, too.
func OutlineOf(text []byte) Outline {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	_, _, wrong := unreadable(text)
	var documents []*yaml.Node
	if wrong == "" {
		documents, _ = decode(bytes.NewReader(text))
	}
	if len(documents) == 0 {
		return Outline{IsScenario: outlineLine().Match(text) || isUTF16(text)}
	}
	root := documents[0].Content[0]
	o := Outline{HasInstitutions: valueOf(root, "institutions") != nil}
	for i := 0; root.Kind == yaml.MappingNode && i < min(len(root.Content), 2*maxKeys) && !o.IsScenario; i += 2 {
		_, o.IsScenario = wording.Slip(root.Content[i].Value, outlineKeys)
	}
	return o
}
