package scenario

import (
	"cmp"
	_ "embed"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
)

// maxGenerated is how many rows a scenario may generate: users, accounts and groups of all institutions. Three million take
// about 700 MB of memory.
const maxGenerated = 4_000_000

// How much of the memory limit there must be for each generated row (choice): twice what the row takes. A reset makes
// the rows anew while the old ones are still there, unless the scenario gives a seed.
const (
	bytesOfRow   = 512 // of a user or an account
	bytesOfGroup = 2 * bytesOfRow
)

// pinned sets the keys of a filler whose defaults are those of the scenario to these.
func (f filler) pinned(d document, start time.Time) *filler {
	seed := orDefault(f.Seed, orDefault(d.Seed, defaultGeneratorSeed)) // the same at every start, also where ids are drawn anew
	f.Seed, f.Start = &seed, moment(f.Start.or(start))
	return &f
}

// The defaults of a filler.
const (
	defaultGeneratorSeed   = uint64(1)
	defaultAccountsPerUser = 2
	defaultPassword        = "demo"
)

// firstGeneratedUser is the hostUserId of the first generated user. Written ones are seldom as long.
const firstGeneratedUser = 1_000_001

// generatedUserID returns the hostUserId of a generated user, counted from 1.
func generatedUserID(number int) string { return strconv.Itoa(firstGeneratedUser - 1 + number) }

// gives reports whether a filler, which may be nil, generates a user with this hostUserId.
func (f *filler) gives(hostUserID string) bool {
	if f == nil || len(hostUserID) != len(generatedUserID(1)) {
		return false
	}
	number, err := strconv.Atoi(hostUserID)
	return err == nil && number >= firstGeneratedUser && number < firstGeneratedUser+f.Users
}

// replacing returns the usernames, by hostUserId, of the users that are written in place of generated ones.
func (i institution) replacing() map[string]string {
	written := map[string]string{}
	for _, u := range i.Users {
		if i.Generate.gives(u.HostUserID) {
			written[u.HostUserID] = u.Username
		}
	}
	return written
}

// filling is what a scenario generates in an institution.
type filling struct {
	filler
	replaced map[string]string // see replacing
}

// Generates reports whether the scenario generates the user with a hostUserId.
func (s *Scenario) Generates(institutionID, hostUserID string) bool {
	g := s.generated[institutionID]
	_, isReplaced := g.replaced[hostUserID]
	return !isReplaced && g.gives(hostUserID)
}

// Generated returns how many users the scenario generates.
func (s *Scenario) Generated() int {
	sum := 0
	for _, g := range s.generated {
		sum += g.Users - len(g.replaced)
	}
	return sum
}

func (f *filler) accountsPerUser() int { return orDefault(f.AccountsPerUser, defaultAccountsPerUser) }

// rows returns how many rows a filler generates.
func (f *filler) rows() int { return f.Users*(1+f.accountsPerUser()) + f.Groups }

// bytes returns how much memory there must be for the rows of a filler.
func (f *filler) bytes() int64 {
	return int64(f.rows()-f.Groups)*bytesOfRow + int64(f.Groups)*bytesOfGroup
}

// accountKinds end the accountIds of a generated user, in this order; further accounts end with a number.
var accountKinds = []string{"checking", "savings", "credit", "mortgage", "auto-loan"}

// filler checks a generate block.
func (c *checker) filler(at *yaml.Node, f filler) {
	if valueOf(at, "users") == nil && valueOf(at, "groups") == nil {
		c.add(at, "generate without users and groups generates nothing: add one of them, or remove generate")
	}
	if f.Disclosures != nil {
		c.shares(lookup(at, "disclosures"), *f.Disclosures)
	}
	c.amount(at, f)
	if limit := c.behavior.Groups.NameLimit; f.Groups > 0 && limit < longestGroupName {
		c.add(lookup(at, "groups"),
			"generated group names have up to %d characters, more than %d: raise behavior.groups.nameLimit, or write the groups",
			longestGroupName, limit)
	}
}

