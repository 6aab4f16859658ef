package bankapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// injected is the effect of faults on a reply.
type injected struct {
	journal.Fault
	headers    [][2]string       // set in the answer, in place of its own
	connection *fault.Connection // nil: the answer is written as any other
	after      time.Duration     // how long the answer is held back once it is decided
}

// perform carries out an operation under the faults of its sandbox. Which of them fire is decided once, before all else. If
// it fails, the generation of the sandbox is over, and nothing was carried out.
func (h *Handler) perform(w http.ResponseWriter, sb *sandbox.Sandbox, c *call) (rep reply, err error) {
	c.generation, c.fired = sb.Generation(), nil
	if c.generation.Faults().Empty() && len(c.request.Header[fault.Header]) == 0 {
		return h.run(sb, c)
	}
	now, err := sb.NowIn(c.generation)
	if err != nil {
		return reply{}, err
	}
	h.begin(c, now)
	own, err := c.requestedFault()
	if err != nil {
		return refuse(c.family, c.behavior(), err), nil
	}
	verdict := c.Faults.Decide(c.faultQuery(own))
	if len(verdict.Fired) == 0 {
		return h.run(sb, c)
	}
	h.faults.WithLabelValues(c.Name).Add(float64(len(verdict.Fired)))
	note := &injected{headers: verdict.Headers()}
	for _, f := range verdict.Fired {
		note.Fired = append(note.Fired, f.Rule.Name)
	}
	c.fired = note
	before, after := verdict.Delay(fault.Before), verdict.Delay(fault.After)
	if delay := before + after; delay > 0 {
		note.DelayMicros = delay.Microseconds()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(delay + writeTimeout))
	}
	gone := h.wait(c, before)
	if _, err := sb.NowIn(c.generation); err != nil {
		return reply{}, err
	}
	if gone != nil {
		return c.abandoned(note), nil
	}
	if rep, err = h.answerUnder(sb, c, verdict.Answer(), note); err != nil {
		return reply{}, err
	}
	note.after = after
	rep.injected = note
	return rep, nil
}

// wait waits out a delay. It fails when the client disconnects, and ends early when the server shuts down.
func (h *Handler) wait(c *call, delay time.Duration) error {
	if delay == 0 {
		return nil
	}
	return fault.Wait(c.request.Context(), h.Draining, delay)
}

// abandoned is the reply to a client that disconnected before the operation was carried out.
func (c *call) abandoned(note *injected) reply {
	note.connection = &fault.Connection{Kind: fault.Close}
	return reply{injected: note, decision: journal.Decision{
		Outcome: journal.Faulted,
		Rule:    note.Fired[0],
		Message: "the client disconnected during the delay: nothing was carried out",
		Basis:   string(contract.Choice),
		Entries: []string{contract.EverywhereFaults.ID},
	}}
}

// answerUnder carries out the operation, unless a fault comes before it, and lets the fault answer. The decision stays
// the bank's where it made one.
func (h *Handler) answerUnder(sb *sandbox.Sandbox, c *call, answer *fault.Firing, note *injected) (rep reply, err error) {
	if answer == nil {
		return h.run(sb, c)
	}
	then := answer.Rule.Then
	note.AnsweredBy, note.Phase, note.connection = answer.Rule.Name, string(answer.Phase), then.Connection.Over(c.request.ProtoMajor)
	if then.Connection != nil {
		note.Connection = string(then.Connection.Kind)
	}
	var bank reply
	if answer.Phase == fault.After {
		if bank, err = h.run(sb, c); err != nil {
			return reply{}, err
		}
		note.BankStatus = bank.status
	}
	rep = bank
	if then.Status != 0 {
		rep = c.faultReply(answer.Rule)
		note.Undocumented = !c.Lists(then.Status)
	}
	if answer.Phase == fault.After {
		rep.decision = bank.decision
	} else if then.Status == 0 {
		rep.decision = c.faultDecision(answer.Rule, contract.EverywhereFaults)
	}
	return rep, nil
}

// faultDecision returns the decision of a fault, whose answer rests on an entry of the ledger.
func (c *call) faultDecision(rule *fault.Rule, entry *contract.Entry) journal.Decision {
	d := journal.Decision{
		Outcome: journal.Faulted,
		Rule:    rule.Name,
		Message: "a fault came before the operation: nothing was carried out",
		Basis:   string(entry.BasisUnder(c.behavior())),
		Entries: []string{entry.ID},
	}
	if entry != contract.EverywhereFaults {
		d.Entries = append(d.Entries, contract.EverywhereFaults.ID)
	}
	return d
}

