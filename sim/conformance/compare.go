package conformance

import (
	"cmp"
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
	fixtures.Exchange // with the simulator's answer
	policy            *sim.Policy
	sub               *substitution
	echoes            echoes
	baseURL, path     string // of the request at the service

	success *contract.Entry  // decides the answer to a request that is accepted
	object  *contract.Object // the body, or nil if there is none
	members *contract.Entry  // says what is in the body
	rows    []row            // that a journey has created
	ofBank  bool             // whether the answer is about a row that only the service's bank has
}

func (r *replay) newComparison(e fixtures.Exchange, simulated fixtures.IDs) comparison {
	decides := entryOfAnswer(e)
	x := comparison{
		Exchange: e,
		policy:   r.check.policy,
		sub:      r.sub,
		echoes:   newEchoes(e, r.sub, simulated, r.ids),
		baseURL:  r.check.cfg.BaseURL,
		path:     r.sub.withIDs(e.Request, r.ids).Path,
		success:  decides,
		members:  decides,
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
		if a := op.Answer(r.check.policy); a.Status == e.Answer.Status && a.Body != nil {
			x.object, x.members = a.Body, a.Members
		}
	}
	return x
}

// drift returns a drift that concerns an entry of the ledger.
func (x comparison) drift(entry *contract.Entry, place, message string) Drift {
	return Drift{
		Exchange: x.Name, Entry: entry.ID, Basis: entry.BasisUnder(x.policy), Source: entry.SourceIn(x.policy.Dialect),
		Place: place, Message: message,
	}
}

// compare returns how the service's answer differs in status, headers and body.
func (x comparison) compare(got answer) []Drift {
	if got.status != x.Answer.Status {
		entry := entryOfAnswer(x.Exchange)
		if got.accepted() {
			entry = x.success
		}
		const wrong = "expected status %d (basis %s), got %d"
		message := fmt.Sprintf(wrong, x.Answer.Status, entry.BasisUnder(x.policy), got.status)
		return []Drift{x.drift(entry, fmt.Sprintf("status %d", got.status), message)}
	}
	var drifts []Drift
	for _, name := range slices.Sorted(maps.Keys(x.Answer.Headers)) {
		if want := x.Answer.Headers[name]; !sameHeader(name, want, x.sub, got.header) {
			value := cmp.Or(strings.Join(got.header.Values(name), ", "), "none")
			drift := x.differs(name, x.entryOfHeader(name), want, value)
			drift.isConvention = strings.EqualFold(name, contract.Pragma.Name) // RFC 9111 no longer needs it
			drifts = append(drifts, drift)
		}
	}
	if got.isLarge {
		return append(drifts, x.tooLarge())
	}
	return append(drifts, x.drifts(x.differences(got.body))...)
}

func (x comparison) tooLarge() Drift {
	return x.drift(x.members, ".", fmt.Sprintf("the answer has over %d MiB; not compared", maxAnswer>>20))
}

// compareState returns how the service's state differs: of a list, how it shows the rows of the exchange, and of
// another answer everything.
func (x comparison) compareState(got answer) []Drift {
	if x.rows == nil || got.status != x.Answer.Status {
		return x.compare(got)
	}
	if got.isLarge {
		return []Drift{x.tooLarge()}
	}
	found := &differences{}
	x.rowDifferences(x.sub.json(x.Answer.JSON), got.body, found)
	return x.drifts(found)
}

// drifts returns the differences of a body.
func (x comparison) drifts(found *differences) (all []Drift) {
	for _, d := range found.first {
		all = append(all, x.differs(d.path, cmp.Or(d.entry, x.members), d.want, d.got))
	}
	if found.more > 0 {
		all = append(all, x.drift(x.members, ".", fmt.Sprintf("and %d more", found.more)))
	}
	return all
}

// differs returns the drift of a header or a member.
func (x comparison) differs(place string, entry *contract.Entry, want, got string) Drift {
	message := fmt.Sprintf("%s: expected %s (basis %s), got %s", place, want, entry.BasisUnder(x.policy), got)
	return x.drift(entry, place, message)
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
func sameHeader(name, want string, s *substitution, header http.Header) bool {
	got := strings.Join(header.Values(name), ", ")
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
	known := []contract.Header{contract.ChallengeHeader, contract.ContentType, contract.CacheControl, contract.Pragma}
	for _, h := range known {
		if strings.EqualFold(h.Name, name) {
			return h.Entry
		}
	}
	return entryOfAnswer(x.Exchange)
}

// isRequestID reports whether a header identifies a request. Each replay sends new ids.
func isRequestID(header string) bool {
	return slices.ContainsFunc(contract.Document().Families, func(f *contract.Family) bool {
		return strings.EqualFold(f.RequestID, header)
	})
}
