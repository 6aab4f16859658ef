package journal

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// MaxText is how long the text of a query may be, in characters (choice).
const MaxText = 200

// Query says which exchanges of a journal are asked for. The zero query asks for all that it holds.
type Query struct {
	Operation string // a name, or the beginning of names and "*", or "" for any
	Dialect   string // document or public, or "" for any
	Status    int    // 0 means any
	Outcome   string // one of Outcomes, or "" for any
	Text      string // words that it must have, in upper or lower case: see newSearch and find; or "" for any
	After     uint64 // the query takes only exchanges with a larger number
	Limit     int    // the maximum number of exchanges, or 0 for no limit
	Newest    bool   // with a limit, the query takes the last matches instead of the first
}

// Check returns an error if no exchange can match the query, whatever the journal holds. Its operation, its outcome or
// the status in its text is unknown, or the text is too long.
func (q Query) Check() error {
	_, err := q.check()
	return err
}

// check is Check, and returns the requests that are asked for.
func (q Query) check() (*asked, error) {
	if q.Outcome != "" && !slices.Contains(Outcomes, q.Outcome) {
		return nil, fmt.Errorf(
			"unknown outcome %s%s", wording.Quote(q.Outcome),
			wording.DidYouMean(q.Outcome, Outcomes, "the outcomes are"),
		)
	}
	if utf8.RuneCountInString(q.Text) > MaxText {
		return nil, fmt.Errorf("text must have at most %d characters", MaxText)
	}
	if err := newSearch(q.Text).mistake; err != nil {
		return nil, err
	}
	return askedFor(q.Operation, q.Dialect, func(name string) bool { return contract.Matches(q.Operation, name) })
}

// matches reports whether the query asks for an exchange, and where the words of its text were found. s is its text.
func (q Query) matches(x *Exchange, s search) (places []string, ok bool) {
	ok = contract.Matches(q.Operation, x.Operation) &&
		(q.Dialect == "" || q.Dialect == x.Dialect) && (q.Status == 0 || q.Status == x.Response.Status) &&
		(q.Outcome == "" || q.Outcome == x.Decision.Outcome)
	for _, has := range s.statuses {
		ok = ok && has(x.Response.Status)
	}
	if !ok || len(s.words) == 0 {
		return nil, ok
	}
	return x.find(s.words)
}

// search is what the text of a query says.
type search struct {
	words    []string         // the words in lower case; an exchange must have them all
	statuses []func(int) bool // conditions for the status
	mistake  error            // the mistake in a word about the status: then nothing is found
}

// newSearch reads the words of a text. A word that begins with "status:" is about the status.
func newSearch(text string) (s search) {
	for _, word := range strings.Fields(lower(text)) {
		form, isStatus := strings.CutPrefix(word, statusPrefix)
		if !isStatus {
			s.words = append(s.words, word)
			continue
		}
		has := newStatus(form)
		if has == nil {
			s.mistake = fmt.Errorf("text has %s, which is no status: write status:404, status:401,403, status:4xx, "+
				"status:>=400 (also >, < and <=), or status:lost for an answer that a fault lost", wording.Quote(word))
			has = func(int) bool { return false }
		}
		s.statuses = append(s.statuses, has)
	}
	return s
}

const (
	statusPrefix = "status:"
	statusLost   = "lost" // the word for 0
)

var (
	statusClass = regexp.MustCompile("^[1-5]xx$")
	statusBound = regexp.MustCompile("^[<>]=?[1-5][0-9]{2}$")
	statusList  = regexp.MustCompile("^[1-5][0-9]{2}(,[1-5][0-9]{2})*$")
)

// newStatus returns the condition that a form such as 4xx, >=400 or 401,403 stands for, or nil for an unknown form. A
// lost answer fulfils only the form lost.
func newStatus(form string) func(status int) bool {
	switch number, _ := strconv.Atoi(strings.TrimLeft(form, "<>=")); {
	case form == statusLost:
		return func(status int) bool { return status == 0 }
	case statusClass.MatchString(form):
		return func(status int) bool { return status/100 == int(form[0]-'0') }
	case statusBound.MatchString(form):
		above, orEqual := form[0] == '>', form[1] == '='
		return func(status int) bool {
			return status > 0 && (orEqual && status == number || status != number && status > number == above)
		}
	case statusList.MatchString(form):
		return func(status int) bool { return slices.Contains(strings.Split(form, ","), strconv.Itoa(status)) }
	}
	return nil
}

// find returns the first places where words in lower case occur in an exchange, and whether all do.
func (x *Exchange) find(words []string) (places []string, all bool) {
	left := slices.Clone(words)
	look := func(place string, texts ...string) {
		for i := 0; i < len(texts) && len(left) > 0; i++ {
			text := lower(texts[i])
			before := len(left)
			left = slices.DeleteFunc(left, func(word string) bool { return strings.Contains(text, word) })
			if len(left) < before && !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	}
	look("method", x.Request.Method)
	look("status", strconv.Itoa(x.Response.Status))
	look("path", x.Request.Path)
	look("query", string(x.Request.Query))
	for name, values := range x.Request.Query.Values() {
		look("query", append(values, name)...)
	}
	look("operation", x.Operation)
	look("user", x.User)
	look("decision", x.Decision.Outcome, x.Decision.Rule, x.Decision.Message, x.Decision.Row)
	if x.Fault != nil {
		look("fault", x.Fault.Fired...)
	}
	for _, l := range x.withReused().Lints {
		look("lint", l.Code, l.Message)
	}
	message := func(which string, headers Header, body string) {
		for name, value := range headers.All() {
			look(which+" header "+name, name, value)
		}
		look(which+" body", body)
	}
	message("request", x.Request.Headers, x.Request.Body)
	message("response", x.Response.Headers, x.Response.Body)
	return places, len(left) == 0
}

// lower returns a text as the journal shows it, in lower case.
func lower(text string) string { return strings.ToLower(valid(text)) }
