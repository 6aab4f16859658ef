package journal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
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
	p := &possible{dialect: q.Dialect}
	return p.operation(q.Operation, func(name string) bool { return contract.Matches(q.Operation, name) })
}

// All reports whether the query asks for every exchange after a number.
func (q Query) All() bool { return q == Query{After: q.After} }

// matcher finds the entries that a query asks for. It is not for several goroutines.
type matcher struct {
	Query
	text  []byte // of the query, in lower case
	lower []byte // room for a text in lower case
}

func (q Query) matcher() *matcher { return &matcher{Query: q, text: lower(nil, q.Text)} }

func (m *matcher) matches(e *entry) bool {
	return contract.Matches(m.Operation, e.reason.operation) && (m.Dialect == "" || m.Dialect == e.reason.dialect) && (m.Status == 0 || m.Status == int(e.status)) &&
		(m.Outcome == "" || m.Outcome == e.reason.decision.Outcome) && (m.Text == "" || m.inEntry(e))
}

// inEntry reports whether the text is in one of the texts of an entry that are searched.
func (m *matcher) inEntry(e *entry) bool {
	decision := &e.reason.decision
	return in(m, e.text(methodText)) || in(m, e.text(pathText)) || in(m, e.reason.operation) ||
		in(m, decision.Rule) || in(m, decision.Message) || in(m, decision.Row) ||
		m.inQuery(e) || m.inFields(e.requestFields()) || m.inFields(e.responseFields()) ||
		in(m, e.request.text) || in(m, e.response.text) ||
		e.fault() != nil && slices.ContainsFunc(e.fault().Fired, func(name string) bool { return in(m, name) })
}

// inFields reports whether the text is in the name or the value of one of the headers.
func (m *matcher) inFields(f fields) bool {
	for f.next() {
		if in(m, f.name) || in(m, f.value) {
			return true
		}
	}
	return false
}

// inQuery reports whether the text is in the query of a request: as it was sent, or unescaped.
func (m *matcher) inQuery(e *entry) bool {
	query := e.text(queryText)
	if in(m, query) {
		return true
	}
	if !strings.ContainsAny(query, "%+") {
		return false
	}
	for name, values := range e.queryValues() {
		if in(m, name) || slices.ContainsFunc(values, func(value string) bool { return in(m, value) }) {
			return true
		}
	}
	return false
}

func in[T string | []byte](m *matcher, text T) bool {
	m.lower = lower(m.lower[:0], text)
	return bytes.Contains(m.lower, m.text)
}

// lower appends a text in lower case, and as [valid] makes it.
func lower[T string | []byte](to []byte, text T) []byte {
	invalid := false // whether the byte before is part of no character
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			invalid = false
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			to = append(to, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
		was := invalid
		if invalid = r == utf8.RuneError && size == 1; !invalid || !was {
			to = utf8.AppendRune(to, unicode.ToLower(r))
		}
		i += size
	}
	return to
}
