package scenario

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// starterSource holds the templates of a scenario to begin with: "fresh", and "extending" another one.
//
//go:embed starter.tmpl
var starterSource string

var starters = template.Must(template.New("").Parse(starterSource))

// starter is what the templates fill in. Its texts are as YAML writes them.
type starter struct {
	Name, File, Extends               string
	InstitutionID, HostUserID, Client string // of what is extended; empty where it has none
}

// Starter returns the YAML of a scenario to begin with: a file that is valid as it is and explains itself. It is
// called as its file, and extends another scenario, named as in a file, unless that is empty. What can't be extended is
// refused with [Problems].
func Starter(file, extends string) ([]byte, error) {
	base := filepath.Base(file)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(base, unicode.IsControl) {
		return nil, fmt.Errorf("a scenario can't be called %s: choose a name of 1 to 100 characters", shown(name))
	}
	fill, kind := starter{Name: scalarText(name), File: base}, "fresh"
	if extends != "" {
		parent, err := load(inPlace(file, []byte("extends: "+scalarText(extends)+"\n")))
		if err != nil {
			return nil, err
		}
		kind = "extending"
		fill.Extends = scalarText(extends)
		fill.describe(parent)
	}
	var source bytes.Buffer
	if err := starters.ExecuteTemplate(&source, kind, fill); err != nil {
		return nil, err
	}
	_, err := load(inPlace(file, source.Bytes()))
	return source.Bytes(), err
}

// describe notes the first rows of a scenario, for examples.
func (s *starter) describe(parent *Scenario) {
	for i := range parent.World.Institutions() {
		s.InstitutionID = scalarText(i.InstitutionID)
		for u := range parent.World.Users(i.InstitutionID) {
			s.HostUserID = scalarText(u.HostUserID)
			break
		}
		for c := range parent.World.Clients(i.InstitutionID) {
			s.Client = scalarText(c.SharedKey)
			break
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
