package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// settings are the settings of accounts that an exchange could change: how statements are delivered.
type settings struct {
	accounts []account
	users    []string         // all of whose accounts it could change at once
	before   map[account]bool // whether statements were electronic
	accepted map[account]bool // what the service has said that it set last
	touched  map[string]bool  // users whose settings were set at once, or may have been
}

// add adds what a request could change.
func (s *settings) add(a aim, given func(account) bool) {
	for _, acc := range a.accounts {
		if given(acc) && !slices.Contains(s.accounts, acc) {
			s.accounts = append(s.accounts, acc)
		}
	}
	for _, user := range a.users {
		if !slices.Contains(s.users, user) {
			s.users = append(s.users, user)
		}
	}
}

// agreed returns what all accounts of a user had, if it was the same.
func (s *settings) agreed(user string) (electronic, same bool) {
	var values []bool
	for _, acc := range s.accounts {
		if acc.user == user {
			values = append(values, s.before[acc])
		}
	}
	return len(values) > 0 && values[0], len(slices.Compact(values)) == 1
}

// readSettings reads what the exchange could change. What can't be read can't be put back, so the exchange is skipped.
func (r *replay) readSettings(ctx context.Context) error {
	for _, a := range r.aims {
		for _, user := range a.unknown {
			if err := r.ruleOut(ctx, user); err != nil {
				return err
			}
		}
	}
	for _, acc := range r.accounts {
		electronic, err := r.readSetting(ctx, acc)
		if err != nil {
			return skipped(fmt.Sprintf("the setting of account %s, which it could change, can't be read first: %v", acc.id, err))
		}
		r.before[acc] = electronic
	}
	return nil
}

// ruleOut makes sure that a user is unknown to the service, too.
func (r *replay) ruleOut(ctx context.Context, user string) error {
	some := fixtures.Users[0]
	got, err := r.client.sendAgain(ctx, r.bank().request(r.readRequest(account{user, some.Accounts[0]}, some.Token)))
	if err != nil {
		return skipped(fmt.Sprintf("whether the service has a user %s, whose settings it would change, can't be read first: %v", user, err))
	}
	unknown := contract.EstatementsGetDisclosures.Family.Refusal(sim.UserUnknown)
	if got.status != unknown.Status && contract.ErrorCode(got.body) != unknown.Code {
		return skipped(fmt.Sprintf("the service may have a user %s, whose settings it would change: it answered %d to a read", user, got.status))
	}
	return nil
}

// readSetting asks whether an account's statements are electronic.
func (r *replay) readSetting(ctx context.Context, acc account) (bool, error) {
	got, err := r.client.sendAgain(ctx, r.bank().request(r.readRequest(acc, holder(acc.user))))
	if err != nil {
		return false, err
	}
	if !got.accepted() {
		return false, fmt.Errorf("the service answered %d", got.status)
	}
	var body struct {
		Disclosures []struct {
			PaperWaiver *bool `json:"paperWaiver"`
		} `json:"institutionUserDisclosures"`
	}
	if json.Unmarshal(got.body, &body) != nil || len(body.Disclosures) == 0 || body.Disclosures[0].PaperWaiver == nil {
		return false, fmt.Errorf("the answer doesn't say it")
	}
	return *body.Disclosures[0].PaperWaiver, nil
}

// noteSettings notes which settings an accepted request has changed.
func (r *replay) noteSettings(a aim, golden fixtures.Request) {
	var body struct {
		Electronic *bool `json:"activateEstatement"`
	}
	readable := json.Unmarshal([]byte(golden.Content()), &body) == nil && body.Electronic != nil
	users := namedUsers(golden)
	for _, user := range users {
		if slices.Contains(a.users, user) {
			r.touched[user] = true
		}
	}
	for _, acc := range a.accounts {
		if readable && slices.Contains(users, acc.user) {
			r.accepted[acc] = *body.Electronic
		}
	}
}

// restoreSettings puts the settings back that differ, and returns what is not, or may not be, as it was.
func (r *replay) restoreSettings(ctx context.Context) (failed []string) {
	failed = r.unshown(ctx)
	changed := r.changed(ctx)
	for _, user := range r.users {
		if r.touched[user] || ofUser(changed, user) != nil {
			r.restoreAll(ctx, user, true)
		}
	}
	changed = r.restoreSingly(ctx, r.changed(ctx), true)
	for _, user := range r.users { // those that differed, and some of which can't be set alone
		if rest := ofUser(changed, user); rest != nil {
			_, _ = r.client.sendAgain(ctx, r.bank().request(r.restoreAllRequest(user, r.before[rest[0]])))
			changed = r.restoreSingly(ctx, r.changed(ctx), true)
		}
		if _, same := r.agreed(user); !same && r.touched[user] {
			r.left = append(r.left, fmt.Sprintf("the setting of all accounts of user %s at once, which no request reads", user))
		}
	}
	for _, user := range r.users { // at a service whose disclosures say the opposite
		if ofUser(changed, user) != nil {
			r.restoreAll(ctx, user, false)
		}
	}
	changed = r.restoreSingly(ctx, r.changed(ctx), false)
	for _, acc := range changed {
		failed = append(failed, fmt.Sprintf("the setting of account %s of user %s, whose paperWaiver was %t, could not be put back", acc.id, acc.user, r.before[acc]))
	}
	return failed
}

// unshown returns the accounts whose settings the service has changed without showing it. What they were is not known
// then, so no more settings are changed.
func (r *replay) unshown(ctx context.Context) (failed []string) {
	for _, acc := range r.accounts {
		set, known := r.accepted[acc]
		if !known {
			continue
		}
		if is, err := r.readSetting(ctx, acc); err == nil && is != set {
			r.noSettings = "the service doesn't show the settings that it accepts, so they couldn't be put back: see " + r.exchange.Name
			failed = append(failed, fmt.Sprintf("the setting of account %s of user %s: the service accepted activateEstatement %t, and its disclosures still have paperWaiver %t, "+
				"so what it was can't be told", acc.id, acc.user, set, is))
		}
	}
	return failed
}

// restoreAll puts the settings of all accounts of a user back at once, if they were the same: to what was read, or to the
// opposite.
func (r *replay) restoreAll(ctx context.Context, user string, asRead bool) {
	if electronic, same := r.agreed(user); same {
		_, _ = r.client.sendAgain(ctx, r.bank().request(r.restoreAllRequest(user, electronic == asRead)))
	}
}

// restoreSingly puts the settings of accounts back, one by one, and returns those that still differ. They are set to what
// was read, or to the opposite.
func (r *replay) restoreSingly(ctx context.Context, changed []account, asRead bool) []account {
	if len(changed) == 0 {
		return nil
	}
	for _, acc := range changed {
		_, _ = r.client.sendAgain(ctx, r.bank().request(r.restoreRequest(acc, r.before[acc] == asRead)))
	}
	return r.changed(ctx)
}

// changed returns the accounts whose settings differ from what they were, or can't be read any more.
func (r *replay) changed(ctx context.Context) []account {
	var all []account
	for _, acc := range r.accounts {
		if was, read := r.before[acc]; read {
			if is, err := r.readSetting(ctx, acc); err != nil || is != was {
				all = append(all, acc)
			}
		}
	}
	return all
}

// ofUser returns the accounts of a user among some.
func ofUser(accounts []account, user string) []account {
	return slices.DeleteFunc(slices.Clone(accounts), func(acc account) bool { return acc.user != user })
}
