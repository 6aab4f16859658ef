package bankapi

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// reply is the answer to a request, whole before any of it is sent.
type reply struct {
	status   int
	headers  [][2]string // name and value, in the spelling of the interface
	body     []byte      // JSON unless a fault answers, or nil
	rest     *stream     // of the body, of another service's answer; or nil if body is the whole
	code     string      // in the error body, or ""
	decision journal.Decision
}

// with returns the reply with one more header. If the reply has headers of the name in any case, the new one takes the
// case of the last of them, and follows it: send and the journal find the values of a name side by side.
func (r reply) with(name, value string) reply {
	if r.headers == nil {
		r.headers = make([][2]string, 0, 6) // most replies have no more
	}
	for i, h := range slices.Backward(r.headers) {
		if strings.EqualFold(h[0], name) {
			r.headers = slices.Concat(r.headers[:i+1], [][2]string{{h[0], value}}, r.headers[i+1:])
			return r
		}
	}
	r.headers = append(r.headers, [2]string{name, value})
	return r
}

// withInPlace returns the reply with a header in place of all that have the name in any case.
func (r reply) withInPlace(name string, values ...string) reply {
	isNamed := func(h [2]string) bool { return strings.EqualFold(h[0], name) }
	r.headers = slices.DeleteFunc(slices.Clone(r.headers), isNamed)
	for _, value := range values {
		r = r.with(name, value)
	}
	return r
}

// has reports whether the reply has a header, by its canonical name.
func (r reply) has(name string) bool {
	return slices.ContainsFunc(r.headers, func(h [2]string) bool { return h[0] == name })
}

// plain returns the reply as it is sent, or as a connection fault takes it.
func (r reply) plain() fault.Answer {
	return fault.Answer{Status: r.status, Header: r.headers, Body: r.body}
}

// withoutBodyOfHEAD returns an answer without its body if the method is HEAD. It keeps the headers of the whole answer
// (RFC 9110 9.3.2).
func withoutBodyOfHEAD(method string, a fault.Answer) fault.Answer {
	if method == http.MethodHead {
		a.Body = nil
	}
	return a
}

// refusalReply returns the reply to a request that is refused with an error. An error that no rule raised is an
// internal fault: its text is not sent.
func refusalReply(m moment, err error) reply {
	var raised *sim.Error
	if !errors.As(err, &raised) {
		raised = &sim.Error{Code: contract.InternalFault, Message: "the simulator failed; its log says why"}
	}
	refusal := m.family.Refusal(raised.Code)
	message := strings.ToValidUTF8(raised.Message, "\uFFFD") // it may quote the caller
	switched := m.policy.Messages[refusal.Code]
	rep := errorReply(m.family, refusal, m.family.Status(refusal, m.policy), cmp.Or(switched, message))
	rep.decision = journal.Decision{
		Outcome: journal.Refused,
		Rule:    string(raised.Code),
		Row:     raised.Row,
		Message: message,
		Basis:   string(refusal.Entry.BasisUnder(m.policy)),
		Entries: append([]string{refusal.Entry.ID}, ids(m.family.ErrorCites)...),
	}
	if after := contract.WorthRepeating[raised.Code]; after != "" {
		rep = rep.with(contract.RetryAfter.Name, after)
	}
	if switched != "" {
		rep.decision.Entries = append(rep.decision.Entries, contract.EverywhereMessages.ID)
	}
	if rep.status == http.StatusUnauthorized {
		rep.decision.Entries = append(rep.decision.Entries, contract.EverywhereChallenge.ID)
	}
	return rep
}

// errorReply returns an error answer of a family.
func errorReply(f *contract.Family, r contract.Refusal, status int, message string) reply {
	rep := reply{status: status, body: f.Error(status, r.Code, message), code: r.Code}
	if status == http.StatusUnauthorized {
		challenge := f.Challenge
		if r.Rule == sim.TokenUnknown || r.Rule == sim.TokenExpired {
			challenge += contract.InvalidToken
		}
		rep = rep.with(contract.ChallengeHeader.Name, challenge)
	}
	return rep
}

// isStrictlyRefused reports whether a strict bank refuses a request because its answer would rest on nothing but a
// choice of the simulator's own.
func isStrictlyRefused(m moment, d journal.Decision) bool {
	return m.policy.Strict && d.Basis == string(contract.Choice) && d.Rule != string(contract.InternalFault)
}

// refuseStrictly returns the refusal in place of an answer with a decision.
func refuseStrictly(m moment, d journal.Decision) reply {
	entry, _ := contract.FindEntry(d.Entries[0])
	rep := refusalReply(m, sim.Refuse(contract.Strictness,
		"strict: the answer would rest on %s, which is a choice of the simulator's own (%s)", entry.ID, entry.Question))
	rep.decision.Entries = append([]string{entry.ID}, rep.decision.Entries...)
	return rep
}

func ids(entries []*contract.Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.ID
	}
	return all
}

// union returns the members of lists in their order, each once.
func union(lists ...[]string) []string {
	all, count := slices.Concat(lists...), 0
	for _, member := range all {
		if !slices.Contains(all[:count], member) {
			all[count] = member
			count++
		}
	}
	return slices.Clip(all[:count])
}
