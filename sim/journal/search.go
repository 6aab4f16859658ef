package journal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// MaxText is how long the text of a search may be, in characters (choice).
const MaxText = 200

// Search says what an exchange must be like. The zero Search asks for nothing.
type Search struct {
	words      []string               // in lower case; an exchange must have them all somewhere
	conditions []func(*Exchange) bool // that must all hold
}

// searchKey is the part of a word before its colon.
type searchKey struct {
	name string
	read func(value string) (func(*Exchange) bool, error) // returns the condition that a value stands for
}

// searchKeys are all keys, in the order of messages.
var searchKeys = []searchKey{
	{"status", readStatus},
	{"user", equal(func(x *Exchange) string { return x.User })},
	{"method", equal(func(x *Exchange) string { return x.Request.Method })},
	{"operation", readOperation},
	{"code", equal(func(x *Exchange) string { return contract.ErrorCode([]byte(x.Response.Body)) })},
	{"fault", readFault},
	{"path", readPath},
	{"outcome", readOutcome},
	{"dialect", readDialect},
}

func keyNames() (names []string) {
	for _, k := range searchKeys {
		names = append(names, k.name+":")
	}
	return names
}

// searchWord is a word of a search: a text in quotes or without spaces, maybe after a key.
var searchWord = lazy.Regexp(`(?:([A-Za-z]+):)?(?:"([^"]*)"|([^\s\p{Z}]*))`)

// ParseSearch reads a search: words that an exchange must have in what the journal shows of it, in upper or lower case,
// and conditions such as status:4xx. Quotes keep spaces and colons in a word. It fails where no exchange can match.
func ParseSearch(text string) (s Search, err error) {
	if utf8.RuneCountInString(text) > MaxText {
		return s, fmt.Errorf("a search must have at most %d characters", MaxText)
	}
	if strings.Count(text, `"`)%2 > 0 {
		return s, errors.New("a quote of the search isn't closed")
	}
	for _, found := range searchWord().FindAllStringSubmatch(text, -1) {
		key, value := strings.ToLower(found[1]), found[2]+found[3]
		if key == "" && value != "" {
			s.words = append(s.words, lower(value))
		}
		if key == "" {
			continue
		}
		i := slices.IndexFunc(searchKeys, func(k searchKey) bool { return k.name == key })
		if i < 0 {
			meant := wording.DidYouMean(key+":", keyNames(), "the keys are")
			return s, fmt.Errorf("unknown key %s%s; write \"%s\" in quotes to look for the text",
				wording.Quote(key+":"), meant, wording.Shorten(found[0]))
		}
		if value == "" {
			return s, fmt.Errorf("%s has no value after it", wording.Quote(key+":"))
		}
		holds, err := searchKeys[i].read(value)
		if err != nil {
			return s, err
		}
		s.conditions = append(s.conditions, holds)
	}
	return s, nil
}

// matches reports whether a search asks for an exchange, and where its words were found.
func (s Search) matches(x *Exchange) (places []string, ok bool) {
	for _, holds := range s.conditions {
		if !holds(x) {
			return nil, false
		}
	}
	if len(s.words) == 0 {
		return nil, true
	}
	return x.find(s.words)
}

// equal is for a key whose value is the whole text, in upper or lower case.
func equal(text func(*Exchange) string) func(string) (func(*Exchange) bool, error) {
	return func(value string) (func(*Exchange) bool, error) {
		return func(x *Exchange) bool { return strings.EqualFold(text(x), value) }, nil
	}
}

func readPath(value string) (func(*Exchange) bool, error) {
	part := lower(value)
	return func(x *Exchange) bool { return strings.Contains(lower(x.Request.Path), part) }, nil
}

func readFault(value string) (func(*Exchange) bool, error) {
	return func(x *Exchange) bool {
		return x.Fault != nil && slices.ContainsFunc(x.Fault.Fired, func(name string) bool {
			return strings.EqualFold(name, value)
		})
	}, nil
}

func readOperation(pattern string) (func(*Exchange) bool, error) {
	_, err := askedFor(pattern, "", func(name string) bool { return contract.Matches(pattern, name) })
	return func(x *Exchange) bool { return contract.Matches(pattern, x.Operation) }, err
}

func readDialect(dialect string) (func(*Exchange) bool, error) {
	return func(x *Exchange) bool { return x.Dialect == dialect }, checkDialect(dialect)
}

func readOutcome(outcome string) (func(*Exchange) bool, error) {
	if !slices.Contains(Outcomes, outcome) {
		return nil, fmt.Errorf("unknown outcome %s%s", wording.Quote(outcome),
			wording.DidYouMean(outcome, Outcomes, "the outcomes are"))
	}
	return func(x *Exchange) bool { return x.Decision.Outcome == outcome }, nil
}

const statusLost = "lost" // the word for 0

var (
	statusClass = lazy.Regexp("^[1-5]xx$")
	statusBound = lazy.Regexp("^[<>]=?[1-5][0-9]{2}$")
	statusList  = lazy.Regexp("^[1-5][0-9]{2}(,[1-5][0-9]{2})*$")
)

// readStatus returns the condition that a form such as 4xx, >=400 or 401,403 stands for. A lost answer fulfils only the
// form lost.
func readStatus(value string) (func(*Exchange) bool, error) {
	has := newStatus(strings.ToLower(value))
	if has == nil {
		return nil, fmt.Errorf("%s is no status: write status:404, status:401,403, status:4xx, status:>=400 (also >, < "+
			"and <=), or status:lost for an answer that a fault lost", wording.Quote("status:"+value))
	}
	return func(x *Exchange) bool { return has(x.Response.Status) }, nil
}

// newStatus returns nil for an unknown form.
func newStatus(form string) func(status int) bool {
	switch number, _ := strconv.Atoi(strings.TrimLeft(form, "<>=")); {
	case form == statusLost:
		return func(status int) bool { return status == 0 }
	case statusClass().MatchString(form):
		return func(status int) bool { return status/100 == int(form[0]-'0') }
	case statusBound().MatchString(form):
		above, orEqual := form[0] == '>', form[1] == '='
		return func(status int) bool {
			return status > 0 && (orEqual && status == number || status != number && status > number == above)
		}
	case statusList().MatchString(form):
		return func(status int) bool { return slices.Contains(strings.Split(form, ","), strconv.Itoa(status)) }
	}
	return nil
}
