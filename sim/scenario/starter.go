package scenario

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// The scenarios to begin with: one of its own, and one that extends another. What stands in double braces is filled in.
var (
	//go:embed starter.yaml
	starterSource string
	//go:embed extending.yaml
	extendingSource string
)

// starter is what is filled in, as YAML writes it.
type starter struct {
	name, file, extends       string
	institutionID, hostUserID string // of what is extended; empty where it has none
}

// fill fills a source in.
func (s starter) fill(source string) []byte {
	user := ""
	if s.hostUserID != "" {
		user = "\n#       - hostUserId: " + s.hostUserID + " # this id is there, too: one user changes\n#         active: false"
	}
	return []byte(strings.NewReplacer("{{name}}", s.name, "{{file}}", s.file, "{{extends}}", s.extends,
		"{{institutionid}}", s.institutionID, "{{one user}}", user).Replace(source))
}

// Starter returns the YAML of a scenario to begin with: a file that is valid as it is and explains itself. It is
// called as its file, and extends another scenario, named as in a file, unless that is empty. What can't be extended is
// refused with [Problems].
func Starter(file, extends string) ([]byte, error) {
	base := filepath.Base(file)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(base, unicode.IsControl) {
		return nil, fmt.Errorf("a scenario can't be called %s: choose a name of 1 to 100 characters", phrase.Quote(name))
	}
	s, source := starter{name: scalarText(name), file: base}, starterSource
	if extends != "" {
		parent, err := load(inPlace(file, []byte("extends: "+scalarText(extends)+"\n")))
		if err != nil {
			return nil, err
		}
		s.extends, source = scalarText(extends), extendingSource
		s.describe(parent)
	}
	filled := s.fill(source)
	_, err := load(inPlace(file, filled))
	return filled, err
}

// describe notes the first rows of a scenario, for examples. A generated user is none: it can't be written.
func (s *starter) describe(parent *Scenario) {
	for i := range parent.World.Institutions() {
		s.institutionID = scalarText(i.InstitutionID)
		for u := range parent.World.Users(i.InstitutionID) {
			if number, err := strconv.Atoi(u.HostUserID); err != nil || number < firstGeneratedUser {
				s.hostUserID = scalarText(u.HostUserID)
				return
			}
		}
		return
	}
}

// inPlace returns a source as though a file held it.
func inPlace(file string, source []byte) found {
	return found{file, source, filepath.Base(file), filepath.Dir(file)}
}

// scalarText returns a string as YAML writes it, in quotes where it needs them.
func scalarText(s string) string {
	encoded, err := yaml.Marshal(s)
	if err != nil || bytes.Count(encoded, []byte("\n")) > 1 {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSuffix(string(encoded), "\n")
}
