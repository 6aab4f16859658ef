package scenario

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Templates of a first scenario: one that stands alone, and one that extends another. Placeholders are in double
// braces.
var (
	//go:embed starter.yaml
	starterSource string
	//go:embed extending.yaml
	extendingSource string
)

// Starter returns the YAML of a first scenario for a file. It is valid, and comments explain it. Unless parent is
// empty, it extends that scenario. The error for one that can't be extended is [Problems].
func Starter(file, parent string) ([]byte, error) {
	base := filepath.Base(file)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(base, unicode.IsControl) {
		return nil, fmt.Errorf(
			"a scenario can't be called %s: choose a name of 1 to 100 characters", wording.Quote(name),
		)
	}
	template, institutionID := starterSource, ""
	if parent != "" {
		extended, err := LoadFrom(file, []byte("extends: "+onLine(parent)+"\n"))
		if err != nil {
			return nil, err
		}
		template, institutionID = extendingSource, onLine(extended.document.Institutions[0].InstitutionID)
	}
	filled := []byte(strings.NewReplacer("{{name}}", onLine(name), "{{file}}", base, "{{extends}}", onLine(parent),
		"{{institutionid}}", institutionID).Replace(template))
	_, err := LoadFrom(file, filled)
	return filled, err
}

// onLine returns a text as YAML on one line.
func onLine(text string) string {
	encoded, _ := encode(scalar(text), nil) // it can't fail
	return strings.TrimSuffix(string(encoded), "\n")
}
