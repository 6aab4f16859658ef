package testkit_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
)

// CarefulOnboarding does what Onboarding does, all of it or nothing.
type CarefulOnboarding struct{ Onboarding }

func (o *CarefulOnboarding) Welcome(user string) error {
	var undo []func() error
	for _, step := range []struct{ do, undo func() error }{
		{func() error { return o.terms(user, "ACCEPTED") }, func() error { return o.terms(user, "NOT_ACCEPTED") }},
		{func() error { return o.paperless(user, true) }, func() error { return o.paperless(user, false) }},
		{func() error { return o.addAlert(user) }, nil},
	} {
		if err := step.do(); err != nil {
			for _, back := range slices.Backward(undo) {
				err = errors.Join(err, back())
			}
			return err
		}
		undo = append(undo, step.undo)
	}
	return nil
}

// terms and paperless come to the same however often they are sent, so they are sent again until the bank has answered.
func (o *CarefulOnboarding) terms(user, status string) error {
	return o.persist(func() error {
		_, err := o.send(o.HTTP, "POST", "/digitalbanking/db-disclosures/v1/institution-user-disclosures?hostUserId="+user, user,
			map[string]any{"institutionDisclosureName": "OLS", "institutionUserDisclosureStatus": status, "paperWaiver": false})
		return err
	})
}

func (o *CarefulOnboarding) paperless(user string, on bool) error {
	return o.persist(func() error {
		_, err := o.send(o.HTTP, "PUT", "/digitalbanking/ux-users/v2/e-statements/user/preferences?hostUserId="+user, user,
			map[string]any{"activateEstatement": on})
		return err
	})
}

// addAlert asks whether there is the alert before it sends it again.
func (o *CarefulOnboarding) addAlert(user string) error {
	sent := false
	return o.persist(func() error {
		if sent {
			there, err := o.hasAlert(user)
			if err != nil || there {
				return err
			}
		}
		sent = true
		_, err := o.send(o.HTTP, "POST", "/digitalbanking/db-alerts-preferences/v1/alert-preferences", user, lowBalance)
		return err
	})
}

func (o *CarefulOnboarding) hasAlert(user string) (bool, error) {
	answer, err := o.send(o.HTTP, "GET", "/digitalbanking/db-alerts-preferences/v1/alert-preferences?alertTypes=LOW_BALANCE", user, nil)
	var list struct{ AlertPreferences []any }
	if err == nil {
		err = json.Unmarshal(answer, &list)
	}
	return len(list.AlertPreferences) > 0, err
}

// persist tries until the bank has done it or refuses it: not if it is only busy, or broken, or doesn't answer.
func (o *CarefulOnboarding) persist(try func() error) (err error) {
	for range 8 {
		err = try()
		var no refused
		if err == nil || errors.As(err, &no) && no.status < 500 && no.status != http.StatusTooManyRequests {
			return err
		}
	}
	return err
}
