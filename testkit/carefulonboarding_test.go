package testkit_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"
)

// CarefulOnboarding does what Onboarding does, all of it or nothing.
type CarefulOnboarding struct {
	Onboarding
	Login func() (token string)
}

func (o *CarefulOnboarding) Welcome(user string) error {
	var undo []func() error
	for _, step := range []struct{ do, undo func() error }{
		{func() error { return o.terms(user, "ACCEPTED") }, func() error { return o.terms(user, "NOT_ACCEPTED") }},
		{func() error { return o.paperless(user, true) }, func() error { return o.paperless(user, false) }},
		{func() error { return o.addAlert(user) }, func() error { return nil }},
	} {
		undo = append(undo, step.undo) // of a step that fails, too: it may have been done
		if err := step.do(); err != nil {
			for _, back := range slices.Backward(undo) {
				err = errors.Join(err, back())
			}
			return err
		}
	}
	return nil
}

// terms and paperless come to the same however often they are sent, so they are sent again until the bank has answered.
func (o *CarefulOnboarding) terms(user, status string) error {
	return o.persist(func() error {
		_, err := o.send(o.HTTP, "POST", disclosuresPath+user, user, terms(status))
		return err
	})
}

func (o *CarefulOnboarding) paperless(user string, on bool) error {
	return o.persist(func() error {
		_, err := o.send(o.HTTP, "PUT", paperlessPath+user, user, map[string]any{"activateEstatement": on})
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
		_, err := o.send(o.HTTP, "POST", alertsPath, user, lowBalance)
		return err
	})
}

func (o *CarefulOnboarding) hasAlert(user string) (bool, error) {
	answer, err := o.send(o.HTTP, "GET", alertsPath+"?alertTypes=LOW_BALANCE", user, nil)
	var list struct{ AlertPreferences []any }
	if err == nil {
		err = json.Unmarshal(answer, &list)
	}
	return len(list.AlertPreferences) > 0, err
}

// persist tries until the bank has done it or refuses it, four times at most, and begins no more after two seconds. A
// bank that is busy or broken, or doesn't answer, has not refused. If the token has expired, persist gets another one.
func (o *CarefulOnboarding) persist(try func() error) (err error) {
	began := time.Now()
	for n := 0; n < 4 && time.Since(began) < 2*time.Second; n++ {
		err = try()
		var no refused
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &no):
		case no.status == http.StatusUnauthorized:
			o.Token = o.Login()
		case no.status < 500 && no.status != http.StatusTooManyRequests:
			return err
		}
	}
	return err
}