// amount checks that the rows to generate are not too many. Only the first filler that is too much is reported.
func (c *checker) amount(at *yaml.Node, f filler) {
	if c.excessive {
		return
	}
	c.generated += f.rows()
	c.bytes += f.bytes()
	memory := debug.SetMemoryLimit(-1)
	switch {
	case c.generated > maxGenerated:
		c.add(at,
			"generate makes %d users, accounts and groups, in all institutions up to here, more than %d: lower users, accountsPerUser "+
				"or groups",
			c.generated, maxGenerated)
	case c.bytes > memory && !c.builtIn: // what is built in is small
		c.add(at,
			"generate makes %d users, accounts and groups, in all institutions up to here, more than the %d for which "+
				"the process has memory: give the process more memory (GOMEMLIMIT, or the container's limit), or ask "+
				"for fewer",
			c.generated, int64(float64(c.generated)*(float64(memory)/float64(c.bytes))))
	default:
		return
	}
	c.excessive = true
}

// shares checks that the shares of a mix add up to 1, unless something in it is wrong in itself, which is already reported.
func (c *checker) shares(at *yaml.Node, m disclosureMix) {
	sum := float64(m.Accepted + m.NotAccepted + m.None)
	if !c.isWrong(at) && math.Abs(1-sum) > 1e-9 {
		c.add(at, "the shares accepted, notAccepted and none add up to %s, not to 1: change one of them by %s",
			decimal(sum), decimal(1-sum))
	}
}

// decimal formats a small number without binary rounding errors.
func decimal(f float64) string { return strconv.FormatFloat(math.Round(f*1e9)/1e9, 'f', -1, 64) }

// generate adds the generated rows of all institutions. It runs after all written rows are added, so that the random ids
// of those don't depend on it.
func (s *settler) generate(d document) {
	for _, i := range d.Institutions {
		if i.Generate != nil {
			f := *i.Generate.pinned(d, s.start)
			hash := fnv.New64a()
			_, _ = hash.Write([]byte("generate " + i.InstitutionID))
			m := maker{s, i, f, f.Start.or(s.start), rand.New(rand.NewPCG(*f.Seed, hash.Sum64()))}
			m.users()
			m.groups()
		}
	}
}

// maker generates the rows of one institution. They depend only on the scenario's seed, the institution's id and the
// filler.
type maker struct {
	*settler
	institution institution
	filler      filler
	end         time.Time // of the year in which what is generated happened
	random      *rand.Rand
}

// users generates the users and their accounts. Shares are exact, up to rounding to whole rows.
func (m maker) users() {
	f, perUser := m.filler, m.filler.accountsPerUser()
	mix := orDefault(f.Disclosures, disclosureMix{Accepted: 1})
	shares := []share{mix.Accepted, mix.NotAccepted, mix.None}
	inactive := m.deal(f.Users, f.InactiveUsers, 1-f.InactiveUsers)
	answers := m.deal(f.Users, shares...)
	accountAnswers := m.deal(f.Users*perUser, shares...)
	electronic := m.deal(f.Users*perUser, f.ElectronicStatements, 1-f.ElectronicStatements)
	owners := map[string]string{} // of the usernames that are written
	for _, u := range m.institution.Users {
		owners[u.Username] = u.HostUserID
	}
	lists := nameLists()
	username := m.names(lists[0], lists[1], ".", "") // avery.morgan, avery.morgan2
	password := cmp.Or(f.Password, defaultPassword)
	for n := range f.Users {
		id := generatedUserID(n + 1)
		name := username()
		for owners[name] != "" && owners[name] != id {
			name = username()
		}
		u := sim.User{
			InstitutionID: m.institution.InstitutionID,
			HostUserID:    id,
			Username:      name,
			Password:      password,
			Active:        inactive[n] != 0,
			Disclosures:   m.disclosure(answers[n], false),
		}
		// One that is written is drawn all the same, so that the others are what they are without it.
		_, isWritten := m.world.User(m.institution.InstitutionID, id)
		if !isWritten {
			m.add(m.world.AddUser(u))
		}
		for k := range perUser {
			account := n*perUser + k
			activated, kind := electronic[account] == 0, strconv.Itoa(k+1)
			if k < len(accountKinds) {
				kind = accountKinds[k]
			}
			a := sim.Account{
				InstitutionID:      m.institution.InstitutionID,
				HostUserID:         id,
				AccountID:          "acc-" + id + "-" + kind,
				ActivateEstatement: activated,
				Disclosures:        m.disclosure(accountAnswers[account], activated),
			}
			if !isWritten {
				m.add(m.world.AddAccount(a))
			}
		}
	}
}

