package bankapi_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// userStatus predicts the answer of users.getStatus, asked for by a hostUserId or a login name.
func (b *refBank) userStatus(c credentials, transactionID, kind, id string, now time.Time) verdict {
	caller, wrong := b.authenticate(c, false, now)
	if wrong != "" {
		return refused(wrong)
	}
	user := b.user(caller.institution, id)
	if kind == sim.LoginIDType {
		user = b.userNamed(caller.institution, id)
	}
	switch {
	case transactionID == "":
		return refused(contract.RequestIDMissing)
	case len(transactionID) != 36:
		return refused(contract.RequestIDMalformed)
	case kind == "":
		return refused(contract.ParameterMissing)
	case kind == "EMAIL":
		return refused(contract.ParameterMalformed)
	case caller.user != "" && (user == nil || user.ID != caller.user):
		return refused(sim.TokenOfAnotherUser)
	case user == nil:
		return refused(sim.UserUnknown)
	}
	of, active := caller.institution+"/"+user.ID, user.Active
	return verdict{then: func(l *learner, body string) {
		got := decodeSome[struct {
			ID     string `json:"institutionUserId"`
			Active bool   `json:"active"`
		}](l, body)
		l.constant("institutionUserId of "+of, got.ID)
		l.equal(active, got.Active, "active")
	}}
}

func (m *machine) getUserStatus(t *rapid.T) {
	name, bearer := m.somewhere()
	op := m.spoken(contract.UsersGetStatus)
	transactionID := mostly(t, "transactionId", []string{aUUID}, "t-1", "")
	kind := mostly(t, "userIdType", []string{sim.HostUserIDType, sim.LoginIDType}, "EMAIL", "")
	id := pick(t, "id", "1001", "avery", "1002", "blake", "1003", "7")
	c := at(wireBody{}.call(op, bearer, "transactionId", transactionID), "{institutionUserId}", id)
	if kind != "" {
		c = c.WithQuery("userIdType=" + kind)
	}
	m.call(name, op, m.perhapsHead(c), func(s *refSandbox, _ string) verdict {
		return s.bank.userStatus(bearer, transactionID, kind, id, s.now)
	})
}
