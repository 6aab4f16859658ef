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

// newDrift returns a drift of an exchange that concerns an entry of the ledger.
func newDrift(e fixtures.Exchange, b *sim.Behavior, entry *contract.Entry, place, message string) Drift {
	return Drift{Exchange: e.Name, Entry: entry.ID, Basis: entry.BasisUnder(b), Source: entry.Source, Place: place, Message: message}
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

// expected is what the contract says about an exchange's answer.
type expected struct {
	fixtures.Exchange
	success *contract.Entry  // decides the answer to a request that is accepted
	body    *contract.Object // nil: none
	members *contract.Entry  // says what is in the body
}

func expect(e fixtures.Exchange, b *sim.Behavior) expected {
	x := expected{Exchange: e, success: entryOfAnswer(e), members: entryOfAnswer(e)}
	op, known := contract.FindIn(e.Operation(), e.InDialect())
	if e.Answer.Status >= 300 {
		nearest, _ := contract.NearestFamily(e.Request.Path)
		family := cmp.Or(contract.FamilyOfError(e.Entries), nearest)
		if known {
			family = op.Family
		}
		x.body, x.members = family.ErrorBody, family.ErrorRests[0]
		return x
	}
	if !known {
		return x
	}
	x.success = op.Uses[0]
	if a := op.Answer(b); a.Status == e.Answer.Status && a.Body != nil {
		x.body, x.members = a.Body, a.Members
	}
	return x
}

// compare returns how the service's answer differs from the simulator's: in status, headers, and the shape of the body.
// Values count only where they are the same at every service.
func compare(e fixtures.Exchange, b *sim.Behavior, s *substitution, got answer) []Drift {
	x := expect(e, b)
	if got.status != e.Answer.Status {
		entry := entryOfAnswer(e)
		if got.accepted() {
			entry = x.success
		}
		return []Drift{newDrift(e, b, entry, fmt.Sprintf("status %d", got.status),
			fmt.Sprintf("expected status %d (basis %s), got %d", e.Answer.Status, entry.BasisUnder(b), got.status))}
	}
	var drifts []Drift
	differs := func(place string, entry *contract.Entry, want, got string) {
		message := fmt.Sprintf("%s: expected %s (basis %s), got %s", place, want, entry.BasisUnder(b), got)
		drifts = append(drifts, newDrift(e, b, entry, place, message))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Answer.Headers)) {
		if want := e.Answer.Headers[name]; !sameHeader(name, want, s, got.header) {
			differs(name, entryOfHeader(e, name), want, cmp.Or(strings.Join(got.header.Values(name), ", "), "none"))
		}
	}
	for _, d := range x.differences(s, got.body) {
		differs(d.path, x.entryOf(d.member), d.want, d.got)
	}
	return drifts
}

// sameHeader compares a header as far as it is the same at every service: a challenge by its scheme, a media type
// without parameters.
func sameHeader(name, want string, s *substitution, header http.Header) bool {
	got := strings.Join(header.Values(name), ", ")
	if isRequestID(name) {
		return got == s.ids[want]
	}
	switch strings.ToLower(name) {
	case "www-authenticate":
		scheme := func(challenge string) string { word, _, _ := strings.Cut(challenge, " "); return strings.ToLower(word) }
		return scheme(got) == scheme(want)
	case "content-type":
		media, _, err := mime.ParseMediaType(got)
		return err == nil && media == want
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

func entryOfHeader(e fixtures.Exchange, name string) *contract.Entry {
	if isRequestID(name) {
		return contract.RequestIDHeader.Entry
	}
	for _, h := range []contract.Header{contract.ChallengeHeader, contract.ContentType, contract.CacheControl, contract.Pragma} {
		if strings.EqualFold(h.Name, name) {
			return h.Entry
		}
	}
	return entryOfAnswer(e)
}

// isRequestID reports whether a header identifies a request: each replay sends ids of its own.
func isRequestID(header string) bool {
	return slices.ContainsFunc(contract.Families, func(f *contract.Family) bool { return strings.EqualFold(f.RequestID, header) })
}
