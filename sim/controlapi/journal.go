package controlapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// journalCalls returns the calls about exchanges.
func (c control) journalCalls() []Call {
	return []Call{
		inSandbox(c, "GET", "/journal", "getJournal",
			"The exchanges that match, the newest last.", c.getJournal).
			large(reflect.TypeFor[journal.Page]()).
			answers(plainText, "A few lines for each exchange."),
		inSandbox(c, "DELETE", "/journal", "clearJournal", "Remove all exchanges.", c.clearJournal),
		inSandbox(c, "GET", "/journal.har", "getHAR", "All exchanges as an HTTP archive, "+
			"HAR 1.2. Members that the format doesn't have begin with _.", c.getHAR).
			large(reflect.TypeFor[map[string]any]()),
		inSandbox(c, "POST", "/journal/verify", "verifyJournal",
			"Whether the journal has the expected requests.", c.verifyJournal).reads().
			example(`{"operation": "` + contract.GroupsList.Name + `", "status": 200, "exactly": 1}`),
		inSandbox(c, "GET", "/journal/{exchange}", "getExchange", "An exchange.",
			c.getExchange).
			large(reflect.TypeFor[journal.Exchange]()),
		inSandbox(c, "GET", "/journal/{exchange}/why", "explainExchange",
			"Why an exchange was answered so, in words. "+
				"With the exchange, the rows that it has changed, and copies of it to go on with.", c.explainExchange).
			large(reflect.TypeFor[explained]()).
			answers("text/plain", "The explanation."),
	}
}

// The size of a page, in exchanges (choice).
const (
	defaultPage = 100
	maxPage     = 1000
)

type journalInput struct {
	SandboxPath
	Q      string `query:"q" doc:"Words that an exchange has in what the journal shows of it, in upper or lower case, and conditions: status:4xx, user:1001, method:POST, operation:groups.*, code:2004, fault:NAME, path:/v3/groups, outcome:refused, dialect:public. Quotes keep spaces and colons in a word."`
	After  string `query:"after" minLength:"1" doc:"Only exchanges after the one with this id; 0 means from the first. Default: the newest exchanges."`
	Limit  *int   `query:"limit" minimum:"1" maximum:"1000" doc:"The maximum number of exchanges. Default: 100."`
	Wait   string `query:"wait" doc:"How long to wait for an exchange that matches, such as 2s, at most 2m. It goes with after. Default: not at all."`
	Format string `query:"format" enum:"json,text" doc:"The format text shows what was asked and answered, and why, in a few lines for each exchange."`
}

// getJournal answers with a [journal.Page]. It refuses (400) a search with an unknown key or value.
func (c control) getJournal(ctx context.Context, b bank, in *journalInput) (stream, error) {
	search, err := journal.ParseSearch(in.Q)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	query := journal.Query{Search: search, Newest: in.After == "", Limit: orElse(in.Limit, defaultPage)}
	if query.After, err = exchangeAfter(in.After); err != nil {
		return nil, err
	}
	found := b.now.Journal.Select(query)
	if in.Wait != "" {
		if found, err = c.awaitExchange(ctx, b, in, query); err != nil {
			return nil, err
		}
	}
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
func (in journalInput) selects() bool { return in.Q+in.After != "" }

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

// awaitExchange waits until an exchange matches a query.
func (c control) awaitExchange(
	ctx context.Context, b bank, in *journalInput, query journal.Query,
) (found journal.Selection, err error) {
	wait, err := waitTime("wait", in.Wait)
	if err == nil && in.After == "" {
		err = refuse(http.StatusBadRequest, "wait goes with after: give the id of the newest known exchange, or 0")
	}
	if err != nil {
		return found, err
	}
	err = withoutRoom(ctx, func() error {
		return c.await(ctx, b, wait, func(b bank) (bool, error) {
			found = b.now.Journal.Select(query)
			return !found.IsEmpty(), nil
		})
	})
	return found, err
}

// exchangeAfter parses the query parameter after, the id of an exchange. 0 and an empty text come before the first
// exchange.
func exchangeAfter(id string) (uint64, error) {
	n, ok := journal.ParseID(id)
	if !ok && id != "0" && id != "" {
		return 0, refuse(http.StatusBadRequest, "after must be the id of an exchange, or 0")
	}
	return n, nil
}

// clearJournal removes all exchanges, and the worlds around them.
func (c control) clearJournal(ctx context.Context, b bank, in *SandboxPath) (nothing, error) {
	return done(b.ClearJournal(ctx))
}

// getHAR names the file for browsers that save it.
func (c control) getHAR(ctx context.Context, b bank, in *SandboxPath) (stream, error) {
	all := b.now.Journal.Select(journal.Query{}).Exchanges()
	archive := largeJSON(func(w *strictjson.Writer) { journal.WriteHAR(w, all, c.Version) })
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="`+b.Name()+`.har"`) // a name needs no escapes
		archive(w, r)
	}, nil
}

// ExchangePath is the input of a call about an exchange.
type ExchangePath struct {
	SandboxPath
	Exchange string `path:"exchange" doc:"The id of the exchange, or newest."`
}

func (c control) getExchange(ctx context.Context, b bank, in *ExchangePath) (stream, error) {
	x, err := exchangeOf(b.now, in.Exchange)
	if err != nil {
		return nil, err
	}
	return largeValue(x), nil
}

// exchangeOf returns an exchange, or the newest. It refuses (404) one that the journal doesn't hold.
func exchangeOf(v sandbox.View, id string) (x journal.Exchange, err error) {
	if id == "newest" {
		last := v.Journal.Last()
		if last == 0 {
			return x, refuse(http.StatusNotFound, "the bank had no request: does the app use its base URL?")
		}
		id = strconv.FormatUint(last, 10)
	}
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

func (c control) explainExchange(ctx context.Context, b bank, in *explainInput) (stream, error) {
	x, err := exchangeOf(b.now, in.Exchange)
	if err != nil {
		return nil, err
	}
	step, _ := b.now.Journal.Step(x.ID)
	why := explanation.New(x, b.now.World.Policies(),
		explanation.Bank{World: b.now.World, Journal: b.now.Journal, Began: b.BeganAt(b.now)})
	switch in.Format {
	case "text":
		return largeText(plainText, []byte(why.Text(c.Access.isGuarded()))), nil
	case "full":
		return largeText(plainText, []byte(why.FullText(c.Access.isGuarded()))), nil
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
