package scenario

import (
	"fmt"
	"regexp"
	"sync"

	"gopkg.in/yaml.v3"
)

// Summary says what a scenario has, generated rows included.
type Summary struct {
	Name             string `json:"name"`
	Description      string `json:"description"`
	Institutions     int    `json:"institutions"`
	Clients          int    `json:"clients"`
	Users            int    `json:"users"`
	Accounts         int    `json:"accounts"`
	Tokens           int    `json:"tokens"`
	Groups           int    `json:"groups"`
	AlertPreferences int    `json:"alertPreferences"`
	Faults           int    `json:"faults"`
}

// Outline is what can be said of a file without loading it: enough to tell the scenarios of a folder from its other files.
type Outline struct {
	IsScenario      bool // whether it has a key of scenarios that files of other kinds hardly have
	HasInstitutions bool
	Extends         []string // as it names them
}

// outlineKeys are the keys that make a file a scenario, good or bad.
var outlineKeys = regexp.MustCompile(`(?m)^["']?(institutions|extends|faults|behavior)["']?\s*:`)

// OutlineOf returns the outline of a file.
func OutlineOf(source []byte) Outline {
	var keys struct {
		Institutions yaml.Node
		Extends      parents
	}
	if err := yaml.Unmarshal(source, &keys); err != nil {
		keys.Extends = nil
	}
	return Outline{outlineKeys.Match(source), keys.Institutions.Kind != 0, keys.Extends}
}

// Examine checks a scenario, as [Parse] does, without generating and adding its rows: it has no World. The error for a bad scenario is
// [Problems].
func Examine(file string, source []byte) (*Scenario, error) {
	s, _, _, err := found{file: file, source: source, name: file}.examined()
	return s, err
}

// BuiltIn returns what the embedded scenarios have, sorted by name.
var BuiltIn = sync.OnceValue(func() []Summary {
	var all []Summary
	for _, name := range Names() {
		f, err := embedded(name)
		if err != nil {
			panic(fmt.Sprintf("the embedded scenario %s: %v", name, err))
		}
		examined, _, _, err := f.examined()
		if err != nil {
			panic(fmt.Sprintf("the embedded scenario %s: %v", name, err))
		}
		all = append(all, examined.Summary)
	}
	return all
})

// summary returns what a scenario has. A user that is written takes the place of a generated one, with its accounts.
func (d document) summary(name string) Summary {
	s := Summary{Name: name, Description: d.Description, Institutions: len(d.Institutions), Faults: len(d.Faults)}
	for _, i := range d.Institutions {
		s.Clients += len(i.Clients)
		s.Groups += len(i.Groups)
		s.AlertPreferences += len(i.AlertPreferences)
		generated := 0
		if i.Generate != nil {
			generated = i.Generate.Users
			s.Groups += i.Generate.Groups
		}
		for _, u := range i.Users {
			s.Users++
			s.Accounts += len(u.Accounts)
			s.AlertPreferences += len(u.AlertPreferences)
			if i.Generate.gives(u.HostUserID) {
				generated--
			}
		}
		if generated > 0 {
			s.Users += generated
			s.Accounts += generated * i.Generate.accountsPerUser()
		}
		for _, t := range i.Tokens {
			s.Tokens++
			if t.RefreshToken != "" {
				s.Tokens++
			}
		}
	}
	return s
}
