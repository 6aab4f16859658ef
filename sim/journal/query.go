package journal

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// MaxText is how long the text of a query may be, in characters (choice).
const MaxText = 200

// Query says which exchanges of a journal are asked for. The zero query asks for all that it holds.
type Query struct {
	Operation string // a name, or the beginning of names and "*"; empty: any
	Dialect   string // document or public; empty: any
	Status    int    // 0: any
	Outcome   string // one of Outcomes; empty: any
	Text      string // see Check; empty: any
	After     uint64 // only those with a larger number
	Limit     int    // how many at most; 0: no limit
	Newest    bool   // with a limit: the last that match, rather than the first
}

// Check returns an error if no exchange can match the query, whatever the journal holds: its operation or its outcome is
// unknown, or its text is too long. The text is looked for, in upper or lower case, in the method, path, query, bodies and
// headers as the journal shows them, in the operation, in the decision's rule, message and row, and in the
// names of the faults that fired.
func (q Query) Check() error {
	if q.Outcome != "" && !slices.Contains(Outcomes, q.Outcome) {
		return fmt.Errorf("unknown outcome %s%s", phrase.Quote(q.Outcome), phrase.DidYouMean(q.Outcome, Outcomes, "the outcomes are"))
	}
	if utf8.RuneCountInString(q.Text) > MaxText {
		return fmt.Errorf("text must have at most %d characters", MaxText)
	}
	_, err := askedFor(q.Operation, q.Dialect, func(name string) bool { return contract.Matches(q.Operation, name) })
	return err
}

// matches reports whether the query asks for an entry.
func (q Query) matches(e *entry) bool {
	return contract.Matches(q.Operation, e.Operation) &&
		(q.Dialect == "" || q.Dialect == e.Dialect) && (q.Status == 0 || q.Status == e.Status) &&
		(q.Outcome == "" || q.Outcome == e.Decision.Outcome) && (q.Text == "" || e.contains(lower(q.Text)))
}

// contains reports whether a text in lower case is in one of the texts of an entry that are searched.
func (e *entry) contains(text string) bool {
	in := func(searched string) bool { return strings.Contains(lower(searched), text) }
	return slices.ContainsFunc([]string{e.Method, e.Path, e.RawQuery, e.Operation, e.Decision.Rule, e.Decision.Message, e.Decision.Row},
		in) ||
		e.requestFields.have(in) || e.responseFields.have(in) || e.inQuery(in) ||
		in(string(e.RequestBody)) || in(string(e.ResponseBody)) || e.Fault != nil && slices.ContainsFunc(e.Fault.Fired, in)
}

// have reports whether a name or a value fulfils a condition.
func (f fields) have(in func(string) bool) bool {
	for name, value := range f.all {
		if in(name) || in(value) {
			return true
		}
	}
	return false
}

// inQuery reports whether a name or a value of the query, unescaped, fulfils a condition.
func (e *entry) inQuery(in func(string) bool) bool {
	for name, values := range parsePairs(e.RawQuery) {
		if in(name) || slices.ContainsFunc(values, in) {
			return true
		}
	}
	return false
}

// lower returns a text as the journal shows it, in lower case.
func lower(text string) string { return strings.ToLower(valid(text)) }
