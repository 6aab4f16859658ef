package bankapi

import (
	"cmp"
	"errors"
	"slices"
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

// injected is what the faults do that fired for a request.
type injected struct {
	journal.Fault
	headers    [][2]string       // set in the answer, in place of its own
	answer     *fault.Firing     // the fault that answers, or loses the answer; nil: the bank answers
	connection *fault.Connection // nil: the answer is written as any other
	after      time.Duration     // how long the answer is held back once it is decided
	expires    string            // the fault that lets the access token expire before the operation; empty: none does
}

// inject decides which faults fire. It reports whether the operation is to be carried out: not if a fault answers in
// its place, nor if a fault delays it first.
func (x *exchange) inject() bool {
	if x.at.Faults.Empty() && len(x.r.Header[fault.Header]) == 0 {
		return true
	}
	own, err := x.requestedFault()
	if err != nil {
		x.reply = x.refuse(err)
		return false
	}
	verdict, counted := x.at.Faults.Decide(x.faultQuery(own))
	x.faults = [2]*fault.Set{x.at.Faults, counted}
	if len(verdict.Fired) == 0 {
		return true
	}
	x.injected = x.newInjected(verdict)
	if x.pause = verdict.Delay(fault.Before); x.pause > 0 {
		return false
	}
	return x.answersFirst()
}

// newInjected returns what the faults do that fired for the request.
func (x *exchange) newInjected(verdict fault.Verdict) *injected {
	i := &injected{headers: verdict.Headers(), after: verdict.Delay(fault.After)}
	for _, f := range verdict.Fired {
		i.Fired = append(i.Fired, f.Rule.Name)
		if f.Rule.Then.ExpireToken {
			i.expires = cmp.Or(i.expires, f.Rule.Name)
		}
	}
	i.DelayMicros = (verdict.Delay(fault.Before) + i.after).Microseconds()
	if answer := verdict.Answer(); answer != nil {
		then := answer.Rule.Then
		i.answer, i.connection = answer, then.Connection.Over(x.r.ProtoMajor)
		i.AnsweredBy, i.Phase = answer.Rule.Name, string(answer.Phase)
		i.Undocumented = then.Status != 0 && x.op != nil && !x.op.Lists(then.Status)
		if then.Connection != nil {
			i.Connection = then.Connection.Name()
		}
	}
	return i
}

// answersFirst reports whether the operation is to be carried out: not if a fault answers before it.
func (x *exchange) answersFirst() bool {
	answer := x.injected.answer
	if answer == nil || answer.Phase == fault.After {
		return true
	}
	x.reply = reply{decision: x.faultDecision(answer.Rule.Name, contract.EverywhereFaults)}
	if answer.Rule.Then.Status != 0 {
		x.reply = x.faultReply(answer.Rule)
	}
	return false
}

// wait waits out a delay. It fails when the client disconnects, and ends early when the server shuts down.
func (x *exchange) wait(delay time.Duration) error {
	if delay == 0 {
		return nil
	}
	return fault.Wait(x.r.Context(), x.handler.Draining, delay)
}

// connection returns the connection fault by which the answer is delivered, or nil.
func (x *exchange) connection() *fault.Connection {
	if x.injected == nil {
		return nil
	}
	return x.injected.connection
}

// underFault returns what a fault makes of the bank's answer. The decision stays the bank's.
func (x *exchange) underFault(bank reply) reply {
	if x.injected == nil || x.injected.answer == nil {
		return bank
	}
	x.injected.BankStatus = bank.status
	if x.injected.answer.Rule.Then.Status == 0 {
		return bank
	}
	rep := x.faultReply(x.injected.answer.Rule)
	rep.decision = bank.decision
	return rep
}

// faultDecision returns the decision of a fault, whose answer rests on an entry of the ledger.
func (x *exchange) faultDecision(rule string, entry *contract.Entry) journal.Decision {
	outcome, message := journal.Faulted, "a fault came before the operation: nothing was carried out"
	if x.op == nil {
		outcome, message = journal.Stubbed, "a stub of the scenario or of the control API answers: the path isn't the interface's"
	}
	return journal.Decision{
		Outcome: outcome,
		Rule:    rule,
		Message: message,
		Basis:   string(entry.BasisUnder(x.behavior)),
		Entries: union([]string{entry.ID, contract.EverywhereFaults.ID}),
	}
}

// faultReply is the answer of a fault that has a status: the error body, code and headers that the operation's family has
// for it, unless the fault says otherwise.
func (x *exchange) faultReply(rule *fault.Rule) reply {
	then := rule.Then
	if then.Body != nil || rule.IsStub() { // a stub with status 204 or 304 needs no body
		var body []byte
		if then.Body != nil {
			body = []byte(*then.Body)
		}
		return reply{status: then.Status, body: body, code: contract.ErrorCode(body),
			decision: x.faultDecision(rule.Name, contract.EverywhereFaults)}
	}
	own := cmp.Or(then.Error, &fault.Error{})
	like := x.injection(then.Status, own.Code)
	switched := x.behavior.Messages[like.Code]
	message := cmp.Or(own.Message, switched, like.Message)
	rep := errorReply(x.family, like.Refusal, then.Status, message) // whatever status a scenario gives to refusals of the bank's
	if !like.Entry.Concerns(x.op.Name) {                            // another operation of the family has it
		like.Entry = contract.EverywhereFaults
	}
	rep.code, rep.decision = like.Code, x.faultDecision(rule.Name, like.Entry)
	if switched != "" && own.Message == "" {
		rep.decision.Entries = append(rep.decision.Entries, contract.EverywhereMessages.ID)
	}
	return rep
}

// injection returns the error of the family that a fault answers with: that of a code or, where the family doesn't have
// the code, that of the status with the code in it.
func (x *exchange) injection(status int, code string) contract.Injection {
	like := x.family.Injection(status)
	if code == "" || code == like.Code {
		return like
	}
	known, ok := x.family.InjectionOf(status, code)
	switch {
	case !ok:
		known, known.Code, known.Entry = like, code, contract.EverywhereFaults
	case !slices.Contains(x.family.Statuses(known.Refusal), status): // it goes with another status
		known.Entry = contract.EverywhereFaults
	}
	return known
}

// requestedFault returns the fault that the request asks for by its header, if the scenario lets it.
func (x *exchange) requestedFault() ([]fault.Rule, error) {
	values := x.r.Header.Values(fault.Header)
	if len(values) == 0 || !x.behavior.FaultHeader || x.op == nil {
		return nil, nil
	}
	rules, err := scenario.ParseFaults(fault.Header, fault.FromHeader(strings.Join(values, "; "), x.op.Name))
	var problems scenario.Problems
	if errors.As(err, &problems) {
		return nil, sim.Refuse(contract.FaultMalformed, "header %s: %s", fault.Header, problems[0].Message)
	}
	return rules, err
}

// faultQuery is the request as the conditions of faults see it.
func (x *exchange) faultQuery(own []fault.Rule) *fault.Query {
	return &fault.Query{
		Operation: x.operationName(),
		Method:    x.r.Method,
		Path:      x.request.URL.EscapedPath(),
		Dialect:   x.dialect(),
		Now:       x.at.Now,
		Since:     x.at.Since,
		Header:    x.r.Header,
		Values:    x.query,
		Scope:     sync.OnceValues(x.scope),
		Body:      sync.OnceValue(func() any { return match.Content(x.content.data, x.header("Content-Type")) }),
		First:     own,
	}
}

// scope returns the institution that the request belongs to and the user that it is about, in so far as it says so: by
// its access token, the headers institutionId and fiid, the parameters hostUserId and loginId, the header userid and the id in
// the path.
func (x *exchange) scope() (institutionID, hostUserID string) {
	caller, _ := x.at.World.Authenticate(x.accessToken(), x.at.Now)
	institutionID = cmp.Or(caller.InstitutionID, x.header("institutionId"), x.header("fiid"))
	if hostUserID = cmp.Or(x.query.Get("hostUserId"), x.header("userid")); hostUserID != "" {
		return institutionID, hostUserID
	}
	if kind, id := x.namedUserID(); id != "" {
		if user, err := x.at.World.UserByID(sim.Caller{InstitutionID: institutionID}, kind, id); err == nil {
			return institutionID, user.HostUserID
		}
		if kind == sim.HostUserIDType {
			return institutionID, id
		}
		return institutionID, ""
	}
	return institutionID, caller.HostUserID
}

// namedUserID returns the id by which the path of the request or its parameter loginId names a user, and of what kind it is;
// empty: neither does.
func (x *exchange) namedUserID() (kind, id string) {
	switch kind = x.query.Get("userIdType"); {
	case x.op == nil:
	case x.op.Name == contract.UsersGetStatus.Name && slices.Contains(sim.UserIDTypes, kind):
		return kind, x.pathVar("institutionUserId")
	case x.op.TakesQuery("loginId"):
		return sim.LoginIDType, x.query.Get("loginId")
	}
	return "", ""
}
