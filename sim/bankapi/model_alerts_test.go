package bankapi_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// alertScope returns the institution and the user that an alert request is about, or the rule that refuses the request before
// its body is read.
func (b *refBank) alertScope(r alertRequest, now time.Time) (in *refInstitution, user string, wrong sim.Code) {
	is := b.behavior.Alerts
	caller, wrong := b.optionalCaller(r.credentials, true, is.Auth, now)
	institutionID, user := cmp.Or(r.fiid, caller.institution, b.Institutions[0].ID), cmp.Or(r.userid, caller.user)
	in = b.institution(institutionID)
	switch {
	case wrong != "":
		return nil, "", wrong
	case is.Headers == sim.Required && r.fiid == "":
		return nil, "", contract.HeaderMissing
	case is.Headers == sim.Required && r.transactionID == "":
		return nil, "", contract.RequestIDMissing
	case is.Headers == sim.Required && r.userid == "":
		return nil, "", contract.HeaderMissing
	case in == nil || caller.institution != "" && caller.institution != institutionID:
		return nil, "", sim.InstitutionUnknown
	case user != "" && b.user(institutionID, user) == nil, caller.user != "" && caller.user != user:
		return nil, "", sim.UserUnknown
	}
	return in, user, ""
}

// alert returns the index of an alert preference of a user, -1: there is none.
func (in *refInstitution) alert(user string, id int64) int {
	return slices.IndexFunc(in.alerts, func(a refAlert) bool { return a.id == id && a.user == user })
}

// getAlert predicts the answer of alerts.getPreference.
func (b *refBank) getAlert(r alertRequest, id int64, now time.Time) verdict {
	in, user, wrong := b.alertScope(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	at := in.alert(user, id)
	if at < 0 {
		return refused(sim.AlertPreferenceUnknown)
	}
	return wants(in.alerts[at].content)
}

// listAlerts predicts the answer of alerts.listPreferences, with a size of its pages.
func (b *refBank) listAlerts(r alertRequest, page, size int, now time.Time) verdict {
	in, user, wrong := b.alertScope(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	all := []alertBody{}
	for _, a := range in.alerts {
		if a.user == user {
			all = append(all, a.content)
		}
	}
	slices.SortFunc(all, func(x, y alertBody) int { return cmp.Compare(*x.Details.ID, *y.Details.ID) })
	all = all[min(page*size, len(all)):]
	return wants(alertList{all[:min(size, len(all))]})
}

// alertList is the answer of alerts.listPreferences.
type alertList struct {
	AlertPreferences []alertBody `json:"alertPreferences"`
}

// updateAlert predicts the answer of alerts.updatePreference.
func (b *refBank) updateAlert(r alertRequest, id int64, callback bool, now time.Time) verdict {
	in, user, wrong := b.alertScope(r, now)
	if wrong == "" {
		wrong = r.body.fault
	}
	if wrong != "" {
		return refused(wrong)
	}
	at := in.alert(user, id)
	if at < 0 {
		return refused(sim.AlertPreferenceUnknown)
	}
	if r.alert.AllowCallback == nil {
		r.alert.AllowCallback = &callback
	}
	if rule := b.refusesAlert(in, user, r.alert); rule != "" {
		return refused(rule)
	}
	in.alerts[at].content = r.alert.stored(id, in.ID, user)
	return wants(in.alerts[at].content)
}

// deleteAlert predicts the answer of alerts.deletePreference.
func (b *refBank) deleteAlert(r alertRequest, id int64, now time.Time) verdict {
	in, user, wrong := b.alertScope(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	at := in.alert(user, id)
	if at < 0 {
		return refused(sim.AlertPreferenceUnknown)
	}
	in.alerts = slices.Delete(in.alerts, at, at+1)
	return verdict{}
}

// anAlert draws a request about an alert preference of a sandbox, most often with the user that it belongs to.
func (m *machine) anAlert(t *rapid.T, name string, r *alertRequest) (id int64) {
	if s := m.sandboxes[name]; s != nil && !chance(t, 5, "another id") {
		for i, in := range s.bank.Institutions {
			if in.ID == r.fiid && len(in.alerts) > 0 {
				a := pick(t, "alert", s.bank.Institutions[i].alerts...)
				if a.user != "" && !chance(t, 5, "of another user") {
					r.userid = a.user
				}
				return a.id
			}
		}
	}
	return pick(t, "alert id", int64(1), 2, 3, 99)
}

func (m *machine) getAlert(t *rapid.T) {
	name, bearer := m.somewhere()
	r := drawAlert(t, bearer)
	id := m.anAlert(t, name, &r)
	c := at(r.wireOf(contract.AlertsGetPreference), "{alertPreferenceId}", fmt.Sprint(id)).WithBody("").Without("content-type")
	m.call(name, contract.AlertsGetPreference, m.perhapsHead(c), func(s *refSandbox, _ string) verdict { return s.bank.getAlert(r, id, s.now) })
}

func (m *machine) listAlerts(t *rapid.T) {
	name, bearer := m.somewhere()
	r := drawAlert(t, bearer)
	c := r.wireOf(contract.AlertsListPreferences).WithBody("").Without("content-type")
	page, size := 0, 100
	if chance(t, 2, "pages") {
		page, size = pick(t, "page", 0, 1, 2), pick(t, "size", 1, 2)
		c = c.WithQuery(fmt.Sprintf("pageNo=%d&pageSize=%d", page, size))
	}
	m.call(name, contract.AlertsListPreferences, m.perhapsHead(c), func(s *refSandbox, _ string) verdict { return s.bank.listAlerts(r, page, size, s.now) })
}

func (m *machine) updateAlert(t *rapid.T) {
	name, bearer := m.somewhere()
	r := drawAlert(t, bearer)
	id := m.anAlert(t, name, &r)
	c, callback := at(r.wireOf(contract.AlertsUpdatePreference), "{alertPreferenceId}", fmt.Sprint(id)), true
	if chance(t, 3, "allowCallback") {
		callback = false
		c = c.WithQuery("allowCallback=false")
	}
	m.call(name, contract.AlertsUpdatePreference, c, func(s *refSandbox, _ string) verdict { return s.bank.updateAlert(r, id, callback, s.now) })
}

func (m *machine) deleteAlert(t *rapid.T) {
	name, bearer := m.somewhere()
	r := drawAlert(t, bearer)
	id := m.anAlert(t, name, &r)
	c := at(r.wireOf(contract.AlertsDeletePreference), "{alertPreferenceId}", fmt.Sprint(id)).WithBody("").Without("content-type")
	m.call(name, contract.AlertsDeletePreference, c, func(s *refSandbox, _ string) verdict { return s.bank.deleteAlert(r, id, s.now) })
}
