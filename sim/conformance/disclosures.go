package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// target is a disclosure that a request could create, change or delete.
type target struct{ user, name, account string }

// changesDisclosures reports whether an operation changes the disclosures of a user.
func changesDisclosures(op *contract.Operation) bool {
	return op == contract.DisclosuresCreateUser || op == contract.DisclosuresUpdateUser || op == contract.DisclosuresDeleteUser
}

// disclosuresAim returns which disclosures a request could change: that which its body names, of every user that it or its token
// could mean. It fails, with the reason, if the body doesn't name one.
func disclosuresAim(op *contract.Operation, r fixtures.Request) (aim, string) {
	var body map[string]json.RawMessage
	var name, accountID string
	_ = json.Unmarshal([]byte(r.Content()), &body)
	_ = json.Unmarshal(body["institutionDisclosureName"], &name)
	_ = json.Unmarshal(body["accountId"], &accountID)
	if name == "" || body["institutionDisclosureId"] != nil {
		return aim{}, "its body doesn't name a disclosure, so what it could change at the service can't be told"
	}
	users := slices.Concat(namedUsers(r), boundUsers(r))
	for _, acc := range accountsIn(accountID) {
		users = append(users, acc.user)
	}
	if len(users) == 0 {
		for _, u := range fixtures.Users {
			if strings.HasSuffix(header(r, "Authorization"), u.Token) {
				users = append(users, u.HostUserID)
			}
		}
	}
	slices.Sort(users)
	a := aim{op: op}
	for _, user := range slices.Compact(users) {
		if slices.ContainsFunc(fixtures.Users, func(u fixtures.User) bool { return u.HostUserID == user }) {
			a.disclosures = append(a.disclosures, target{user, name, accountID})
		} else {
			a.unknown = append(a.unknown, user)
		}
	}
	return a, ""
}

// userDisclosure is a disclosure of a user, as the service lists it.
type userDisclosure struct {
	Name        string `json:"institutionDisclosureName"`
	Status      string `json:"institutionUserDisclosureStatus"`
	At          string `json:"institutionUserDisclosureStatusUpdateDateTime,omitzero"`
	AccountID   string `json:"accountId,omitzero"`
	PaperWaiver *bool  `json:"paperWaiver,omitzero"`
}

// is reports whether two are the same disclosure, whatever the user's answer to it.
func (d userDisclosure) is(other userDisclosure) bool {
	return d.Name == other.Name && d.AccountID == other.AccountID
}

// equals reports whether nothing differs.
func (d userDisclosure) equals(other userDisclosure) bool {
	waiver := func(d userDisclosure) string { return string(wire.MustEncode(d.PaperWaiver)) }
	return d.is(other) && d.Status == other.Status && d.At == other.At && waiver(d) == waiver(other)
}

func (d userDisclosure) String() string {
	if d.AccountID == "" {
		return "disclosure " + d.Name
	}
	return "disclosure " + d.Name + " of account " + d.AccountID
}

// readDisclosures lists the disclosures that the exchange could change. What can't be undone is skipped.
func (r *replay) readDisclosures(ctx context.Context) (err error) {
	for _, a := range r.aims {
		for _, t := range a.disclosures {
			all, read := r.listed[t.user]
			if !read {
				if all, err = r.listDisclosures(ctx, t.user); err != nil {
					return skipped(fmt.Sprintf("the disclosures of user %s, which it could change, can't be read first: %v", t.user, err))
				}
				r.listed[t.user] = all
			}
			if reason := t.lasting(a.op, all, r.bank().in(t.account, asIs)); reason != "" {
				return skipped(reason)
			}
		}
	}
	return nil
}

// lasting returns why what an operation may do to a disclosure can't be undone, given those that the user has and the service's
// id of the account; empty: it can.
func (t target) lasting(op *contract.Operation, all []userDisclosure, accountID string) string {
	at := slices.IndexFunc(all, func(d userDisclosure) bool { return d.is(userDisclosure{Name: t.name, AccountID: accountID}) })
	deletable := t.name == sim.DisclosureOLS && accountID != ""
	switch {
	case at < 0 && op != contract.DisclosuresDeleteUser && !deletable:
		return fmt.Sprintf("could create disclosure %s, which user %s doesn't have and no request removes", t.name, t.user)
	case at < 0:
	case t.name == sim.DisclosureOLS && all[at].PaperWaiver == nil:
		return "could change a disclosure whose paperWaiver the service doesn't list, so it couldn't be put back"
	case t.name != sim.DisclosureOLS && accountID != "":
		return fmt.Sprintf("could change disclosure %s of an account, which no request puts back", t.name)
	}
	return ""
}

