package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Bank is a bank at one moment, to be saved as a scenario.
type Bank struct {
	World   *sim.World
	Now     time.Time     // virtual
	Since   time.Duration // virtual, from the start of its sandbox
	Running bool          // whether its clock advances with real time
	Seed    uint64
	Faults  []fault.Counted
	From    *Scenario // from which it started
}

// Bank returns the bank as it is at the start.
func (s *Scenario) Bank() Bank {
	return Bank{World: s.World, Now: s.Start, Running: s.Running, Seed: s.Seed, Faults: fault.NewSet(s.Faults, s.Seed).Counts(), From: s}
}

// Limits of a saved bank (choice).
const (
	// maxIssued is how many grants that were issued meanwhile are named one by one.
	maxIssued = 100
	// leastGroup is how many bytes a group takes at least.
	leastGroup = 150
	// maxTransactionIDs is how many used transactionIds are kept, the newest.
	maxTransactionIDs = 1000
)

// ErrBankTooLarge is the error for a bank that no scenario could hold.
var ErrBankTooLarge = errors.New("the bank has too many rows for a scenario, which is at most 1 MiB: take a snapshot or a fork of it instead, or save a smaller one")

// Save returns a scenario that loads to an equal bank: rows, behaviour, faults, clock, and the random source where it stands.
// It extends nothing. Secrets are in it only as far as a scenario gave them; what it can't keep is named in comments:
//
//   - Tokens that were issued meanwhile, by their fingerprints.
//   - What alert preferences have that came with requests and may be secret.
//   - Participants that came with requests and are no users of the bank: they may be anything.
//   - Fault rules that were added meanwhile and have hidden values, and how often rules have matched.
//
// It fails with ErrBankTooLarge.
func Save(b Bank) ([]byte, error) {
	if b.World.Counts().Groups*leastGroup > maxBytes {
		return nil, ErrBankTooLarge
	}
	s := saver{Bank: b, given: b.givenGrants()}
	s.head()
	s.behavior()
	s.faults()
	s.line(0, "institutions:")
	for _, i := range b.Institutions() {
		s.institution(i)
	}
	if s.full() {
		return nil, ErrBankTooLarge
	}
	return []byte(s.out.String()), nil
}

// saver writes a bank as a scenario.
type saver struct {
	Bank
	out   strings.Builder
	given map[string][]givenGrant // by institution
}

// full reports whether more was written than a scenario can have. Then nothing more is.
func (s *saver) full() bool { return s.out.Len() > maxBytes }

// line writes a line.
func (s *saver) line(indent int, format string, args ...any) {
	if s.full() {
		return
	}
	s.out.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(&s.out, format, args...)
	s.out.WriteByte('\n')
}

func (s *saver) head() {
	s.line(0, "# A bank that began as the scenario %s, as it was at %s of its clock.", oneLine(s.From.Name), moment(s.Now))
	s.line(0, "name: %s", quoted(s.From.Name))
	if s.From.Description != "" {
		s.line(0, "description: %s", quoted(s.From.Description))
	}
	s.line(0, "seed: %d", s.Seed)
	if position := s.World.RandomPosition(); position != sim.NewWorld(s.Seed, *s.World.Behavior()).RandomPosition() {
		s.line(0, "random: %s # where the random source stands", quoted(position))
	}
	if last := s.World.LastAlertPrefID(); last > s.largestAlertPrefID() {
		s.line(0, "lastAlertPrefId: %d # the alert preference that has it was deleted", last)
	}
	s.line(0, "clock: {start: %s, run: %t}", moment(s.Now), s.Running)
}

// largestAlertPrefID returns the largest alertPrefId of the bank's alert preferences, or 0.
func (s *saver) largestAlertPrefID() int64 {
	var largest int64
	for i := range s.World.Institutions() {
		for p := range s.World.AllAlertPreferences(i.InstitutionID) {
			largest = max(largest, p.AlertPrefID)
		}
	}
	return largest
}

