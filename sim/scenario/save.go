package scenario

import (
	"errors"
	"fmt"
	"strconv"
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
	// maxNotes is how many things that are not kept are named one by one.
	maxNotes = 100
	// leastRow is how many bytes a user, an account or a group takes at least.
	leastRow = 20
	// maxTransactionIDs is how many used transactionIds are kept, the newest.
	maxTransactionIDs = 1000
)

// ErrBankTooLarge is the error for a bank that no scenario could hold.
var ErrBankTooLarge = errors.New("the bank has too many rows for a scenario, which is at most 1 MiB: " +
	"take a snapshot or a fork of it instead, or save a smaller one")

// Save returns a scenario that loads to an equal bank: rows, behaviour, faults, clock, and the random source where it stands.
// It extends nothing. Secrets are in it only as far as a scenario gave them; comments at its top name what it doesn't keep:
//
//   - Tokens that were issued meanwhile, by their fingerprints.
//   - What alert preferences have that came with requests and may be secret.
//   - Participants that came with requests and are no users of the bank: they may be anything.
//   - Fault rules that were added meanwhile and have hidden values, and how often rules have matched.
//
// It fails with ErrBankTooLarge.
func Save(b Bank) ([]byte, error) {
	s := saver{Bank: b, given: b.givenGrants(), used: map[string][]string{}}
	s.note("A bank that began as the scenario %s, as it was at %s of its clock.", b.From.Name, moment(b.Now))
	s.collectTransactionIDs()
	tree := nodeOf(s.document())
	if s.rows > maxBytes/leastRow {
		return nil, ErrBankTooLarge
	}
	fold(tree)
	tree.Style = 0
	for _, i := range valueOf(tree, "institutions").Content {
		i.Style = 0
	}
	if more := len(s.notes) - maxNotes; more > 0 {
		s.notes = append(s.notes[:maxNotes], fmt.Sprintf("# and %d more", more))
	}
	tree.HeadComment = strings.Join(s.notes, "\n")
	encoded, err := encode(tree)
	if err == nil && len(encoded) > maxBytes {
		err = ErrBankTooLarge
	}
	return encoded, err
}

// saver writes a bank as a document.
type saver struct {
	Bank
	given map[string][]givenGrant // by institution
	used  map[string][]string     // the transactionIds that are kept, by institution
	notes []string                // what is saved, and what is not kept, as comments
	rows  int                     // users, accounts and groups in the document
}

// full counts a row, and reports whether there are more than a scenario can have. Then nothing more is written.
func (s *saver) full() bool {
	s.rows++
	return s.rows > maxBytes/leastRow
}

// note adds a comment of one line.
func (s *saver) note(format string, args ...any) {
	s.notes = append(s.notes, "# "+oneLine(fmt.Sprintf(format, args...)))
}

// oneLine returns a text for a comment.
func oneLine(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// moment returns a time in the notation of RFC 3339.
func moment(t time.Time) timestamp { return timestamp(t.UTC().Format(time.RFC3339Nano)) }

// unless returns a value, or nil where it is the default.
func unless[T comparable](standard, value T) *T {
	if value == standard {
		return nil
	}
	return &value
}

func (s *saver) document() document {
	d := document{
		Name:        s.From.Name,
		Description: s.From.Description,
		Seed:        &s.Seed,
		Clock:       clock{Start: moment(s.Now), Run: &s.Running},
		Behavior:    s.behavior(),
		Faults:      s.faults(),
	}
	if position := s.World.RandomPosition(); position != sim.NewWorld(s.Seed, *s.World.Behavior()).RandomPosition() {
		d.Random = position
	}
	var largest int64
	for i := range s.World.Institutions() {
		for p := range s.World.AllAlertPreferences(i.InstitutionID) {
			largest = max(largest, p.AlertPrefID)
		}
	}
	if last := s.World.LastAlertPrefID(); last > largest {
		d.AlertPrefID = last
	}
	for _, i := range s.Institutions() {
		d.Institutions = append(d.Institutions, s.institution(i))
	}
	return d
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

func (s *saver) institution(i *sim.Institution) institution {
	id := i.InstitutionID
	written := institution{
		InstitutionID:    id,
		Multistatement:   unless(true, i.Multistatement),
		Tokens:           s.tokens(id),
		AlertPreferences: s.alertPreferences(id, ""),
		TransactionIDs:   s.used[id],
		Generate:         s.fillerOf(id),
	}
	s.alertTypes(&written, i)
	for c := range s.World.Clients(id) {
		written.Clients = append(written.Clients, client{SharedKey: c.SharedKey, SecretKey: c.SecretKey})
	}
	for u := range s.World.Users(id) {
		if written.Generate != nil && s.From.Generates(id, u.HostUserID) && s.asGenerated(u) {
			continue
		}
		if s.full() {
			return written
		}
		written.Users = append(written.Users, s.user(u))
	}
	written.Groups = s.groups(id)
	return written
}

// collectTransactionIDs notes the newest of the transactionIds that were used.
func (s *saver) collectTransactionIDs() {
	count, all := s.World.UsedRequestIDs()
	left := max(0, count-maxTransactionIDs)
	if left > 0 {
		s.note("%d older transactionIds that were used: not kept", left)
	}
	for institutionID, id := range all {
		if left--; left < 0 {
			s.used[institutionID] = append(s.used[institutionID], id)
		}
	}
}
