package scenario

import (
	"fmt"
	"math/rand/v2"

	"github.com/digitalbanking-sim/banksim/sim"
)

// names generates unique names from two lists: every pair once, in a scattered order, then every pair with the number
// 2, and so on. It skips names that are taken.
type names struct {
	first, second []string
	format        string // of a pair
	numbered      string // of a pair and a number from 2 on
	taken         map[string]bool
	offset, made  int
}

// stride is the distance, in the list of all pairs, between consecutive names: a prime, so that every pair occurs.
const stride = 7919

func newNames(random *rand.Rand, first, second []string, format, numbered string, taken map[string]bool) *names {
	return &names{first, second, format, numbered, taken, random.IntN(len(first) * len(second)), 0}
}

func (n *names) next() string {
	for {
		pairs := len(n.first) * len(n.second)
		pair, round := (n.offset+n.made%pairs*stride)%pairs, n.made/pairs
		n.made++
		a, b := n.first[pair%len(n.first)], n.second[pair/len(n.first)]
		var name string
		if round == 0 {
			name = fmt.Sprintf(n.format, a, b)
		} else {
			name = fmt.Sprintf(n.numbered, a, b, round+1)
		}
		if !n.taken[name] {
			return name
		}
	}
}

// newUsernames returns the usernames of an institution's generated users: avery.morgan, avery.morgan2.
func (m maker) newUsernames() *names {
	taken := map[string]bool{}
	for _, u := range m.institution.Users {
		if !m.filler.gives(u.HostUserID) {
			taken[u.Username] = true
		}
	}
	return newNames(m.random, firstNames, lastNames, "%s.%s", "%s.%s%d", taken)
}

// newGroupNames returns the names of an institution's generated groups: Coastal savers, Coastal savers 2. They have
// up to longestGroupName characters.
func (m maker) newGroupNames() *names {
	taken := map[string]bool{}
	for _, g := range m.institution.Groups {
		if g.Status != sim.GroupStatusDeleted {
			taken[g.Name] = true
		}
	}
	return newNames(m.random, groupAdjectives, groupNouns, "%s %s", "%s %s %d", taken)
}

// longestGroupName is how many characters a generated group name has at most: that of a list's longest words, and a
// number of up to four digits.
const longestGroupName = 30

var firstNames = []string{
	"ada", "adrian", "aisha", "alex", "amara", "amir", "ana", "anders", "anika", "arjun", "avery", "beatriz", "ben",
	"bianca", "bruno", "camila", "carlos", "casey", "chen", "chloe", "clara", "dana", "daniel", "diego", "dmitri",
	"elena", "eli", "emeka", "emma", "erik", "esther", "fatima", "felix", "finn", "gabriel", "grace", "hana", "hassan",
	"helen", "hugo", "ibrahim", "imani", "ines", "ingrid", "isaac", "ivan", "jada", "jamal", "jin", "jonas", "jordan",
	"julia", "kai", "karim", "keiko", "kofi", "lars", "laila", "leo", "linh", "lucas", "lucia", "luna", "maja", "malik",
	"marco", "maria", "mateo", "maya", "mei", "mia", "mina", "morgan", "nadia", "naomi", "nils", "nina", "noah", "nora",
	"olga", "oliver", "omar", "oscar", "paula", "pedro", "priya", "quinn", "rafael", "ravi", "riley", "rosa", "ruth",
	"sam", "sana", "sara", "sofia", "soren", "tara", "theo", "tomas", "uma", "valeria", "victor", "wei", "yara", "yusuf",
	"zoe",
}

var lastNames = []string{
	"abbott", "acosta", "adeyemi", "ahmed", "alvarez", "andersen", "baker", "banerjee", "barnes", "becker", "bennett",
	"berg", "bianchi", "brooks", "campbell", "carter", "castro", "chavez", "chopra", "cohen", "costa", "cruz", "dahl",
	"davis", "diaz", "dubois", "edwards", "ellis", "eriksson", "evans", "farah", "fischer", "fleming", "fontaine",
	"foster", "garcia", "gibson", "gonzalez", "green", "gupta", "haddad", "hansen", "harris", "hayes", "hoang",
	"hoffman", "hughes", "ibarra", "ito", "ivanova", "jackson", "jensen", "johnson", "kaur", "keller", "khan", "kim",
	"kowalski", "kumar", "larsen", "lee", "lopez", "maier", "marino", "martin", "mbeki", "mendoza", "mitchell", "moore",
	"morgan", "moreau", "murphy", "nakamura", "nelson", "nguyen", "novak", "nwosu", "okafor", "olsen", "ortiz", "osei",
	"park", "patel", "pereira", "perez", "petrov", "phillips", "popov", "ramirez", "rao", "reed", "reyes", "rossi",
	"russo", "said", "santos", "sato", "schmidt", "silva", "singh", "stone", "suzuki", "taylor", "torres", "tran",
	"turner", "vargas", "vega", "wagner", "walker", "weber", "williams", "wong", "wright", "young", "zhang", "ziegler",
}

var groupAdjectives = []string{
	"Active", "Autumn", "Bright", "Careful", "Central", "Coastal", "Digital", "Downtown", "Early", "Eastern",
	"Everyday", "Faithful", "Frequent", "Future", "Global", "Golden", "Growing", "Harbor", "Highland", "Holiday",
	"Invited", "Island", "Lakeside", "Local", "Loyal", "Metro", "Midwest", "Mobile", "Modern", "Mountain", "New",
	"Northern", "Online", "Pacific", "Paperless", "Prime", "Rural", "Seasonal", "Silver", "Southern", "Spring",
	"Summer", "Suburban", "Thrifty", "Traveling", "Valley", "Weekend", "Western", "Winter", "Young",
}

var groupNouns = []string{
	"advisers", "borrowers", "builders", "business owners", "cardholders", "card testers", "commuters", "depositors",
	"explorers", "families", "farmers", "freelancers", "graduates", "homeowners", "households", "investors",
	"landlords", "makers", "members", "newcomers", "parents", "payers", "pensioners", "planners", "renters", "retirees",
	"rewards members", "savers", "shoppers", "spenders", "starters", "students", "teachers", "traders", "travelers",
	"volunteers", "wage earners", "watchers", "workers",
}