// Institutions returns the institutions in the order of the scenario. The first one is where requests belong that name none.
func (b Bank) Institutions() []*sim.Institution {
	ids := append([]string{b.World.Home()}, b.From.institutions...)
	for i := range b.World.Institutions() {
		ids = append(ids, i.InstitutionID)
	}
	var each []*sim.Institution
	listed := map[string]bool{}
	for _, id := range ids {
		if i, there := b.World.Institution(id); there && !listed[id] {
			listed[id] = true
			each = append(each, i)
		}
	}
	return each
}

func (s *saver) institution(i *sim.Institution) {
	id := i.InstitutionID
	s.line(1, "- institutionId: %s", quoted(id))
	if !i.Multistatement {
		s.line(2, "multistatement: false")
	}
	if len(i.AlertTypes) > 0 {
		s.line(2, "alertTypes: %s", flow(i.AlertTypes))
	}
	s.list("clients:", func(item func(members)) {
		for c := range s.World.Clients(id) {
			item(members{{"sharedKey", c.SharedKey}, {"secretKey", c.SecretKey}})
		}
	})
	s.tokens(id)
	f := s.fillerOf(id)
	first := true
	for u := range s.World.Users(id) {
		if f != nil && s.From.Generates(id, u.HostUserID) && s.asGenerated(u) {
			continue
		}
		if first {
			s.line(2, "users:")
		}
		first = false
		if s.user(u); s.full() {
			return
		}
	}
	if f != nil {
		s.line(2, "generate: %s", flow(f.members()))
	}
	s.groups(id)
	s.alertPreferences(2, id, "")
	s.transactionIDs(id)
}

// list writes a list of the institution whose items are on one line each, unless it is empty.
func (s *saver) list(key string, items func(item func(members))) {
	first := true
	items(func(m members) {
		if first {
			s.line(2, "%s", key)
		}
		first = false
		s.line(3, "- %s", flow(m))
	})
}

func (s *saver) user(u *sim.User) {
	s.line(3, "- hostUserId: %s", quoted(u.HostUserID))
	if u.Username != "" {
		s.line(4, "username: %s", quoted(u.Username))
	}
	if u.Password != "" {
		s.line(4, "password: %s", quoted(u.Password))
	}
	if !u.Active {
		s.line(4, "active: false")
	}
	s.disclosures(4, u.Disclosures, false)
	first := true
	for a := range s.World.Accounts(u.InstitutionID, u.HostUserID) {
		if first {
			s.line(4, "accounts:")
		}
		first = false
		s.line(5, "- accountId: %s", quoted(a.AccountID))
		if a.ActivateEstatement {
			s.line(6, "activateEstatement: true")
		}
		if a.UpdateFails {
			s.line(6, "updateFails: true")
		}
		s.disclosures(6, a.Disclosures, a.ActivateEstatement)
	}
	s.alertPreferences(4, u.InstitutionID, u.HostUserID)
}

func (s *saver) disclosures(indent int, of []sim.Disclosure, paperWaiver bool) {
	if len(of) == 0 {
		return
	}
	s.line(indent, "disclosures:")
	for _, d := range of {
		m := members{{"institutionDisclosureStatus", d.Status}}
		if d.Name != "" {
			m = append(m, member{"institutionDisclosureName", d.Name})
		}
		m = append(m, member{"institutionUserDisclosureStatusUpdateDateTime", literal(moment(d.StatusUpdate))})
		if d.PaperWaiver != paperWaiver {
			m = append(m, member{"paperWaiver", d.PaperWaiver})
		}
		s.line(indent+1, "- %s", flow(m))
	}
}

// transactionIDs writes the newest of the transactionIds that were used.
func (s *saver) transactionIDs(institutionID string) {
	count, all := s.World.UsedRequestIDs()
	left := max(0, count-maxTransactionIDs)
	var ids []string
	skipped := 0
	for of, id := range all {
		switch {
		case left > 0:
			left--
			if of == institutionID {
				skipped++
			}
		case of == institutionID:
			ids = append(ids, id)
		}
	}
	if skipped > 0 {
		s.line(2, "# %d older transactionIds that were used: not kept", skipped)
	}
	if len(ids) > 0 {
		s.line(2, "transactionIds: %s", flow(ids))
	}
}
