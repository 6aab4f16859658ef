package bankapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// call is the argument of an operation's function: a request, and the bank to carry it out in.
type call struct {
	*request
	moment                       // whose World and Now goBack sets to an earlier time
	present    sandbox.View      // where callers and request ids are looked up
	documented *contract.Answer  // that the policy selects
	lints      []journal.Lint    // see lint
	waived     []*contract.Entry // whose refusals the scenario has turned off, and the request has met
}

func newCall(req *request, m moment) *call {
	return &call{request: req, moment: m, present: m.View, documented: m.op.Answer(m.policy)}
}

// goBack lets a reading operation answer from the data of some time ago, as far as the journal reaches. It reports
// whether that may change the answer. A job goes on by time alone, without an exchange.
func (c *call) goBack(age time.Duration) bool {
	if age == 0 || c.op.Changes {
		return false
	}
	then := c.Now.Add(-age)
	past := c.Journal.WorldAt(then)
	c.Now = then
	if past != nil {
		c.World = c.World.WithDataOf(past)
	}
	return past != nil || strings.HasPrefix(c.op.Name, "jobs.")
}

// lint notes something about the request that changes no answer, but that its sender may want to know.
func (c *call) lint(code, message string) {
	c.lints = append(c.lints, journal.Lint{Code: code, Message: message})
}

// answer is what an operation's function returns for a request that it accepts.
type answer struct {
	documented *contract.Answer
	body       []byte // in JSON, or nil if there is none
	subject    any    // the value that the evidence of the operation reads, or nil
	repeated   bool   // whether it is that of an earlier request
}

// answer returns the answer that the policy selects, with a value as its body and a value for the evidence.
func (c *call) answer(body, subject any) answer {
	return answer{documented: c.documented, body: strictjson.MustEncode(body), subject: subject}
}

// emptyAnswer returns the answer that the policy selects, without a body.
func (c *call) emptyAnswer(subject any) answer {
	return answer{documented: c.documented, subject: subject}
}

// reply returns the answer as the reply of an operation.
func (a answer) reply(op *contract.Operation) reply {
	rep := reply{status: a.documented.Status, body: a.body}
	if op.NoStore && a.body != nil {
		for _, h := range []contract.Header{contract.CacheControl, contract.Pragma} {
			rep = rep.with(h.Name, h.About)
		}
	}
	return rep
}

// link returns the address of an operation on the caller's base URL, in the dialect of its path. Variables are given
// with their values.
func (c *call) link(op *contract.Operation, variables ...string) string {
	path := contract.In(c.asked.Dialect).Operation(op.Name).Path
	for i := 0; i < len(variables); i += 2 {
		path = strings.Replace(path, "{"+variables[i]+"}", variables[i+1], 1)
	}
	return c.baseURL + path
}

// waives reports whether the scenario has the bank accept what a rule refuses. If so, it notes the mistake of
// the request as a lint.
func (c *call) waives(rule sim.Code, wrong string) bool {
	refusal := c.op.Family.Refusal(rule)
	if !refusal.IsAccepted(c.policy) {
		return false
	}
	if slices.Contains(c.waived, refusal.Entry) { // evidence asks again
		return true
	}
	c.waived = append(c.waived, refusal.Entry)
	c.lint("accepted", fmt.Sprintf("%s: it is accepted, because behavior.refusals has %s", wrong, refusal.Entry.ID))
	return true
}

// refuseUnlessWaived refuses the request by a rule, unless the scenario has the bank accept what the rule refuses.
func (c *call) refuseUnlessWaived(rule sim.Code, format string, args ...any) error {
	return c.unlessWaived(sim.Refuse(rule, format, args...))
}

// unlessWaived returns the error of a rule, or nil if the scenario has the bank accept what the rule refuses.
func (c *call) unlessWaived(err error) error {
	var raised *sim.Error
	if errors.As(err, &raised) && c.waives(raised.Code, raised.Message) {
		return nil
	}
	return err
}

// takesHeader reports whether the operation reads a header.
func (c *call) takesHeader(name string) bool {
	return slices.ContainsFunc(c.op.Parameters, func(p contract.Parameter) bool {
		return p.In == "header" && strings.EqualFold(p.Name, name)
	})
}

// requestID returns the header that identifies the request, or "" if it is missing.
func (c *call) requestID() string { return c.header(c.op.Family.RequestID) }

