package controlapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// addJournalCalls adds the calls about exchanges.
func (c control) addJournalCalls(a huma.API) {
	addLarge[journal.Page](c, a, inSandbox("GET", "/journal", "getJournal",
		"The exchanges that match, the newest last.").
		answers(plainText, text("A few lines for each exchange.")), withSandbox(c, c.getJournal))
	add(c, a, inSandbox("DELETE", "/journal", "clearJournal", "Remove all exchanges."), withSandbox(c, c.clearJournal))
	addLarge[map[string]any](c, a, inSandbox(
		"GET", "/journal.har", "getHAR",
		"All exchanges as an HTTP archive, HAR 1.2. Members that the format doesn't have begin with _.",
	), withSandbox(c, c.getHAR))
	add(c, a, inSandbox("GET", "/journal/stream", "streamJournal",
		"Exchanges as they happen. Server-sent events: exchange, gap and end.").answers("text/event-stream",
		text("Events. The data of exchange is an Exchange, of gap {missed}, of end {reason}.")),
		withSandbox(c, c.streamJournal))
	add(c, a, inSandbox("POST", "/journal/verify", "verifyJournal",
		"Whether the journal has the expected requests."), withSandbox(c, c.verifyJournal))
	addLarge[journal.Exchange](c, a, inSandbox("GET", "/journal/{exchange}", "getExchange", "An exchange."),
		withSandbox(c, c.getExchange))
	addLarge[explained](c, a, inSandbox("GET", "/journal/{exchange}/why", "explainExchange",
		"Why an exchange was answered so, in words. "+
			"With the exchange, the rows that it has changed, and copies of it to go on with.").
		answers("text/plain", text("The explanation.")),
		withSandbox(c, c.explainExchange))
}

// The size of a page, in exchanges (choice).
const (
	defaultPage = 100
	maxPage     = 1000
)

// JournalFilter is the input of a call about some exchanges.
type JournalFilter struct {
	Operation string      `query:"operation" doc:"The operation of the request, or the beginning of operation names and *."`
	Dialect   dialectName `query:"dialect" doc:"The dialect of the answer."`
	Status    int         `query:"status" minimum:"100" maximum:"599" doc:"The status of the answer."`
	Outcome   outcomeName `query:"outcome" doc:"The outcome of the decision."`
	Text      string      `query:"text" doc:"The exchange has all of these words, in upper or lower case, somewhere in what the journal shows of it. status:4xx, status:>=400, status:401,403 and status:lost are about the status."`
}

// query returns the query that the filter stands for.
func (f JournalFilter) query() journal.Query {
	return journal.Query{
		Operation: f.Operation, Dialect: string(f.Dialect), Status: f.Status, Outcome: string(f.Outcome), Text: f.Text,
	}
}

type journalInput struct {
	SandboxPath
	JournalFilter
	After  string `query:"after" minLength:"1" doc:"Only exchanges after the one with this id; 0 means from the first. Default: the newest exchanges."`
	Limit  limit  `query:"limit" minimum:"1" maximum:"1000" doc:"The maximum number of exchanges. Default: 100."`
	Format string `query:"format" enum:"json,text" doc:"The format text shows what was asked and answered, and why, in a few lines for each exchange."`
}

// getJournal answers with a [journal.Page]. It refuses (400) an operation that doesn't exist, and a status that the
// operation can't answer with.
func (c control) getJournal(ctx context.Context, b bank, in *journalInput) (*huma.StreamResponse, error) {
	query := in.query()
	query.Newest, query.Limit = in.After == "", in.Limit.orElse(defaultPage)
	var err error
	if query.After, err = exchangeNumber("after", cmp.Or(in.After, "0")); err != nil {
		return nil, err
	}
	if err := b.now.Journal.CheckQuery(query, journalBank(b.now)); err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	found := b.now.Journal.Select(query)
	if in.Format == "text" {
		return largeAnswer(plainText, func(w io.Writer) { writeJournalText(w, found, in.selects()) }), nil
	}
	return largeJSON(func(w *strictjson.Writer) {
		w.Object(func() {
			strictjson.WriteList(w, "exchanges", found.Exchanges(), func(x journal.Exchange) { w.Value(x) })
			w.Member("evicted", found.Evicted)
			w.Member("cleared", found.Cleared)
			w.Member("next", found.Next)
		})
	}), nil
}

