package conformance

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

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
	account, isAccount := strings.CutPrefix(value, "acc-")
	user, _, _ := strings.Cut(account, "-")
	switch {
	case isAccount:
		request = cfg.disclosuresOf(user, value)
	case len(value) == len("1001") && strings.Trim(value, "0123456789") == "":
		request = cfg.withToken(contract.UsersGetStatus, fixtures.DemoToken)
		if value == "2001" { // of the other institution
			request.Headers["Authorization"] = "Bearer second-token"
		}
		request.Path = strings.Replace(request.Path, "/1001", "/"+value, 1)
	case slices.Contains([]string{"avery-token", "second-token"}, value):
		request = cfg.withToken(contract.GroupsList, value)
	case fixtures.Clients[value] != "" && cfg.AllowWrites: // there is no such grant
		request = cfg.issue(newID(), "grant_type=none")
		request.Headers["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString(
			[]byte(value+":"+fixtures.Clients[value]))
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
