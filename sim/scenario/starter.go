package scenario

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Templates of a first scenario: one that stands alone, and one that extends another. Placeholders are in double braces.
var (
	//go:embed starter.yaml
	starterSource string
	//go:embed extending.yaml
	extendingSource string
)

// starter holds the values of the placeholders, in YAML notation.
type starter struct {
	name, file, extends       string
	institutionID, hostUserID string // in the extended scenario; empty if it has none
}

// fill fills a template in.
func (s starter) fill(source string) []byte {
	user := ""
	if s.hostUserID != "" {
		user = "\n#       - hostUserId: " + s.hostUserID + " # this id exists, too: changes that user\n#         active: false"
	}
	return []byte(strings.NewReplacer("{{name}}", s.name, "{{file}}", s.file, "{{extends}}", s.extends,
		"{{institutionid}}", s.institutionID, "{{one user}}", user).Replace(source))
}

// Starter returns the YAML of a first scenario for a file: valid as it is, with comments that explain it. Unless extends
// is empty, it extends that scenario. The error for one that can't be extended is [Problems].
func Starter(file, extends string) ([]byte, error) {
	base := filepath.Base(file)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(base, unicode.IsControl) {
		return nil, fmt.Errorf("a scenario can't be called %s: choose a name of 1 to 100 characters", phrase.Quote(name))
	}
	s, source := starter{name: Flow(name), file: base}, starterSource
	if extends != "" {
		parent, err := LoadFrom(file, []byte("extends: "+Flow(extends)+"\n"))
		if err != nil {
			return nil, err
		}
		s.extends, source = Flow(extends), extendingSource
		s.describe(parent)
	}
	filled := s.fill(source)
	_, err := LoadFrom(file, filled)
	return filled, err
}

// describe records the first institution and user of a scenario, for examples. A generated user can't be changed by a
// scenario.
func (s *starter) describe(parent *Scenario) {
	for i := range parent.World.Institutions() {
		s.institutionID = Flow(i.InstitutionID)
		for u := range parent.World.Users(i.InstitutionID) {
			if number, err := strconv.Atoi(u.HostUserID); err != nil || number < firstGeneratedUser {
				s.hostUserID = Flow(u.HostUserID)
				return
			}
		}
		return
	}
}
