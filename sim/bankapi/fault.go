package bankapi

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// effects is what the faults that fired do to a request.
type effects struct {
	uncounted, counted *fault.Set           // the sandbox's, before and after they counted, or nil
	all                fault.Firings        // for the record
	fault.Firings                           // those that still apply
	connection         *fault.Connection    // that breaks the connection, or nil
	headers            []fault.AnswerHeader // set in the answer, in place of its own
	body               []byte               // of the fault that answers, or nil
	failure            error                // why the headers or the body can't be rendered, or nil
}

var noEffects effects

// haveCounted reports whether the faults of the sandbox have counted the request in this attempt.
func (e effects) haveCounted(paused *pause) bool { return paused == nil && e.uncounted != e.counted }

// idle returns the faults that fired without effect on a decided request.
func (e effects) idle(req *request, d decided) []fault.Idle {
	whole := fault.Answer{Status: d.reply.status, Body: d.reply.body}
	if whole.Body == nil {
		whole.Body = []byte{} // only an answer to HEAD has none for Idle
	}
	return e.Idle(withoutBodyOfHEAD(req.Method, whole), e.connection, d.expiredBy, d.staleBy)
}

// dropped returns the effects of faults that have fired and counted, but do nothing to the answer.
func (e effects) dropped() effects {
	return effects{uncounted: e.uncounted, counted: e.counted, all: e.all}
}

// totalDelay returns the sum of all delays, as drawn, whether they still apply or not.
func (e effects) totalDelay() time.Duration {
	before, after := e.all.Delays()
	return before + after
}

// record returns the entry of the journal about the faults. It is nil if no fault fired.
func (e effects) record(m moment, d decided) *journal.Fault {
	if len(e.all.Fired) == 0 {
		return nil
	}
	record := &journal.Fault{
		Fired: e.all.Names(), DelayMicros: e.totalDelay().Microseconds(),
		BankStatus: d.bankStatus, ExpiredBy: d.expiredBy, StaleBy: d.staleBy,
	}
	if e.Answer != nil && m.op != nil {
		status := e.Answer.Rule.Then.Status
		record.Undocumented = status != 0 && !m.op.Lists(status)
	}
	for _, idle := range d.idle {
		record.WithoutEffect = append(record.WithoutEffect, idle.Name)
	}
	if by := cmp.Or(e.Answer, e.Forward); by != nil {
		record.AnsweredBy, record.Phase = by.Rule.Name, string(by.Phase)
		if broken := by.Rule.Then.Connection; broken != nil {
			record.Connection = broken.Name()
		}
	}
	return record
}

// decideFaults decides which faults fire for a request. It refuses a request whose own fault can't be read.
func (h *Handler) decideFaults(req *request, m moment, paused *pause) (effects, error) {
	if paused != nil {
		e := paused.effects
		e.counted = m.Faults // other requests may have been counted since
		return e, nil
	}
	if m.Faults.Empty() && len(req.Header[fault.Header]) == 0 && !req.goesToOther {
		return noEffects, nil
	}
	rules, err := requestedFaults(req, m)
	if err != nil {
		return noEffects, err
	}
	query := faultQuery(req, m, rules)
	if req.goesToOther {
		query.Last = h.unknown
	}
	firings, counted := m.Faults.Decide(query)
	e := effects{uncounted: m.Faults, counted: counted, all: firings, Firings: firings}
	if firings.Answer != nil {
		e.connection = firings.Answer.Rule.Then.Connection.Over(req.ProtoMajor)
	}
	return e, nil
}

// rendered returns the effects with the headers and the body of the answer. They may be large, so they are rendered
// after the pause.
func (e effects) rendered(req *request, m moment) effects {
	if len(e.Fired) > 0 {
		e.headers, e.body, e.failure = e.Render(faultQuery(req, m, nil))
	}
	return e
}

