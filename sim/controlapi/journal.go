package controlapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// The size of a page, in exchanges (choice).
const (
	defaultPage = 100
	maxPage     = 1000
)

// verifyTimeout is how long the journal is compared with an expectation at most (choice).
const verifyTimeout = 5 * time.Second

// getJournal answers with a [journal.Page]. It refuses (400) an operation that there is not, and a status that it can't
// answer with.
func (a control) getJournal(w http.ResponseWriter, r *http.Request, sb bank) error {
	query := r.URL.Query()
	q := filters(query)
	q.Newest, q.Limit = !query.Has("after"), number(query, "limit", defaultPage)
	if !q.Newest {
		var err error
		if q.After, err = exchangeNumber("after", query.Get("after")); err != nil {
			return err
		}
	}
	if err := sb.now.Journal.CheckQuery(q, journalBank(sb.now)); err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	found := sb.now.Journal.Select(q)
	if query.Get("format") == "text" {
		return replyJournalText(w, found)
	}
	return replyLarge(w, func(s wire.Stream) {
		s.Text(`{"exchanges":`)
		wire.Array(s, found.Exchanges(), func(x journal.Exchange) { s.Value(x) })
		s.Text(`,"evicted":` + strconv.FormatUint(found.Evicted, 10) + `,"cleared":` + strconv.FormatUint(found.Cleared, 10) + `,"next":`)
		s.Value(found.Next)
		s.Text("}")
	})
}

// replyJournalText answers with a few lines for each exchange, and says how many are left out before them.
func replyJournalText(w http.ResponseWriter, found journal.Selection) error {
	return replyLargeAs(w, plainText, func(s wire.Stream) {
		written := 0
		for x := range found.Exchanges() {
			if n, _ := journal.ParseID(x.ID); written == 0 && n > 1 {
				s.Text(fmt.Sprintf("(%d earlier exchanges are left out)\n", n-1))
			}
			s.Text(x.Text())
			written++
		}
		switch {
		case written == 0 && found.Cleared > 0:
			s.Text(fmt.Sprintf("no request since the journal was cleared of %d\n", found.Cleared))
		case written == 0:
			s.Text("no request\n")
		}
	})
}

// filters returns the query of what Route.filters has.
func filters(values url.Values) journal.Query {
	return journal.Query{
		Operation: values.Get("operation"), Dialect: values.Get("dialect"), Status: number(values, "status", 0),
		Outcome: values.Get("outcome"), Text: values.Get("text"),
	}
}

// exchangeNumber parses the id of an exchange, or 0, which precedes them all.
func exchangeNumber(name, id string) (uint64, error) {
	n, ok := journal.ParseID(id)
	if !ok && id != "0" {
		return 0, refuse(http.StatusBadRequest, "%s must be the id of an exchange, or 0", name)
	}
	return n, nil
}

// clearJournal removes all exchanges, and the worlds around them.
func (a control) clearJournal(w http.ResponseWriter, r *http.Request, sb bank) error {
	return done(w, sb.ClearJournal(r.Context()))
}

func (a control) getExchange(w http.ResponseWriter, r *http.Request, sb bank) error {
	id := r.PathValue("exchange")
	exchange, ok := sb.now.Journal.Get(id)
	if !ok {
		return unknownExchange(id)
	}
	return reply(w, exchange)
}

// unknownExchange refuses (404) an exchange that the journal doesn't hold.
func unknownExchange(id string) *api.Problem {
	return refuse(http.StatusNotFound, "the journal holds no exchange %s: it may have been evicted, cleared or reset", phrase.Quote(id))
}

func (a control) getHAR(w http.ResponseWriter, r *http.Request, sb bank) error {
	all := sb.now.Journal.Select(journal.Query{}).Exchanges()
	w.Header().Set("Content-Disposition", `attachment; filename="`+sb.Name()+`.har"`) // a name needs no escapes
	return replyLarge(w, func(s wire.Stream) { journal.WriteHAR(s, all, a.Version) })
}