// faultReply is the answer of a fault that has a status: the error body, code and headers that the operation's family has
// for it, unless the fault says otherwise.
func (c *call) faultReply(rule *fault.Rule) reply {
	then := rule.Then
	if then.Body != nil {
		return reply{status: then.Status, body: []byte(*then.Body), code: contract.ErrorCode([]byte(*then.Body)), decision: c.faultDecision(rule, contract.EverywhereFaults)}
	}
	own := cmp.Or(then.Error, &fault.Error{})
	like := c.injection(then.Status, own.Code)
	switched := c.behavior().Messages[like.Code]
	usual := cmp.Or(switched, like.Message)
	message := cmp.Or(own.Message, usual)
	rep := errorReply(c.family, like.Refusal, then.Status, message) // whatever status a scenario gives to refusals of the bank's
	rep.code = like.Code
	if like.Entry.Concerns(c.Name) {
		rep.decision = c.faultDecision(rule, like.Entry)
	} else { // another operation of the family has it
		rep.decision = c.faultDecision(rule, contract.EverywhereFaults)
	}
	if switched != "" && own.Message == "" {
		rep.decision.Entries = append(rep.decision.Entries, contract.EverywhereMessages.ID)
	}
	return rep
}

// injection returns the error of the family that a fault answers with: that of a code or, where the family doesn't have
// the code, that of the status with the code in it.
func (c *call) injection(status int, code string) contract.Injection {
	like := c.family.Injection(status)
	if code == "" || code == like.Code {
		return like
	}
	known, ok := c.family.InjectionOf(status, code)
	switch {
	case !ok:
		known, known.Code, known.Entry = like, code, contract.EverywhereFaults
	case !slices.Contains(c.family.Statuses(known.Refusal), status): // it goes with another status
		known.Entry = contract.EverywhereFaults
	}
	return known
}

// requestedFault returns the fault that the request asks for by its header, if the scenario lets it.
func (c *call) requestedFault() ([]fault.Rule, error) {
	values := c.request.Header.Values(fault.Header)
	if len(values) == 0 || !c.behavior().FaultHeader {
		return nil, nil
	}
	rule, err := fault.ParseHeader(strings.Join(values, "; "), c.Name)
	if err != nil {
		return nil, sim.Refuse(contract.FaultMalformed, "header %s: %s", fault.Header, err)
	}
	return []fault.Rule{rule}, nil
}

// faultQuery is the request as the conditions of faults see it.
func (c *call) faultQuery(own []fault.Rule) *fault.Query {
	return &fault.Query{
		Operation: c.Name,
		Dialect:   string(c.dialect()),
		Now:       c.Now,
		Since:     c.Since,
		Header:    c.request.Header,
		Values:    c.query.values(),
		Scope:     sync.OnceValues(c.scope),
		Body:      sync.OnceValue(c.members),
		First:     own,
	}
}

// scope returns the institution that the request belongs to and the user that it is about, in so far as it says so: by
// its access token, the headers institutionId and fiid, the parameters hostUserId and loginId, the header userid and the id in
// the path.
func (c *call) scope() (institutionID, hostUserID string) {
	token := c.authorization()
	if scheme, credentials, found := strings.Cut(token, " "); found && strings.EqualFold(scheme, bearerScheme) {
		token = credentials
	}
	caller, _ := c.World.Authenticate(token, c.Now)
	institutionID = cmp.Or(caller.InstitutionID, c.header("institutionId"), c.header("fiid"))
	if hostUserID = cmp.Or(c.query.Get("hostUserId"), c.header("userid")); hostUserID != "" {
		return institutionID, hostUserID
	}
	if kind, id := c.namedUserID(); id != "" {
		if user, err := c.World.UserByID(sim.Caller{InstitutionID: institutionID}, kind, id); err == nil {
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
func (c *call) namedUserID() (kind, id string) {
	switch kind = c.query.Get("userIdType"); {
	case c.Name == contract.UsersGetStatus.Name && slices.Contains(sim.UserIDTypes, kind):
		return kind, c.pathVar("institutionUserId")
	case c.TakesQuery("loginId"):
		return sim.LoginIDType, c.query.Get("loginId")
	}
	return "", ""
}