// answerFirst returns the reply that comes in place of the operation, and the effects that still apply to the reply. It
// returns false if the operation is to be carried out.
func answerFirst(m moment, e effects, paused *pause) (reply, effects, bool) {
	switch {
	case paused != nil && !paused.moment.Generation.IsSame(m.Generation):
		effect := "nothing was changed, so send it again"
		if e.Forward != nil {
			effect = "the service that it was forwarded to may have it"
		}
		return refusalReply(m, sim.Refuse(contract.GenerationEnded,
			"the sandbox was reset while the request was under way: %s", effect)), effects{all: e.all}, true
	case paused != nil && paused.isGone:
		rest := e.dropped()
		rest.connection = &fault.Connection{Kind: fault.Close{}}
		rep := reply{decision: faultDecision(m, e.Fired[0].Rule.Name, contract.EverywhereFaults)}
		rep.decision.Outcome = journal.Faulted
		rep.decision.Message = "the client disconnected during the delay: nothing was carried out"
		if e.Forward != nil {
			rep.decision.Message =
				"the client disconnected while the request was forwarded: the other service may have it"
		}
		return rep, rest, true
	case e.failure != nil:
		return refusalReply(m, e.failure), e.dropped(), true
	case e.Answer == nil || e.Answer.Phase == fault.After || e.Forward != nil:
		return reply{}, e, false
	case e.Answer.Rule.Then.Status != 0:
		return faultReply(m, e), e, true
	}
	return reply{decision: faultDecision(m, e.Answer.Rule.Name, contract.EverywhereFaults)}, e, true
}

// replaceAnswer puts the answer of a fault in place of the bank's. The decision stays the bank's.
func (e effects) replaceAnswer(m moment, d decided) decided {
	if e.Answer == nil {
		return d
	}
	d.bankStatus = d.reply.status
	if e.Answer.Rule.Then.Status != 0 {
		decision := d.reply.decision
		d.reply = faultReply(m, e)
		d.reply.decision = decision
	}
	return d
}

// faultDecision returns the decision of a fault, whose answer rests on an entry of the ledger.
func faultDecision(m moment, rule string, entry *contract.Entry) journal.Decision {
	kind, message := journal.Faulted, "a fault came before the operation: nothing was carried out"
	if m.op == nil {
		kind = journal.Stubbed
		message = "a stub of the scenario or of the control API answers: the path isn't the interface's"
	}
	return journal.Decision{
		Outcome: kind,
		Rule:    rule,
		Message: message,
		Basis:   string(entry.BasisUnder(m.policy)),
		Entries: union([]string{entry.ID, contract.EverywhereFaults.ID}),
	}
}

