package scenario

import (
	"cmp"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// maxGenerated is how many rows a scenario may generate in all institutions: users, accounts, groups and
// participants. Three million take about 700 MB of memory.
const maxGenerated = 4_000_000

// How much of the memory limit there must be for each generated row (choice): twice what the row takes. Unless the
// scenario gives a seed, a reset makes the rows anew before the old rows are gone.
const (
	bytesOfRow         = 512 // of a user or an account
	bytesOfGroup       = 2 * bytesOfRow
	bytesOfParticipant = 128
)

// pinned returns a block with the seed and the start of the scenario written out.
func (f generateBlock) pinned(d Document, start time.Time) *generateBlock {
	// The seed is the same at every start, even if ids are drawn anew.
	seed := orDefault(f.Seed, orDefault(d.Seed, defaultGeneratorSeed))
	f.Seed, f.Start = &seed, moment(f.Start.or(start))
	return &f
}

// The defaults of a generate block.
const (
	defaultGeneratorSeed   = uint64(1)
	defaultAccountsPerUser = 2
	defaultPassword        = "demo"
)

// firstGeneratedUser is the hostUserId of the first generated user. Written ones are seldom as long.
const firstGeneratedUser = 1_000_001

// generatedUserID returns the hostUserId of a generated user, counted from 1.
func generatedUserID(number int) string { return strconv.Itoa(firstGeneratedUser - 1 + number) }

// generatesUser reports whether a block generates a user with this hostUserId. A nil block generates no user.
func (f *generateBlock) generatesUser(hostUserID string) bool {
	if f == nil || len(hostUserID) != len(generatedUserID(1)) {
		return false
	}
	number, err := strconv.Atoi(hostUserID)
	return err == nil && number >= firstGeneratedUser && number < firstGeneratedUser+f.Users
}

// generatedUsers are the users that a scenario generates in an institution.
type generatedUsers struct {
	generateBlock
	replaced map[string]bool // the hostUserIds of the users that are written in place of generated ones
}

// generatedUsers returns the generated users by institution.
func (d Document) generatedUsers() map[string]generatedUsers {
	all := map[string]generatedUsers{}
	for _, i := range d.Institutions {
		if i.Generate == nil {
			continue
		}
		replaced := map[string]bool{}
		for _, u := range i.Users {
			if i.Generate.generatesUser(u.HostUserID) {
				replaced[u.HostUserID] = true
			}
		}
		all[i.InstitutionID] = generatedUsers{*i.Generate, replaced}
	}
	return all
}

// Generates reports whether the scenario generates the user with a hostUserId.
func (s *Scenario) Generates(institutionID, hostUserID string) bool {
	g := s.generated[institutionID]
	return !g.replaced[hostUserID] && g.generatesUser(hostUserID)
}

// Generated returns how many users the scenario generates.
func (s *Scenario) Generated() int {
	sum := 0
	for _, g := range s.generated {
		sum += g.count()
	}
	return sum
}

func (g generatedUsers) count() int { return g.Users - len(g.replaced) }

func (f *generateBlock) accountsPerUser() int {
	return orDefault(f.AccountsPerUser, defaultAccountsPerUser)
}

// rows returns how many rows a block generates. A participant counts, too.
func (f *generateBlock) rows() int {
	return f.Users*(1+f.accountsPerUser()) + f.Groups*(1+f.ParticipantsPerGroup)
}

// bytes returns how much memory there must be for the rows of a block.
func (f *generateBlock) bytes() int64 {
	return int64(f.Users*(1+f.accountsPerUser()))*bytesOfRow +
		int64(f.Groups)*(bytesOfGroup+int64(f.ParticipantsPerGroup)*bytesOfParticipant)
}

// accountKinds end the accountIds of a generated user, in this order; further accounts end with a number.
var accountKinds = []string{"checking", "savings", "credit", "mortgage", "auto-loan"}

// generate adds the generated rows of all institutions. It runs after all written rows are added, so that the random
// ids of those don't depend on it.
func (b *builder) generate(d Document, report func(done, total int)) {
	p := &progress{report: report}
	for _, i := range d.Institutions {
		if i.Generate != nil {
			p.total += i.Generate.rows()
		}
	}
	for _, i := range d.Institutions {
		if i.Generate != nil {
			g := newGenerator(b, i, *i.Generate.pinned(d, b.start), p)
			g.users()
			g.groups()
		}
	}
}

// progress counts the rows that are made, and reports them from time to time.
type progress struct {
	report      func(done, total int) // or nil
	done, total int
}

func (p *progress) add(rows int) {
	const step = 10_000
	if next := (p.done + rows) / step; p.report != nil && next > p.done/step {
		p.report(next*step, p.total)
	}
	p.done += rows
}

// generator generates the rows of one institution. They depend only on the scenario's seed, the institution's id and
// the block.
type generator struct {
	*builder
	institution  institution
	block        generateBlock
	end          time.Time  // of the year in which what is generated happened
	random       *rand.Rand // of everything but participants
	participants *rand.Rand // of participants
	progress     *progress
}

func newGenerator(b *builder, i institution, block generateBlock, p *progress) generator {
	stream := func(of string) *rand.Rand {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(of + " " + i.InstitutionID))
		return rand.New(rand.NewPCG(*block.Seed, hash.Sum64()))
	}
	return generator{b, i, block, block.Start.or(b.start), stream("generate"), stream("participants"), p}
}