// selects reports whether the call asks only for some of the exchanges, apart from the limit.
func (in journalInput) selects() bool { return in.JournalFilter != JournalFilter{} || in.After != "" }

// writeJournalText writes a few lines for each exchange. It says which exchanges are missing before them, and whether
// more follow. selects is whether the call asks only for some of the exchanges.
func writeJournalText(w io.Writer, found journal.Selection, selects bool) {
	none := true
	for x := range found.Exchanges() {
		if none {
			_, _ = io.WriteString(w, notShown(found, selects))
			none = false
		}
		_, _ = io.WriteString(w, x.Text())
	}
	switch {
	case found.Next != "":
		_, _ = fmt.Fprintf(w, "(more exchanges match: go on with after=%s)\n", found.Next)
	case none && selects:
		_, _ = io.WriteString(w, notShown(found, selects)+"no request matches\n")
	case none && found.Cleared > 0:
		_, _ = fmt.Fprintf(w, "no request since the journal was cleared of %d\n", found.Cleared)
	case none:
		_, _ = io.WriteString(w, notShown(found, selects)+"no request\n")
	}
}

// notShown returns a line that counts the exchanges that a page of the journal doesn't show, or "" if it shows all.
func notShown(found journal.Selection, selects bool) string {
	earlier := "earlier exchange"
	if selects {
		earlier = "earlier matching exchange"
	}
	var counts []string
	for _, missing := range []struct {
		count uint64
		noun  string
	}{{found.Earlier, earlier}, {found.Evicted, "evicted exchange"}, {found.Cleared, "cleared exchange"}} {
		if missing.count > 0 {
			counts = append(counts, wording.Count(int(missing.count), missing.noun))
		}
	}
	if len(counts) == 0 {
		return ""
	}
	return "(not shown: " + strings.Join(counts, ", ") + ")\n"
}

// exchangeNumber parses the id of an exchange. Id 0 comes before the first exchange.
func exchangeNumber(name, id string) (uint64, error) {
	n, ok := journal.ParseID(id)
	if !ok && id != "0" {
		return 0, refuse(http.StatusBadRequest, "%s must be the id of an exchange, or 0", name)
	}
	return n, nil
}

// clearJournal removes all exchanges, and the worlds around them.
func (c control) clearJournal(ctx context.Context, b bank, in *SandboxPath) (*noBody, error) {
	return done(b.ClearJournal(ctx))
}

// getHAR names the file for browsers that save it.
func (c control) getHAR(ctx context.Context, b bank, in *SandboxPath) (*huma.StreamResponse, error) {
	all := b.now.Journal.Select(journal.Query{}).Exchanges()
	archive := largeJSON(func(w *strictjson.Writer) { journal.WriteHAR(w, all, c.Version) })
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Disposition", `attachment; filename="`+b.Name()+`.har"`) // a name needs no escapes
		archive.Body(ctx)
	}}, nil
}

// ExchangePath is the input of a call about an exchange.
type ExchangePath struct {
	SandboxPath
	Exchange string `path:"exchange" doc:"The id of the exchange."`
}

func (c control) getExchange(ctx context.Context, b bank, in *ExchangePath) (*huma.StreamResponse, error) {
	x, err := exchangeOf(b.now, in.Exchange)
	if err != nil {
		return nil, err
	}
	return largeValue(x), nil
}

// exchangeOf returns an exchange. It refuses (404) one that the journal doesn't hold.
func exchangeOf(v sandbox.View, id string) (journal.Exchange, error) {
	x, ok := v.Journal.Get(id)
	if !ok {
		return x, refuse(http.StatusNotFound,
			"the journal holds no exchange %s: it may have been evicted, cleared or reset", wording.Quote(id))
	}
	return x, nil
}