// disclosure returns the disclosures of a user or an account, given the index of its share in a disclosureMix.
func (m maker) disclosure(answer uint8, paperWaiver bool) []sim.Disclosure {
	status := sim.Accepted
	switch answer {
	case 1:
		status = sim.NotAccepted
	case 2:
		return nil
	}
	return []sim.Disclosure{{Name: "OLS", Status: status, StatusUpdate: m.earlier(), PaperWaiver: paperWaiver}}
}

func (m maker) groups() {
	taken := map[string]bool{}
	for _, g := range m.institution.Groups {
		if g.Status != sim.GroupStatusDeleted {
			taken[g.Name] = true
		}
	}
	lists := nameLists()
	next := m.names(lists[2], lists[3], " ", " ") // Coastal savers, Coastal savers 2
	for range m.filler.Groups {
		name := next()
		for taken[name] {
			name = next()
		}
		m.add(m.world.AddGroup(m.world.Policies().Document, &sim.Group{
			InstitutionID:    m.institution.InstitutionID,
			Name:             name,
			LastUpdated:      m.earlier(),
			ParticipantCount: int(math.Exp(m.random.Float64() * math.Log(5000))), // most are small
		}))
	}
}

// earlier returns a random moment in the year before the clock's start.
func (m maker) earlier() time.Time {
	const year = 365 * 24 * 60 * 60
	return m.end.Add(-time.Duration(1+m.random.IntN(year)) * time.Second)
}

// deal assigns each of n rows to one of the shares, by index. Each share gets its exact number of rows, rounded, in
// random order. The shares add up to 1.
func (m maker) deal(n int, shares ...share) []uint8 {
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
	m.random.Shuffle(n, func(i, j int) { dealt[i], dealt[j] = dealt[j], dealt[i] })
	return dealt
}

// stride is the distance, in the list of all pairs, between consecutive names: a prime, so that every pair occurs.
const stride = 7919

// names returns a function that makes unique names from two lists: every pair once, in a scattered order, then every pair with the
// number 2, and so on.
func (m maker) names(first, second []string, between, beforeNumber string) func() string {
	pairs := len(first) * len(second)
	offset, made := m.random.IntN(pairs), 0
	return func() string {
		pair, round := (offset+made%pairs*stride)%pairs, made/pairs
		made++
		name := first[pair%len(first)] + between + second[pair/len(first)]
		if round > 0 {
			name += beforeNumber + strconv.Itoa(round+1)
		}
		return name
	}
}

// longestGroupName is how many characters a generated group name has at most: that of a list's longest words, and a
// number of up to four digits.
const longestGroupName = 30

// namesSource has first names, last names, and adjectives and nouns of groups, each on a line.
//
//go:embed names.txt
var namesSource string

// nameLists returns the lists in namesSource.
func nameLists() (lists [4][]string) {
	for i, line := range strings.Split(strings.TrimSpace(namesSource), "\n") {
		lists[i] = strings.Split(line, ", ")
	}
	return lists
}
