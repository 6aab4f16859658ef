package scenario

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// MaxBytes is how large the file of a scenario can be.
const MaxBytes = maxBytes

// Sketch is what can be said of a file without loading it: enough to tell the scenarios of a folder from its other files.
type Sketch struct {
	NoScenario   string   // why it is none, in words; empty: it is one, good or bad
	Institutions bool     // whether it has some of its own
	Extends      []string // the scenarios that it extends, as it names them
}

// commonKeys are the keys of scenarios that files of other kinds have, too.
var commonKeys = []string{"name", "description"}

// likeInstitutions finds the key that most scenarios have in a text that can't be read as YAML.
var likeInstitutions = regexp.MustCompile(`(?m)^\s*["']?institutions?["']?\s*:`)

// SketchOf returns what a file is. It is a scenario, or one with mistakes, if it has a key of scenarios other than name and
// description, if its comments name the schema, or if it has a key that is nearly institutions.
func SketchOf(source []byte) Sketch {
	if bytes.Contains(source, []byte("scenario.schema.json")) {
		return sketched(source, true)
	}
	return sketched(source, false)
}

func sketched(source []byte, named bool) Sketch {
	if len(source) > maxBytes {
		if named || likeInstitutions.Match(source) {
			return Sketch{}
		}
		return Sketch{NoScenario: "larger than 1 MiB"}
	}
	keys := slices.DeleteFunc(topLevelKeys(), func(key string) bool { return slices.Contains(commonKeys, key) })
	all, err := decode(bytes.TrimPrefix(source, []byte("\xef\xbb\xbf")))
	if err != nil {
		began := regexp.MustCompile(`(?m)^["']?(` + strings.Join(keys, "|") + `)["']?\s*:`)
		if named || likeInstitutions.Match(source) || began.Match(source) {
			return Sketch{}
		}
		return Sketch{NoScenario: "not YAML, and without a key of scenarios"}
	}
	if len(all) == 0 || len(all[0].Content) == 0 {
		return sketchOfNone(named, "empty")
	}
	root := all[0].Content[0]
	if root.Kind != yaml.MappingNode {
		return sketchOfNone(named, "without a key of scenarios")
	}
	s := Sketch{NoScenario: "without a key of scenarios"}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i].Value, root.Content[i+1]
		if _, near := phrase.Nearest(key, []string{"institutions"}); near || named || slices.Contains(keys, key) {
			s.NoScenario = ""
		}
		switch {
		case key == "institutions":
			s.Institutions = value.ShortTag() != "!!null"
		case key == "extends" && value.Kind == yaml.SequenceNode:
			for _, item := range value.Content {
				s.Extends = append(s.Extends, item.Value)
			}
		case key == "extends":
			s.Extends = append(s.Extends, value.Value)
		}
	}
	return s
}

func sketchOfNone(named bool, why string) Sketch {
	if named {
		why = ""
	}
	return Sketch{NoScenario: why}
}

// topLevelKeys returns the keys that a scenario can have.
func topLevelKeys() []string {
	var keys []string
	for key := range compiled().Schema.Properties {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// LoadFrom loads a scenario as [Load] does, as if the file held what is read. So it can extend the files in the file's folder.
func LoadFrom(file string, from io.Reader, options ...Option) (*Scenario, error) {
	source, err := readLimited(from)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return load(inFolder(file, source), options...)
}
