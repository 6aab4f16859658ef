package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// changedUsers returns the users whose e-statement preferences a request could change, or why it must not be sent.
func (cfg Config) changedUsers(r fixtures.Request) (users []string, reason string) {
	_, text, _ := strings.Cut(r.Path, "?")
	query, _ := url.ParseQuery(text) // golden requests have queries that can be read
	users = slices.Concat(query["hostUserId"], query["loginId"])
	for _, value := range word.FindAllString(r.Content(), -1) {
		if account, ok := strings.CutPrefix(value, "acc-"); ok {
			user, _, _ := strings.Cut(account, "-")
			users = append(users, user)
		}
	}
	if strings.HasSuffix(header(r, "Authorization"), "avery-token") {
		users = append(users, "avery")
	}
	for i, user := range users {
		if user == "avery" {
			users[i] = "1001"
		}
	}
	slices.Sort(users)
	users = slices.Compact(users)
	others := slices.DeleteFunc(slices.Clone(users), func(user string) bool { return slices.Contains(cfg.Users, user) })
	switch {
	case len(cfg.Users) == 0:
		return nil, "could change the e-statement preferences of a user: --users names users for tests"
	case len(users) == 0:
		return nil, "could change the e-statement preferences of a user, but names none"
	case len(others) > 0:
		return nil, "could change the e-statement preferences of " + others[0] + ", who is not among --users"
	case strings.Contains(r.Content(), contract.StatusUpdatedAt.Name):
		return nil, "could change when a user answered a disclosure, which no request puts back"
	}
	return users, ""
}

// userState is what a check puts back of a user: the preference of each account.
type userState struct {
	electronic map[string]bool   // by the service's accountId
	headers    map[string]string // of a request that may change it
}

// agree reports whether all accounts have the same preference.
func (s userState) agree() bool {
	return len(slices.Compact(slices.Sorted(maps.Values(asTexts(s.electronic))))) == 1
}

func asTexts(all map[string]bool) map[string]string {
	texts := map[string]string{}
	for name, value := range all {
		texts[name] = fmt.Sprint(value)
	}
	return texts
}

// readUser reads the state of a user. It fails with [skipped] if the user can't be put back to it.
func (r *replayer) readUser(ctx context.Context, user string) (userState, error) {
	op := r.spoken(contract.DisclosuresListUser)
	state := userState{electronic: map[string]bool{}}
	var got answer
	for _, token := range []string{fixtures.DemoToken, "second-token"} { // each institution has one
		if !r.Credentials.has(token) {
			continue
		}
		state.headers = map[string]string{"Authorization": "Bearer " + r.Credentials.value(token), op.Family.RequestID: newID()}
		path := op.Path + "?hostUserId=" + url.QueryEscape(r.Credentials.value(user))
		var err error
		if got, err = r.client.send(ctx, fixtures.Request{Method: op.Method, Path: path, Headers: state.headers}); err != nil {
			return state, err
		}
		if got.status == http.StatusOK {
			break
		}
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
	for _, account := range fixtures.OwnValues {
		if _, known := state.electronic[r.Credentials.value(account)]; !known && strings.HasPrefix(account, "acc-"+user+"-") &&
			r.Credentials.has(account) {
			return state, skipped(fmt.Sprintf("user %s is left out: no record shows the preference of %s", user, account))
		}
	}
	return state, nil
}

// rememberUsers reads the state of the users that the exchange could change, unless the check has read it before.
func (r *replay) rememberUsers(ctx context.Context) error {
	for _, request := range requests(r.exchange) {
		op, _ := r.changing(request)
		if op == nil || op.Kind() != "estatements" {
			continue
		}
		users, _ := r.changedUsers(request)
		for _, user := range users {
			if reason := r.leftOut[user]; reason != "" {
				return skipped(reason)
			}
			state, known := r.users[user]
			if !known {
				var err error
				if state, err = r.readUser(ctx, user); err != nil {
					if reason, ok := err.(skipped); ok {
						r.leftOut[user] = string(reason)
					}
					return err
				}
				r.users[user] = state
			}
			if op == contract.EstatementsUpdateUser && !state.agree() {
				return skipped(fmt.Sprintf("could change all accounts of user %s, which have different preferences", user))
			}
		}
	}
	return nil
}

// restoreUsers puts users back to their states before the check.
func (r *replay) restoreUsers(ctx context.Context) {
	for _, user := range slices.Sorted(maps.Keys(r.changed)) {
		if err := r.restoreUser(ctx, user); err != nil {
			r.left = append(r.left, fmt.Sprintf("e-statement preferences of user %s: %v", user, err))
			r.leftOut[user] = fmt.Sprintf("user %s is left out: it could not be put back, see %s", user, r.exchange.Name)
		}
	}
}

func (r *replay) restoreUser(ctx context.Context, user string) error {
	before := r.users[user]
	update := func(op *contract.Operation, body map[string]any) error {
		op = r.spoken(op)
		headers := maps.Clone(before.headers)
		headers[op.Family.RequestID], headers["Content-Type"] = newID(), "application/json"
		path := op.Path + "?hostUserId=" + url.QueryEscape(r.Credentials.value(user))
		_, err := r.client.send(ctx, fixtures.Request{Method: op.Method, Path: path, Headers: headers, JSON: wire.MustEncode(body)})
		return err
	}
	if r.changed[user] { // the preference of the user itself is not shown: it is that of the accounts
		for _, electronic := range before.electronic {
			if err := update(contract.EstatementsUpdateUser, map[string]any{"activateEstatement": electronic}); err != nil {
				return err
			}
			break
		}
	}
	for range 2 {
		now, err := r.readUser(ctx, user)
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
	return fmt.Errorf("the service did not put them back")
}
