package bankapi

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// refuse returns the reply to a request that is refused with an error. An error that no rule raised is an internal fault:
// its text is not sent.
func (x *exchange) refuse(err error) reply {
	f, b := x.family, x.behavior
	var raised *sim.Error
	if !errors.As(err, &raised) {
		raised = &sim.Error{Code: contract.InternalFault, Message: "the simulator failed; its log says why"}
	}
	refusal, message := f.Refusal(raised.Code), strings.ToValidUTF8(raised.Message, "\uFFFD") // it may quote the caller
	switched := b.Messages[refusal.Code]
	rep := errorReply(f, refusal, f.Status(refusal, b), cmp.Or(switched, message))
	rep.decision = journal.Decision{
		Outcome: journal.Refused,
		Rule:    string(raised.Code),
		Row:     raised.Row,
		Message: message,
		Basis:   string(refusal.Entry.BasisUnder(b)),
		Entries: append([]string{refusal.Entry.ID}, ids(f.ErrorRests)...),
	}
	if seconds := contract.WorthRepeating[raised.Code]; seconds != "" {
		rep.header(contract.RetryAfter.Name, seconds)
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
	rep := reply{status: status, body: f.Error(status, r.Code, message)}
	if status == http.StatusUnauthorized {
		challenge := f.Challenge
		if r.Rule == sim.TokenUnknown || r.Rule == sim.TokenExpired {
			challenge += contract.InvalidToken
		}
		rep.header(contract.ChallengeHeader.Name, challenge)
	}
	return rep
}

func ids(entries []*contract.Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.ID
	}
	return all
}