// listDisclosures returns the disclosures of a user.
func (r *replay) listDisclosures(ctx context.Context, user string) ([]userDisclosure, error) {
	got, err := r.client.sendAgain(ctx, r.bank().request(r.listRequest(user)))
	if err != nil {
		return nil, err
	}
	if !got.accepted() {
		return nil, fmt.Errorf("the service answered %d", got.status)
	}
	var body struct {
		All []userDisclosure `json:"institutionUserDisclosures"`
	}
	if json.Unmarshal(got.body, &body) != nil {
		return nil, fmt.Errorf("the answer is no list of disclosures")
	}
	return body.All, nil
}

// restoreDisclosures puts the disclosures back that differ, and returns what is not as it was.
func (r *replay) restoreDisclosures(ctx context.Context) (failed []string) {
	for _, user := range slices.Sorted(maps.Keys(r.listed)) {
		before := r.listed[user]
		now, err := r.listDisclosures(ctx, user)
		if err == nil {
			r.putBack(ctx, user, before, now)
			now, err = r.listDisclosures(ctx, user)
		}
		if err != nil {
			failed = append(failed, fmt.Sprintf("the disclosures of user %s, which it could change, can't be read any more: %v", user, err))
			continue
		}
		for _, d := range missingFrom(now, before, userDisclosure.equals) {
			failed = append(failed, fmt.Sprintf("%s of user %s could not be put back: it was %s at %s", d, user, d.Status, d.At))
		}
		for _, d := range missingFrom(before, now, userDisclosure.is) {
			failed = append(failed, fmt.Sprintf("%s of user %s, which was not there before, could not be removed", d, user))
		}
	}
	return failed
}

// putBack removes the disclosures that are new, and stores those again that are gone or differ.
func (r *replay) putBack(ctx context.Context, user string, before, now []userDisclosure) {
	for _, d := range missingFrom(before, now, userDisclosure.is) {
		if d.Name != sim.DisclosureOLS || d.AccountID == "" {
			continue
		}
		got, err := r.client.sendAgain(ctx, r.writeRequest(contract.DisclosuresDeleteUser, user, map[string]any{"institutionDisclosureName": d.Name, "accountId": d.AccountID}))
		if err == nil && got.accepted() {
			r.left = append(r.left, fmt.Sprintf("the setting of account %s of user %s, if the service changed it: no request reads it without the disclosure", d.AccountID, user))
		}
	}
	for _, d := range missingFrom(now, before, userDisclosure.equals) {
		op := contract.DisclosuresCreateUser
		if d.Name != sim.DisclosureOLS && slices.ContainsFunc(now, d.is) {
			op = contract.DisclosuresUpdateUser
		}
		_, _ = r.client.sendAgain(ctx, r.writeRequest(op, user, d))
	}
}

// missingFrom returns the disclosures that are not among some.
func missingFrom(some, all []userDisclosure, same func(a, b userDisclosure) bool) []userDisclosure {
	return slices.DeleteFunc(slices.Clone(all), func(d userDisclosure) bool {
		return slices.ContainsFunc(some, func(other userDisclosure) bool { return same(d, other) })
	})
}

// listRequest lists the disclosures of a user.
func (cfg Config) listRequest(user string) fixtures.Request {
	r := cfg.ownRequest(contract.DisclosuresListUser, bearer(holder(user)), nil)
	r.Path += "?hostUserId=" + url.QueryEscape(user)
	return r
}

// writeRequest changes a disclosure of a user. Its body has the service's own values.
func (r *replay) writeRequest(op *contract.Operation, user string, body any) fixtures.Request {
	request := r.ownRequest(op, bearer(holder(user)), body)
	data := request.JSON
	request.JSON = nil
	request.Path += "?hostUserId=" + url.QueryEscape(user)
	if op != contract.DisclosuresUpdateUser {
		request.Path += "&accountType=" + r.accountType()
	}
	request = r.bank().request(request)
	request.JSON = data
	return request
}

// accountType returns the type of the account that the exchange is about.
func (r *replay) accountType() string {
	_, rawQuery, _ := strings.Cut(r.exchange.Request.Path, "?")
	query, _ := url.ParseQuery(rawQuery)
	if given := query.Get("accountType"); slices.Contains(sim.AccountTypes, given) {
		return given
	}
	return "CHECKING" // that of the accounts of the exchanges
}
