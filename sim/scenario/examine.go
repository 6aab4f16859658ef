package scenario

// Summary says what a scenario has, generated rows included.
type Summary struct {
	Name             string `json:"name"`
	Institutions     int    `json:"institutions"`
	Clients          int    `json:"clients"`
	Users            int    `json:"users"`
	Accounts         int    `json:"accounts"`
	Tokens           int    `json:"tokens"`
	Groups           int    `json:"groups"`
	AlertPreferences int    `json:"alertPreferences"`
	Faults           int    `json:"faults"`
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
	f := found{file: file, source: source, name: file}
	root, d, r, err := f.read()
	if err != nil {
		return nil, err
	}
	s := Summary{Name: d.Name, Institutions: len(d.Institutions), Faults: len(d.Faults)}
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
