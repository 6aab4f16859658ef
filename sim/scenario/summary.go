package scenario

import (
	"fmt"
	"sync"
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

// BuiltIn returns what the embedded scenarios have, sorted by name.
var BuiltIn = sync.OnceValue(func() []Summary {
	var all []Summary
	for _, name := range Names() {
		s, err := Load(name, WithoutWorld())
		if err != nil {
			panic(fmt.Sprintf("the embedded scenario %s: %v", name, err))
		}
		all = append(all, s.Summary)
	}
	return all
})

// summary returns what a scenario has. A user that is written takes the place of a generated one, with its accounts.
func (d Document) summary(name string, generated map[string]generatedUsers) Summary {
	s := Summary{Name: name, Description: d.Description, Institutions: len(d.Institutions), Faults: len(d.Faults)}
	for _, i := range d.Institutions {
		s.Clients += len(i.Clients)
		s.Groups += len(i.Groups)
		s.AlertPreferences += len(i.AlertPreferences)
		for _, u := range i.Users {
			s.Users++
			s.Accounts += len(u.Accounts)
			s.AlertPreferences += len(u.AlertPreferences)
		}
		for _, t := range i.Tokens {
			s.Tokens++
			if t.RefreshToken != "" {
				s.Tokens++
			}
		}
	}
	for _, g := range generated {
		s.Groups += g.Groups
		s.Users += g.count()
		s.Accounts += g.count() * g.accountsPerUser()
	}
	return s
}