// withRetryAfter returns a reply that says in how many seconds another request of the caller passes, if the fault has a
// rate and answers 429 (RFC 6585 section 4).
func (e effects) withRetryAfter(rep reply) reply {
	if wait := e.Answer.Wait; wait > 0 && rep.status == http.StatusTooManyRequests {
		return rep.with(contract.RetryAfter.Name, strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	}
	return rep
}

// faultReply returns the answer of a fault that has a status: the error body, code and headers that the operation's
// family has for it, unless the fault says otherwise.
func faultReply(m moment, e effects) reply {
	rule, then := e.Answer.Rule, e.Answer.Rule.Then
	if then.HasBody() || rule.IsStub() { // a stub with status 204 or 304 needs no body
		rep := e.withRetryAfter(reply{status: then.Status, body: e.body, code: contract.ErrorCode(e.body),
			decision: faultDecision(m, rule.Name, contract.EverywhereFaults)})
		if then.BodyBase64 != "" {
			rep = rep.with(contract.ContentType.Name, http.DetectContentType(e.body))
		}
		return rep
	}
	faultError := cmp.Or(then.Error, &fault.Error{})
	like := injection(m.family, then.Status, faultError.Code)
	switched := m.policy.Messages[like.Code]
	message := cmp.Or(faultError.Message, switched, like.Message)
	// The status comes from the fault, even if the scenario gives another status to the bank's refusals.
	rep := errorReply(m.family, like.Refusal, then.Status, message)
	if !like.Entry.Concerns(m.op.Name) { // the entry is about another operation
		like.Entry = contract.EverywhereFaults
	}
	rep = e.withRetryAfter(rep)
	rep.code, rep.decision = like.Code, faultDecision(m, rule.Name, like.Entry)
	if switched != "" && faultError.Message == "" {
		rep.decision.Entries = append(rep.decision.Entries, contract.EverywhereMessages.ID)
	}
	return rep
}

// injection returns the error of a family that a fault answers with: the error with this code. If the family doesn't
// have the code, it returns the error with this status, and puts the code in it.
func injection(family *contract.Family, status int, code string) contract.Injection {
	like := family.Injection(status)
	if code == "" || code == like.Code {
		return like
	}
	known, ok := family.InjectionOf(status, code)
	switch {
	case !ok:
		known, known.Code, known.Entry = like, code, contract.EverywhereFaults
	case !slices.Contains(family.Statuses(known.Refusal), status): // the family has it with another status
		known.Entry = contract.EverywhereFaults
	}
	return known
}

// requestedFaults returns the faults that a request asks for by its header, if the scenario lets it.
func requestedFaults(req *request, m moment) ([]fault.Rule, error) {
	values := req.Header.Values(fault.Header)
	if len(values) == 0 || !m.policy.FaultHeader || m.op == nil {
		return nil, nil
	}
	rules, err := scenario.ParseFaults(fault.Header, fault.FromHeader(strings.Join(values, "; "), m.op.Name))
	var problems scenario.Problems
	if errors.As(err, &problems) {
		return nil, sim.Refuse(contract.FaultMalformed, "header %s: %s", fault.Header, problems[0].Message)
	}
	return rules, err
}

// faultQuery returns a request as the conditions of faults see it, with the rules that its own header asks for.
func faultQuery(req *request, m moment, rules []fault.Rule) *fault.Query {
	return &fault.Query{
		Operation: nameOf(m.op),
		Method:    req.Method,
		Path:      req.path(),
		Dialect:   dialectOf(m.op),
		Now:       m.Now,
		Since:     m.Since,
		Header:    req.Header,
		Values:    req.query,
		Scope:     sync.OnceValues(func() (institutionID, hostUserID string) { return subjectOf(req, m) }),
		Client:    sync.OnceValue(func() string { return sharedKeyOf(req, m) }),
		Body:      sync.OnceValue(func() any { return match.Content(req.content.data, req.header("Content-Type")) }),
		First:     rules,
	}
}

// sharedKeyOf returns the shared key of the client that sends a request, or "" if it is unknown.
func sharedKeyOf(req *request, m moment) string {
	if sharedKey, _, ok := req.BasicAuth(); ok {
		return sharedKey
	}
	caller, _ := m.before.Authenticate(m.accessToken(req), m.Now)
	return caller.SharedKey
}

// subjectOf returns the institution that a request belongs to and the user that it concerns. Its access token says so,
// or the headers institutionId and fiid, the parameters hostUserId and loginId, the header userid, or the id in the
// path.
func subjectOf(req *request, m moment) (institutionID, hostUserID string) {
	var caller sim.Caller
	if token := m.accessToken(req); token != "" {
		caller, _ = m.before.Authenticate(token, m.Now)
	}
	institutionID = cmp.Or(caller.InstitutionID, req.header(institutionHeader), req.header("fiid"))
	if hostUserID = cmp.Or(req.query.Get("hostUserId"), req.header("userid")); hostUserID != "" {
		return institutionID, hostUserID
	}
	kind, id := namedUserID(req, m)
	if id == "" {
		return institutionID, caller.HostUserID
	}
	if user, err := m.before.UserByID(sim.Caller{InstitutionID: institutionID}, kind, id); err == nil {
		return institutionID, user.HostUserID
	}
	if kind == sim.HostUserIDType {
		return institutionID, id
	}
	return institutionID, ""
}

// namedUserID returns the id of the user in the path of a request or in its parameter loginId, and the kind of the id.
// Both are empty if the request has no such id.
func namedUserID(req *request, m moment) (kind, id string) {
	switch kind = req.query.Get("userIdType"); {
	case m.op == nil:
	case m.op.Name == contract.UsersGetStatus.Name && slices.Contains(sim.UserIDTypes, kind):
		return kind, req.pathVar("institutionUserId")
	case m.op.TakesQuery("loginId"):
		return sim.LoginIDType, req.query.Get("loginId")
	}
	return "", ""
}