// explained is an exchange with its explanation, and the rows that it has changed.
type explained struct {
	explanation.Explanation
	Changes *[]api.Change `json:"changes" doc:"The rows that the exchange changed. null: they are not known any more."`
}

type explainInput struct {
	ExchangePath
	Format string `query:"format" enum:"json,text,full" doc:"The format text explains the exchange in a few lines. The format full adds the request, the answer and the ledger, as banksim why --full does."`
}

func (c control) explainExchange(ctx context.Context, b bank, in *explainInput) (*huma.StreamResponse, error) {
	step, _ := b.now.Journal.Step(in.Exchange) // before the exchange, which may be evicted meanwhile
	x, err := exchangeOf(b.now, in.Exchange)
	if err != nil {
		return nil, err
	}
	why := explanation.New(x, b.now.World.Policies(),
		explanation.Past{World: cmp.Or(step.Before, b.now.World), Journal: b.now.Journal, Began: b.BeganAt(b.now)})
	switch in.Format {
	case "text":
		return largeText(plainText, []byte(why.Text())), nil
	case "full":
		return largeText(plainText, []byte(why.FullText())), nil
	}
	return largeJSON(func(w *strictjson.Writer) {
		w.Object(func() {
			w.Members(why)
			switch {
			case !x.Changed:
				w.Member("changes", []api.Change{})
			case step.Before == nil:
				w.Member("changes", nil)
			default:
				strictjson.WriteList(w, "changes", step.After.Diff(x.At, step.Before, x.At),
					func(c sim.Change) { w.Value(newChangedRow(c)) })
			}
		})
	}), nil
}

// verifyTimeout is how long the journal is compared with an expectation at most (choice).
const verifyTimeout = 5 * time.Second

// expectations are one expectation, or several that have to be fulfilled in their order.
type expectations struct {
	journal.Expectation
	After   string                `json:"after,omitempty" doc:"Only exchanges after the one with this id. Default: all."`
	InOrder []journal.Expectation `json:"inOrder,omitempty" doc:"The requests must have come in this order. Not together with other members, except after."`
}

type verifyInput struct {
	SandboxPath
	Body body[expectations]
}

// verifyJournal refuses an expectation that contradicts itself, or that no request can fulfil (400), one whose verdict
// evicted exchanges could change (409), and one whose comparison takes too long (503).
func (c control) verifyJournal(ctx context.Context, b bank, in *verifyInput) (*answer[journal.Verdict], error) {
	expected, members, err := in.Body.decodeWithMembers()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if value := members[name]; value == nil || value == "" || name == "status" && value == 0.0 {
			return nil, refuse(http.StatusBadRequest, "%s can't be %s: give it a value, or leave it out",
				name, strictjson.MustEncode(value))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	verdict, err := expected.verify(ctx, b.now)
	switch {
	case err == nil, errors.Is(err, journal.ErrEvicted):
		return reply(verdict, err)
	case ctx.Err() != nil:
		return nil, refuse(http.StatusServiceUnavailable,
			"the journal could not be compared within %s: name the operation, simplify "+
				"the regular expressions, or clear the journal before what is verified", verifyTimeout)
	}
	return nil, refuse(http.StatusBadRequest, "%v", err)
}

func (e expectations) verify(ctx context.Context, v sandbox.View) (verdict journal.Verdict, err error) {
	bank, after := journalBank(v), uint64(0)
	if e.After != "" {
		if after, err = exchangeNumber("after", e.After); err != nil {
			return verdict, err
		}
	}
	if e.InOrder == nil {
		if err := v.Journal.CheckPossible(e.Expectation, bank); err != nil {
			return verdict, err
		}
		return v.Journal.Verify(ctx, e.Expectation, after)
	}
	if !reflect.ValueOf(e.Expectation).IsZero() {
		return verdict, errors.New("inOrder goes with no other member but after: its expectations have them")
	}
	for i, expected := range e.InOrder {
		if err := v.Journal.CheckPossible(expected, bank); err != nil {
			return verdict, fmt.Errorf("inOrder[%d]: %w", i, err)
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
