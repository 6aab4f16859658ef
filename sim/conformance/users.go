package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// aboutUser matches what names a user in a request, an account or a token.
var aboutUser = lazy.Regexp(`\b\d+\b|` + fixtures.Avery.Login)

// changedUsers returns the users whose e-statement preferences a request could change, or why it must not be sent.
func (cfg Config) changedUsers(r fixtures.Request) (users []string, reason string) {
	_, query, _ := strings.Cut(r.Path, "?")
	for _, user := range aboutUser().FindAllString(query+" "+r.Content()+" "+header(r, "Authorization"), -1) {
		users = append(users, cmp.Or(fixtures.FindUser(user).HostUserID, user))
	}
	others := slices.DeleteFunc(slices.Clone(users), func(user string) bool { return slices.Contains(cfg.Users, user) })
	switch {
	case len(cfg.Users) == 0:
		return nil, "could change the e-statement preferences of a user: --users names users for tests"
	case strings.Contains(r.Content(), contract.StatusUpdatedAt.Name):
		return nil, "could change when a user answered a disclosure, which no request puts back"
	case len(users) == 0:
		return nil, "could change the e-statement preferences of a user, but names none"
	case len(others) > 0:
		return nil, "could change the e-statement preferences of " + others[0] + ", who is not among --users"
	}
	return users, ""
}

// userState is what a check puts back of a user: the preference of each account.
type userState struct {
	electronic map[string]bool   // by the service's accountId
	headers    map[string]string // of a request that may change it
}

// common returns the preference that all accounts have, and whether they have the same one.
func (s userState) common() (electronic, ok bool) {
	for _, electronic = range s.electronic {
		break
	}
	for _, other := range s.electronic {
		if other != electronic {
			return false, false
		}
	}
	return electronic, len(s.electronic) > 0
}

// readUser reads the state of a user. It fails with [skipped] if the check could not put the user back to it.
func (r *replayer) readUser(ctx context.Context, user string) (userState, error) {
	op := r.cfg.inDialect(contract.DisclosuresListUser)
	golden := fixtures.FindUser(user)
	state := userState{map[string]bool{}, map[string]string{
		"Authorization": "Bearer " + r.cfg.Credentials.value(golden.Token), op.Family.RequestID: newID(),
	}}
	path := op.Path + "?hostUserId=" + url.QueryEscape(r.cfg.Credentials.value(user))
	got, err := r.client.send(ctx, fixtures.Request{Method: op.Method, Path: path, Headers: state.headers})
	if err != nil {
		return state, err
	}
	var list struct {
		Records []struct {
			AccountID   string
			PaperWaiver *bool
		} `json:"institutionUserDisclosures"`
	}
	if got.status != http.StatusOK || json.Unmarshal(got.body, &list) != nil {
		return state, skipped(fmt.Sprintf("user %s is left out: reading its disclosures answered %d", user, got.status))
	}
	for _, record := range list.Records {
		if record.AccountID != "" && record.PaperWaiver != nil {
			state.electronic[record.AccountID] = *record.PaperWaiver
		}
	}
	for _, account := range golden.Accounts {
		_, known := state.electronic[r.cfg.Credentials.value(account)]
		if !known && r.cfg.Credentials.has(account) {
			const why = "user %s is left out: no record shows the preference of %s"
			return state, skipped(fmt.Sprintf(why, user, account))
		}
	}
	return state, nil
}

// rememberUsers reads the state of the users that the exchange could change. It fails with [skipped] if the check could
// not put a user back.
func (r *replay) rememberUsers(ctx context.Context) error {
	for _, request := range r.plan.requests {
		for _, user := range request.users {
			state, known := r.check.users[user]
			if r.check.leftOut[user] != nil {
				return r.check.leftOut[user]
			}
			if !known {
				state, r.check.leftOut[user] = r.check.readUser(ctx, user)
				if r.check.leftOut[user] != nil {
					return r.check.leftOut[user]
				}
				r.check.users[user] = state
			}
			if _, ok := state.common(); !ok && request.changes == contract.EstatementsUpdateUser {
				const why = "could change all accounts of user %s, which have different preferences"
				return skipped(fmt.Sprintf(why, user))
			}
		}
	}
	return nil
}

// restoreUsers puts users back to their states before the check.
func (r *replay) restoreUsers(ctx context.Context) {
	for _, user := range slices.Sorted(maps.Keys(r.changed)) {
		if err := r.restoreUser(ctx, user); err != nil {
			r.leftovers = append(r.leftovers, fmt.Sprintf("e-statement preferences of user %s: %v", user, err))
			const why = "user %s is left out: the preferences could not be put back, see %s"
			r.check.leftOut[user] = skipped(fmt.Sprintf(why, user, r.exchange.Name))
		}
	}
}

func (r *replay) restoreUser(ctx context.Context, user string) error {
	before := r.check.users[user]
	update := func(op *contract.Operation, body map[string]any) error {
		op = r.check.cfg.inDialect(op)
		headers := maps.Clone(before.headers)
		headers[op.Family.RequestID], headers["Content-Type"] = newID(), "application/json"
		path := op.Path + "?hostUserId=" + url.QueryEscape(r.check.cfg.Credentials.value(user))
		request := fixtures.Request{Method: op.Method, Path: path, Headers: headers, JSON: strictjson.MustEncode(body)}
		_, err := r.check.client.send(ctx, request)
		return err
	}
	if r.changed[user] { // no answer shows the preference of the user itself: it becomes the preference of the accounts
		electronic, _ := before.common()
		if err := update(contract.EstatementsUpdateUser, map[string]any{"activateEstatement": electronic}); err != nil {
			return err
		}
	}
	for range 2 {
		now, err := r.check.readUser(ctx, user)
		if err != nil {
			return err
		}
		if maps.Equal(now.electronic, before.electronic) {
			return nil
		}
		for account, electronic := range before.electronic {
			if now.electronic[account] == electronic {
				continue
			}
			body := map[string]any{"activateEstatement": electronic, "accountId": account}
			if err := update(contract.EstatementsUpdateAccount, body); err != nil {
				return err
			}
		}
	}
	return errors.New("the service did not put them back")
}
