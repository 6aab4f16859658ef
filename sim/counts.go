package sim

// Counts is how many rows of each kind a world holds.
type Counts struct {
	Institutions, Clients, Users, Accounts, Tokens, Groups, Jobs, AlertPreferences int
}

// Counts returns how many rows the world holds, in O(1). Revoked tokens and deleted groups count, too.
func (w *World) Counts() Counts {
	return Counts{
		Institutions:     w.institutions.len(),
		Clients:          w.clients.len(),
		Users:            w.users.len(),
		Accounts:         w.accounts.len(),
		Tokens:           w.tokens.len(),
		Groups:           w.groups.len(),
		Jobs:             w.jobs.byID.len(),
		AlertPreferences: w.alerts.len(),
	}
}