// users generates the users and their accounts. Shares are exact, up to rounding to whole rows.
func (g generator) users() {
	f, perUser := g.block, g.block.accountsPerUser()
	mix := orDefault(f.Disclosures, disclosureMix{Accepted: 1})
	shares := []share{mix.Accepted, mix.NotAccepted, mix.None}
	inactive := g.deal(f.Users, f.InactiveUsers, 1-f.InactiveUsers)
	answers := g.deal(f.Users, shares...)
	accountAnswers := g.deal(f.Users*perUser, shares...)
	electronic := g.deal(f.Users*perUser, f.ElectronicStatements, 1-f.ElectronicStatements)
	owners := map[string]string{} // of the usernames that are written
	for _, u := range g.institution.Users {
		owners[u.Username] = u.HostUserID
	}
	words := nameLists()
	username := g.names(words[0], words[1], ".", "") // avery.morgan, avery.morgan2
	password := cmp.Or(f.Password, defaultPassword)
	for n := range f.Users {
		id := generatedUserID(n + 1)
		name := username()
		for owners[name] != "" && owners[name] != id {
			name = username()
		}
		u := sim.User{
			InstitutionID: g.institution.InstitutionID,
			HostUserID:    id,
			Username:      name,
			Password:      password,
			Active:        inactive[n] != 0,
			Disclosures:   g.disclosure(answers[n], false),
		}
		// A user that is written is drawn all the same, so that the others don't change.
		_, isWritten := g.world.User(g.institution.InstitutionID, id)
		if !isWritten {
			g.add(g.world.AddUser(u))
		}
		for k := range perUser {
			place := n*perUser + k
			a := g.account(id, k, accountAnswers[place], electronic[place] == 0)
			if !isWritten {
				g.add(g.world.AddAccount(a))
			}
		}
		g.progress.add(1 + perUser)
	}
}

// account returns an account of a user. Its number begins at 0, and the answer is the index of a share.
func (g generator) account(hostUserID string, number int, answer uint8, activated bool) sim.Account {
	kind := strconv.Itoa(number + 1)
	if number < len(accountKinds) {
		kind = accountKinds[number]
	}
	return sim.Account{
		InstitutionID:      g.institution.InstitutionID,
		HostUserID:         hostUserID,
		AccountID:          "acc-" + hostUserID + "-" + kind,
		ActivateEstatement: activated,
		Disclosures:        g.disclosure(answer, activated),
	}
}

// disclosure returns the disclosures of a user or an account, given the index of its share in a disclosureMix.
func (g generator) disclosure(answer uint8, paperWaiver bool) []sim.Disclosure {
	status := sim.Accepted
	switch answer {
	case 1:
		status = sim.NotAccepted
	case 2:
		return nil
	}
	return []sim.Disclosure{{Name: "OLS", Status: status, StatusUpdate: g.earlier(), PaperWaiver: paperWaiver}}
}

func (g generator) groups() {
	taken := map[string]bool{}
	for _, written := range g.institution.Groups {
		if written.Status != sim.GroupStatusDeleted {
			taken[written.Name] = true
		}
	}
	candidates := g.membership()
	words := nameLists()
	next := g.names(words[2], words[3], " ", " ") // Coastal savers, Coastal savers 2
	for range g.block.Groups {
		name := next()
		for taken[name] {
			name = next()
		}
		row := &sim.Group{
			InstitutionID:    g.institution.InstitutionID,
			Name:             name,
			LastUpdated:      g.earlier(),
			ParticipantCount: int(math.Exp(g.random.Float64() * math.Log(5000))), // most are small
		}
		ids := candidates.draw(g.participants, g.block.ParticipantsPerGroup)
		if ids != nil {
			row.ParticipantCount = len(ids)
		}
		g.add(g.world.AddGroup(g.world.Policies().Document, row, ids...))
		g.progress.add(1 + len(ids))
	}
}

// membership is the users of an institution that groups may have as participants.
type membership struct {
	written   []string // the hostUserIds of written users, besides those in place of generated ones
	generated int
}

func (g generator) membership() membership {
	m := membership{generated: g.block.Users}
	for _, u := range g.institution.Users {
		if participant().MatchString(u.HostUserID) && !g.block.generatesUser(u.HostUserID) {
			m.written = append(m.written, u.HostUserID)
		}
	}
	return m
}

// participant matches a hostUserId that can be a participant's: as the schema has it.
var participant = lazy.Regexp(`^[!#-+\--~]{1,32}$`)

// draw returns n different users, sorted, or all users if there are fewer.
func (m membership) draw(random *rand.Rand, n int) []string {
	all := len(m.written) + m.generated
	drawn := map[int]bool{}
	for last := max(all-n, 0); last < all; last++ { // Floyd's algorithm: one draw for each
		if place := random.IntN(last + 1); !drawn[place] {
			drawn[place] = true
		} else {
			drawn[last] = true
		}
	}
	var ids []string
	for _, place := range slices.Sorted(maps.Keys(drawn)) {
		if place < len(m.written) {
			ids = append(ids, m.written[place])
		} else {
			ids = append(ids, generatedUserID(place-len(m.written)+1))
		}
	}
	return ids
}

// earlier returns a random moment in the year before the clock's start.
func (g generator) earlier() time.Time {
	const year = 365 * 24 * 60 * 60
	return g.end.Add(-time.Duration(1+g.random.IntN(year)) * time.Second)
}

// deal assigns each of n rows to one of the shares, by index. Each share gets its exact number of rows, rounded, in
// random order. The shares add up to 1.
func (g generator) deal(n int, shares ...share) []uint8 {
	dealt := make([]uint8, 0, n)
	sum := 0.0
	for i, s := range shares {
		sum += float64(s)
		until := int(math.Round(sum * float64(n)))
		if i == len(shares)-1 {
			until = n
		}
		for len(dealt) < min(until, n) {
			dealt = append(dealt, uint8(i))
		}
	}
	g.random.Shuffle(n, func(i, j int) { dealt[i], dealt[j] = dealt[j], dealt[i] })
	return dealt
}
