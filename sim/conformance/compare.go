package conformance

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// comparison compares the service's answer to the last request of an exchange with the simulator's.
type comparison struct {
	asked
	*replay
	policy *sim.Policy
	echoes echoes
	path   string // of the request at the service

	success *contract.Entry  // decides the answer to a request that is accepted
	object  *contract.Object // the body, or nil if there is none
	members *contract.Entry  // says what is in the body
}

// asked is an exchange with the simulator's answer, and with the service's.
type asked struct {
	fixtures.Exchange
	simulated fixtures.IDs // that the simulator gave
	sent      planned
	got       answer
	rows      []*row // that a list must show with their values
	onlyRows  bool   // whether nothing else of the list is compared
	ofBank    bool   // whether the answer is about a row that only the service's bank has
}

// ask sends a request to the simulator and to the service.
func (r *replay) ask(ctx context.Context, e fixtures.Exchange, simulated fixtures.IDs) (a asked, err error) {
	a = asked{
		Exchange: r.check.simulator.answering(e, r.toSimulator, simulated), simulated: simulated,
		sent: r.check.cfg.plan(e.Request),
	}
	a.got, err = r.send(ctx, a.sent)
	return a, err
}

// differences compares the answers, the simulator's under a setting, and returns how they differ, without secrets.
func (r *replay) differences(s setting, a asked) []Difference {
	return r.check.scrubbed(r.newComparison(s.policy, a).compare())
}

func (r *replay) newComparison(p *sim.Policy, a asked) comparison {
	e := a.Exchange
	decides := entryOfAnswer(e)
	x := comparison{
		asked:   a,
		replay:  r,
		policy:  p,
		echoes:  newEchoes(e, r.sub, a.simulated, r.ids),
		path:    r.sub.withIDs(e.Request, r.ids).Path,
		success: decides,
		members: decides,
	}
	op := contract.In(e.InDialect()).Operation(e.Operation())
	switch {
	case e.Answer.Status >= 300:
		family, _ := contract.NearestFamily(e.Request.Path)
		if named := contract.In(e.InDialect()).FamilyOfError(e.Entries); op != nil {
			family = op.Family
		} else if named != nil {
			family = named
		}
		x.object, x.members = family.ErrorBody, family.ErrorCites[0]
	case op != nil:
		x.success = op.Uses[0]
		if a := op.Answer(p); a.Status == e.Answer.Status && a.Body != nil {
			x.object, x.members = a.Body, a.Members
		}
	}
	return x
}

// newDifference returns a difference that concerns an entry of the ledger.
func (r *replay) newDifference(entry *contract.Entry, where, message string) Difference {
	p := r.check.policy
	return Difference{
		Exchange: r.exchange.Name, Entry: entry.ID, Basis: entry.BasisUnder(p), Source: entry.SourceIn(p.Dialect),
		Place: where, Message: message,
	}
}

// compare returns how the service's answer differs in status, headers and body, or only in its rows.
func (x comparison) compare() []Difference {
	got := x.got
	if got.status != x.Answer.Status {
		entry := entryOfAnswer(x.Exchange)
		if got.accepted() {
			entry = x.success
		}
		const wrong = "expected status %d (basis %s), got %d"
		message := fmt.Sprintf(wrong, x.Answer.Status, entry.BasisUnder(x.check.policy), got.status)
		return []Difference{x.newDifference(entry, fmt.Sprintf("status %d", got.status), message)}
	}
	var found []Difference
	for _, name := range slices.Sorted(maps.Keys(x.Answer.Headers)) {
		if want := x.Answer.Headers[name]; !x.onlyRows && !sameHeader(name, want, x.sub, got.header) {
			value := cmp.Or(strings.Join(got.header.Values(name), ", "), "none")
			one := x.difference(mismatch{name, x.entryOfHeader(name), want, value})
			one.isConvention = strings.EqualFold(name, contract.Pragma.Name) // RFC 9111 no longer needs it
			found = append(found, one)
		}
	}
	if got.isLarge {
		message := fmt.Sprintf("the answer has over %d MiB; not compared", maxAnswer>>20)
		return append(found, x.newDifference(x.members, ".", message))
	}
	inBody := x.compareBody(got.body)
	for _, m := range inBody.first {
		m.entry = cmp.Or(m.entry, x.members)
		found = append(found, x.difference(m))
	}
	if inBody.more > 0 {
		found = append(found, x.newDifference(x.members, ".", fmt.Sprintf("and %d more", inBody.more)))
	}
	return found
}

// difference returns the difference that a mismatch is.
func (r *replay) difference(m mismatch) Difference {
	const wrong = "%s: expected %s (basis %s), got %s"
	message := fmt.Sprintf(wrong, m.place, m.want, m.entry.BasisUnder(r.check.policy), m.got)
	return r.newDifference(m.entry, m.place, message)
}

// entryOfAnswer returns the entry that decided the answer.
func entryOfAnswer(e fixtures.Exchange) *contract.Entry {
	id := slices.Concat(e.Entries, e.Shows)[0]
	entry, ok := contract.FindEntry(id)
	if !ok {
		panic("conformance: " + e.Name + " names " + id + ", which the ledger doesn't have")
	}
	return entry
}

// sameHeader compares what every service sends in a header: of a challenge its scheme, of a media type no parameters.
func sameHeader(name, want string, s *substitution, headers http.Header) bool {
	got := strings.Join(headers.Values(name), ", ")
	if isRequestID(name) {
		return got == s.requestIDs[want]
	}
	switch strings.ToLower(name) {
	case "www-authenticate":
		gotScheme, _, _ := strings.Cut(got, " ")
		wantScheme, _, _ := strings.Cut(want, " ")
		return strings.EqualFold(gotScheme, wantScheme)
	case "content-type":
		media, parameters, err := mime.ParseMediaType(got)
		charset := parameters["charset"]
		return err == nil && media == want && (charset == "" || strings.EqualFold(charset, "utf-8"))
	case "allow":
		return slices.Equal(sortedList(got), sortedList(want))
	case "cache-control", "pragma":
		return slices.Contains(sortedList(strings.ToLower(got)), want)
	}
	return got == want
}

func sortedList(text string) []string {
	var all []string
	for item := range strings.SplitSeq(text, ",") {
		all = append(all, strings.TrimSpace(item))
	}
	slices.Sort(all)
	return all
}

func (x comparison) entryOfHeader(name string) *contract.Entry {
	if isRequestID(name) {
		return contract.RequestIDHeader.Entry
	}
	at := slices.IndexFunc(comparedHeaders, func(h contract.Header) bool { return strings.EqualFold(h.Name, name) })
	if at < 0 || comparedHeaders[at].Entry == nil {
		return entryOfAnswer(x.Exchange)
	}
	return comparedHeaders[at].Entry
}

// comparedHeaders are headers that the simulator's answers may have, beside the one that identifies the request. Where
// they have no entry, it is that of the answer.
var comparedHeaders = []contract.Header{
	{Name: "Allow"}, contract.ContentType, contract.CacheControl, contract.Pragma, contract.ChallengeHeader,
	{Name: contract.RetryAfter.Name},
}

// isRequestID reports whether a header identifies a request. Each replay sends new ids.
func isRequestID(name string) bool {
	return slices.ContainsFunc(contract.Document().Families, func(f *contract.Family) bool {
		return strings.EqualFold(f.RequestID, name)
	})
}