// verify refuses an expectation that contradicts itself, or that no request can fulfil (400), one whose verdict evicted
// exchanges could change (409), and one whose comparison takes too long (503).
func (a control) verify(w http.ResponseWriter, r *http.Request, sb bank) error {
	var expected expectations
	data, err := readBody(r)
	if err != nil {
		return err
	}
	var given map[string]any
	if len(bytes.TrimSpace(data)) > 0 {
		if given, err = unmarshalGiven(data, &expected); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if value := given[name]; value == nil || value == "" || name == "status" && value == 0.0 {
			return refuse(http.StatusBadRequest, "%s can't be %s: give it a value, or leave it out",
				name, wire.MustEncode(value))
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), verifyTimeout)
	defer cancel()
	verdict, err := expected.verify(ctx, sb.now)
	switch {
	case errors.Is(err, journal.ErrEvicted):
		return err
	case ctx.Err() != nil:
		return refuse(http.StatusServiceUnavailable, "the journal could not be compared within %s: name the operation, simplify "+
			"the regular expressions, or clear the journal before what is verified", verifyTimeout)
	case err != nil:
		return refuse(http.StatusBadRequest, "%v", err)
	}
	return reply(w, verdict)
}

// expectations are one expectation, or several that have to be fulfilled in their order.
type expectations struct {
	journal.Expectation
	After   string                `json:"after,omitempty" doc:"Only exchanges after the one with this id. Default: all."`
	InOrder []journal.Expectation `json:"inOrder,omitempty" doc:"In place of all other members but after: requests that came in this order."`
}

func (e expectations) verify(ctx context.Context, v sandbox.View) (journal.Verdict, error) {
	bank := journalBank(v)
	after := uint64(0)
	if e.After != "" {
		var err error
		if after, err = exchangeNumber("after", e.After); err != nil {
			return journal.Verdict{}, err
		}
	}
	if e.InOrder == nil {
		if err := v.Journal.CheckPossible(e.Expectation, bank); err != nil {
			return journal.Verdict{}, err
		}
		return v.Journal.Verify(ctx, e.Expectation, after)
	}
	if !reflect.ValueOf(e.Expectation).IsZero() {
		return journal.Verdict{}, errors.New("inOrder goes with no other member but after: its expectations have them")
	}
	for i, expected := range e.InOrder {
		if err := v.Journal.CheckPossible(expected, bank); err != nil {
			return journal.Verdict{}, fmt.Errorf("inOrder[%d]: %w", i, err)
		}
	}
	return v.Journal.VerifyInOrder(ctx, e.InOrder, after)
}

// journalBank returns what the journal's checks have to know of a bank.
func journalBank(now sandbox.View) journal.Bank {
	bank := journal.Bank{Injects: now.CanInject, HasStub: now.Faults.HasStub, ValuesOf: valuesIn(now.World)}
	if forced := now.World.Behavior().ForcedDialect; forced != sim.DialectByPath {
		bank.Dialect = string(forced)
	}
	return bank
}

// valuesIn returns the alert types of a world, for the member and the parameter that have alert types. They are the
// types of the institutions, and the types in the preferences of the first users.
func valuesIn(w *sim.World) func(name string) []string {
	const maxUsers = 1000
	return func(name string) (types []string) {
		if name != "alertTypeName" && name != "alertTypes" {
			return nil
		}
		users := 0
		for i := range w.Institutions() {
			types = append(types, i.AlertTypeNames()...)
			for u := range w.Users(i.InstitutionID) {
				if users++; users > maxUsers {
					return types
				}
				for p := range w.AlertPreferences(u.InstitutionID, u.HostUserID) {
					if d := p.Details; d != nil && d.AlertTypeName != nil {
						types = append(types, *d.AlertTypeName)
					}
				}
			}
		}
		return types
	}
}

// explained is an exchange, why it was answered as it was, and the rows that it has changed.
type explained struct {
	explanation.Explanation
	Changes []api.Change `json:"changes" doc:"The rows that differ after it; null: it came before this process."`
}

func (a control) explain(w http.ResponseWriter, r *http.Request, sb bank) error {
	id := r.PathValue("exchange")
	now := sb.now
	step, at, _ := now.Journal.Step(id)
	exchange, ok := now.Journal.Get(id)
	if !ok {
		return unknownExchange(id)
	}
	why := explanation.New(exchange, now.World.Policies(),
		explanation.Past{World: cmp.Or(step.Before, now.World), Journal: now.Journal, Began: sb.BeganAt(sb.now)})
	if r.URL.Query().Get("format") == "text" {
		return writeBody(w, http.StatusOK, plainText, []byte(why.Text()))
	}
	return replyLarge(w, func(s wire.Stream) {
		s.Open(why)
		s.Text(`,"changes":`)
		switch {
		case !step.Changed:
			s.Text("[]")
		case step.Before == nil:
			s.Text("null")
		default:
			wire.Array(s, step.After.Diff(at, step.Before, at), func(c sim.Change) { s.Value(newChangedRow(c)) })
		}
		s.Text("}")
	})
}
