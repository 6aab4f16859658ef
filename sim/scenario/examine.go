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

// Summary returns what the scenario has.
func (s *Scenario) Summary() Summary {
	n := s.World.Counts()
	return Summary{Name: s.Name, Description: s.Description, Institutions: n.Institutions, Clients: n.Clients, Users: n.Users,
		Accounts: n.Accounts, Tokens: n.Tokens, Groups: n.Groups, AlertPreferences: n.AlertPreferences, Faults: len(s.Faults)}
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

// Examined is a scenario that was checked and not loaded.
type Examined struct {
	Summary Summary

	resolve func() (Resolved, error)
}

// Resolve returns the scenario with everything that it extends merged in.
func (e *Examined) Resolve() (Resolved, error) { return e.resolve() }

// Examine checks a scenario, as [Parse] does, without generating and adding its rows. The error for a bad scenario is
// [Problems].
func Examine(file string, source []byte) (*Examined, error) {
	return found{file: file, source: source, name: file}.examine()
}

// BuiltIn returns what the embedded scenarios have, sorted by name.
var BuiltIn = sync.OnceValue(func() []Summary {
	var all []Summary
	for _, name := range Names() {
		f, err := embedded(name)
		if err != nil {
			panic(fmt.Sprintf("the embedded scenario %s: %v", name, err))
		}
		examined, err := f.examine()
		if err != nil {
			panic(fmt.Sprintf("the embedded scenario %s: %v", name, err))
		}
		all = append(all, examined.Summary)
	}
	return all
})

func (f found) examine() (*Examined, error) {
	root, d, r, err := f.read()
	if err != nil {
		return nil, err
	}
	s := Summary{Name: d.Name, Description: d.Description, Institutions: len(d.Institutions), Faults: len(d.Faults)}
	if s.Name == "" {
		s.Name = f.defaultName()
	}
	for _, i := range d.Institutions {
		s.Clients += len(i.Clients)
		s.Users += len(i.Users)
		s.Groups += len(i.Groups)
		s.AlertPreferences += len(i.AlertPreferences)
		for _, u := range i.Users {
			s.Accounts += len(u.Accounts)
			s.AlertPreferences += len(u.AlertPreferences)
		}
		for _, t := range i.Tokens {
			s.Tokens++
			if t.RefreshToken != "" {
				s.Tokens++
			}
		}
		if i.Generate != nil {
			s.Users += i.Generate.Users
			s.Accounts += i.Generate.Users * i.Generate.accountsPerUser()
			s.Groups += i.Generate.Groups
		}
	}
	return &Examined{s, func() (Resolved, error) { return r.resolved(root, f) }}, nil
}
