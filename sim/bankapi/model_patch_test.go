package bankapi_test

import (
	"fmt"
	"net/http"
	"time"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func (m *machine) patchInstitution(t *rapid.T) {
	id, on := pick(t, "institution", "02688", "05523", "7"), rapid.Bool().Draw(t, "multistatement")
	m.inSandbox(http.MethodPatch, "/institutions/"+id, fmt.Sprintf(`{"multistatement":%v}`, on), func(s *refSandbox) int {
		in := s.bank.institution(id)
		if in == nil {
			return 404
		}
		in.Multistatement = on
		return 200
	})
}

func (m *machine) patchUser(t *rapid.T) {
	institution, id := pick(t, "institution", "02688", "02688", "05523"), pick(t, "user", "1001", "1002", "1003", "1004", "7")
	active, status := optional(t, "active", true, true, false), optional(t, "disclosureStatus", "ACCEPTED", "ACCEPTED", "NOT_ACCEPTED", "MAYBE")
	m.inSandbox(http.MethodPatch, "/institutions/"+institution+"/users/"+id, patchBody("active", active, status), func(s *refSandbox) int {
		user := s.bank.user(institution, id)
		switch {
		case status != nil && *status == "MAYBE":
			return 400
		case user == nil:
			return 404
		case active != nil:
			user.Active = *active
		}
		user.Disclosures = withStatus(user.Disclosures, status, s.now)
		return 200
	})
}

func (m *machine) patchAccount(t *rapid.T) {
	institution, id := pick(t, "institution", "02688", "02688", "05523"), pick(t, "user", "1001", "1002", "1003", "7")
	accountID := pick(t, "account", "checking", "savings", "loan")
	activate, status := optional(t, "activateEstatement", true, false), optional(t, "disclosureStatus", "ACCEPTED", "ACCEPTED", "NOT_ACCEPTED")
	path := "/institutions/" + institution + "/users/" + id + "/accounts/" + accountID
	m.inSandbox(http.MethodPatch, path, patchBody("activateEstatement", activate, status), func(s *refSandbox) int {
		user := s.bank.user(institution, id)
		if user == nil || user.account(accountID) == nil {
			return 404
		}
		account := user.account(accountID)
		account.Disclosures = withStatus(account.Disclosures, status, s.now)
		if activate != nil {
			account.prefer(*activate)
		}
		return 200
	})
}

func patchBody(flag string, on *bool, status *string) string {
	body := map[string]any{}
	if on != nil {
		body[flag] = *on
	}
	if status != nil {
		body["disclosureStatus"] = *status
	}
	return simtest.JSON(body)
}

// withStatus sets the status of disclosures. One that has it keeps its time; if there are none, one is added.
func withStatus(ds []refDisclosure, status *string, now time.Time) []refDisclosure {
	if status == nil {
		return ds
	}
	if len(ds) == 0 {
		return []refDisclosure{{Name: "OLS", Status: *status, Updated: now}}
	}
	for i := range ds {
		if ds[i].Status != *status {
			ds[i].Status, ds[i].Updated = *status, now
		}
	}
	return ds
}
