package scenario

import (
	"reflect"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
)

// fillerOf returns what still generates users of an institution as they were generated at the start: without groups, whose
// ids are drawn and so have to be written. It returns nil if nothing does: users that were generated are missing, because the
// world is that of a snapshot of another scenario.
func (s *saver) fillerOf(institutionID string) *filler {
	f := s.From.generated[institutionID]
	if f == nil || f.Users == 0 {
		return nil
	}
	for n := range f.Users {
		if _, there := s.World.User(institutionID, generatedUserID(n+1)); !there {
			return nil
		}
	}
	alone := *f
	alone.Groups = 0
	return &alone
}

// asGenerated reports whether a generated user, with all accounts, is as at the start.
func (s *saver) asGenerated(u *sim.User) bool {
	was, there := s.From.World.User(u.InstitutionID, u.HostUserID)
	if !there || !sameRow(was, u) {
		return false
	}
	for range s.World.AlertPreferences(u.InstitutionID, u.HostUserID) {
		return false
	}
	accounts := 0
	for a := range s.World.Accounts(u.InstitutionID, u.HostUserID) {
		if was, there := s.From.World.Account(a.InstitutionID, a.HostUserID, a.AccountID); !there || !sameRow(was, a) {
			return false
		}
		accounts++
	}
	return accounts == s.From.generated[u.InstitutionID].accountsPerUser()
}

// sameRow reports whether rows are equal. Rows that two worlds share are the same.
func sameRow[R any](a, b *R) bool { return a == b || reflect.DeepEqual(a, b) }

// members returns the filler as it is written.
func (f *filler) members() members {
	number := func(s share) literal { return literal(strconv.FormatFloat(float64(s), 'g', -1, 64)) }
	m := members{{"users", f.Users}}
	if f.Password != "" {
		m = append(m, member{"password", f.Password})
	}
	if f.InactiveUsers != 0 {
		m = append(m, member{"inactiveUsers", number(f.InactiveUsers)})
	}
	if f.AccountsPerUser != nil {
		m = append(m, member{"accountsPerUser", *f.AccountsPerUser})
	}
	if f.ElectronicStatements != 0 {
		m = append(m, member{"electronicStatements", number(f.ElectronicStatements)})
	}
	if d := f.Disclosures; d != nil {
		m = append(m, member{"disclosures", members{{"accepted", number(d.Accepted)}, {"notAccepted", number(d.NotAccepted)}, {"none", number(d.None)}}})
	}
	return append(m, member{"seed", *f.Seed}, member{"start", literal(f.Start)})
}