// requireRequestID refuses a request without the header that identifies it, or with one that the family doesn't take.
func (c *call) requireRequestID() error {
	switch {
	case c.requestID() == "":
		return c.refuseUnlessWaived(contract.RequestIDMissing, "header %s is missing", c.op.Family.RequestID)
	case c.op.Family.RequestIDs != nil:
		return c.requireUUID()
	}
	return nil
}

// requireUUID refuses a request unless a UUID identifies it.
func (c *call) requireUUID() error {
	if !contract.UUID.MatchString(c.requestID()) {
		return c.refuseUnlessWaived(contract.RequestIDMalformed,
			"header %s must be a UUID", c.op.Family.RequestID)
	}
	return nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// institutionHeader is the header that names the institution of a client's request.
const institutionHeader = "institutionId"

// institutionID returns the numeric header institutionId, once the request has the header that identifies it.
func (c *call) institutionID() (string, error) {
	id := c.header(institutionHeader)
	if id == "" {
		return "", sim.Refuse(contract.InstitutionMissing, "header institutionId is missing")
	}
	if strings.Trim(id, "0123456789") != "" {
		return "", sim.Refuse(contract.InstitutionMissing, "header institutionId must be digits only")
	}
	return id, c.requireRequestID()
}

// bearer authenticates the caller by its bearer token (RFC 6750 2.1).
func (c *call) bearer() (sim.Caller, error) {
	if len(c.Header["Authorization"]) == 0 {
		return sim.Caller{}, sim.Refuse(contract.TokenMissing, "header Authorization is missing")
	}
	token := c.bearerToken()
	if !isToken(token) {
		return sim.Caller{}, sim.Refuse(contract.TokenMalformed,
			"header Authorization must be Bearer, a space and an access token")
	}
	return c.authorize(token)
}

// authorize returns the caller that an access token with the operation's scope stands for.
func (c *call) authorize(token string) (sim.Caller, error) {
	return c.present.World.Authorize(token, c.op.Scopes(), c.present.Now)
}

// isToken reports whether text can be an access token: it isn't empty and has no separators.
func isToken(text string) bool { return text != "" && !strings.ContainsAny(text, " \t,") }

// optionalBearer authenticates the caller if it has credentials, or must have some.
func (c *call) optionalBearer(presence sim.Presence) (sim.Caller, error) {
	if presence == sim.Optional && len(c.Header["Authorization"]) == 0 {
		return sim.Caller{}, nil
	}
	return c.bearer()
}

// identifiedBearer authenticates the caller of a request that has the header that identifies it.
func (c *call) identifiedBearer() (sim.Caller, error) {
	caller, err := c.bearer()
	if err != nil {
		return caller, err
	}
	return caller, c.requireRequestID()
}

// client authenticates a client by its Basic credentials (RFC 7617). RFC 6749 2.3.1 wants the keys form-encoded first,
// and many clients don't do that: both readings are taken, the plain one first. wasEncoded says that the keys count
// only after they are decoded.
func (c *call) client() (sharedKey, secretKey string, wasEncoded bool, err error) {
	sharedKey, secretKey, ok := c.BasicAuth()
	if !ok || len(c.Header["Authorization"]) > 1 {
		return "", "", false, sim.Refuse(sim.ClientUnknown,
			"header Authorization must be Basic with the shared key and the secret key")
	}
	if err = c.World.AuthenticateClient(sharedKey, secretKey); err == nil {
		return sharedKey, secretKey, false, nil
	}
	shared, secret, ok := formDecoded(sharedKey, secretKey)
	if ok && c.World.AuthenticateClient(shared, secret) == nil {
		return shared, secret, true, nil
	}
	return "", "", false, err
}

// formDecoded returns keys that were form-encoded. It returns false if they were not form-encoded.
func formDecoded(sharedKey, secretKey string) (shared, secret string, ok bool) {
	shared, sharedErr := url.QueryUnescape(sharedKey)
	secret, secretErr := url.QueryUnescape(secretKey)
	return shared, secret, sharedErr == nil && secretErr == nil && (shared != sharedKey || secret != secretKey)
}

// hasEncodedKeys reports whether the keys of a client count only after they are decoded.
func (c *call) hasEncodedKeys() bool {
	_, _, wasEncoded, _ := c.client()
	return wasEncoded
}
