package conformance

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// withKnownValues returns the configuration for a service that is checked without credentials. It asks which of the
// values of the golden exchanges the service knows: what needs another one isn't asked, and no wrong passwords are
// sent. For a service that doesn't know the first token, the configuration stays the same: the check then says what is
// wrong.
func (r *replayer) withKnownValues(ctx context.Context) Config {
	cfg := r.cfg
	if status, _ := r.ask(ctx, cfg.withToken(contract.UsersGetStatus, fixtures.DemoToken)); status != http.StatusOK {
		return cfg
	}
	known := Credentials{}
	for _, value := range fixtures.OwnValues {
		if r.isKnown(ctx, value) {
			known[value] = value
		}
	}
	for sharedKey, secretKey := range fixtures.Clients {
		if known[sharedKey] == "" {
			delete(known, secretKey)
		}
	}
	cfg.Credentials = known
	return cfg
}

// isKnown reports whether the service may know a value.
func (r *replayer) isKnown(ctx context.Context, value string) bool {
	cfg, request := r.cfg, fixtures.Request{}
	user := fixtures.FindUser(value)
	isAccount := slices.Contains(user.Accounts, value)
	switch {
	case isAccount:
		request = cfg.reading(contract.EstatementsGetDisclosures, user, value)
	case value == user.HostUserID:
		request = cfg.reading(contract.UsersGetStatus, user, "")
	case slices.Contains([]string{"avery-token", "second-token"}, value):
		request = cfg.withToken(contract.GroupsList, value)
	case fixtures.Clients[value] != "" && cfg.AllowWrites: // there is no such grant
		request = cfg.issue(newID(), "grant_type=none")
		request.Headers["Authorization"] = basic(value + ":" + fixtures.Clients[value])
	default:
		return true
	}
	status, hasNone := r.ask(ctx, request)
	return status != http.StatusUnauthorized && status != http.StatusNotFound && !(isAccount && hasNone)
}

// ask returns the status of an answer, and whether it is an empty list of disclosures.
func (r *replayer) ask(ctx context.Context, request fixtures.Request) (status int, hasNone bool) {
	got, err := r.client.send(ctx, request)
	if err != nil {
		return 0, false
	}
	var list struct {
		Disclosures []json.RawMessage `json:"institutionUserDisclosures"`
	}
	isList := json.Unmarshal(got.body, &list) == nil && list.Disclosures != nil
	return got.status, isList && len(list.Disclosures) == 0
}
