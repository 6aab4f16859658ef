package conformance

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// ownRequest returns a request that a replay sends by itself. A body is a form, or anything that JSON can say.
func ownRequest(op *contract.Operation, headers map[string]string, body any) fixtures.Request {
	r := fixtures.Request{Method: op.Method, Path: op.Path, Headers: maps.Clone(headers)}
	switch body := body.(type) {
	case nil:
	case string:
		r.Headers["Content-Type"], r.Body = "application/x-www-form-urlencoded", body
	default:
		r.Headers["Content-Type"], r.JSON = "application/json", wire.MustEncode(body)
	}
	return r
}

// prepare issues the tokens that the exchange declares, and reads the preferences that it changes. A service that
// issues none drifts.
func (r *replay) prepare(ctx context.Context) ([]Drift, error) {
	for _, grant := range r.exchange.Replay.OwnTokens {
		request := ownRequest(contract.TokensIssue, fixtures.ClientHeaders, grant.Form)
		got, drifts, err := r.sendFirst(ctx, request)
		if err != nil || drifts != nil {
			return drifts, err
		}
		access, refresh := issued(got)
		if access == "" || refresh == "" && grant.RefreshToken != "" { // revoking "" could revoke all tokens of the client
			return r.failed(request, "issue tokens", "an answer without them"), nil
		}
		r.values[grant.AccessToken] = access
		if grant.RefreshToken != "" {
			r.values[grant.RefreshToken] = refresh
		}
	}
	return nil, r.readPreferences(ctx)
}

// issued returns the tokens of an answer; empty: it has none.
func issued(got answer) (access, refresh string) {
	var body struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	_ = json.Unmarshal(got.body, &body)
	return body.Access, body.Refresh
}

// revoke returns the step that revokes a token.
func (r *replay) revoke(token string) step {
	request := r.request(ownRequest(contract.TokensRevoke, fixtures.ClientHeaders, struct{}{}))
	request.JSON = wire.MustEncode(map[string]string{"token": token}) // the service's own: nothing in it is replaced
	return step{"a token", request}
}

// readPreferences reads the preferences that the exchange changes, and adds the steps that restore them.
func (r *replay) readPreferences(ctx context.Context) error {
	electronic := map[fixtures.Preference]bool{}
	for _, preference := range r.exchange.Replay.Restores {
		if preference.AccountID == "" {
			continue
		}
		on, err := r.readPreference(ctx, preference)
		if err != nil {
			return err
		}
		if on == nil {
			r.left = append(r.left, "the preference of account "+preference.AccountID+", which could not be read before it was changed")
			continue
		}
		electronic[preference] = *on
		user := fixtures.Preference{HostUserID: preference.HostUserID}
		if _, read := electronic[user]; !read {
			electronic[user] = *on
		}
	}
	for _, preference := range r.exchange.Replay.Restores {
		if on, read := electronic[preference]; read {
			r.undoing = append(r.undoing, r.restore(preference, on))
		}
	}
	return nil
}

// readPreference asks whether an account's statements are electronic; nil: the service doesn't say.
func (r *replay) readPreference(ctx context.Context, preference fixtures.Preference) (*bool, error) {
	request := ownRequest(contract.EstatementsGetDisclosures, fixtures.TokenHeaders, nil)
	request.Path = strings.ReplaceAll(request.Path, "{accountId}", preference.AccountID) + "?hostUserId=" + preference.HostUserID
	_, got, err := r.send(ctx, request)
	if err != nil {
		return nil, err
	}
	var body struct {
		Disclosures []struct {
			PaperWaiver *bool `json:"paperWaiver"`
		} `json:"institutionUserDisclosures"`
	}
	if json.Unmarshal(got.body, &body) != nil || len(body.Disclosures) == 0 {
		return nil, nil
	}
	return body.Disclosures[0].PaperWaiver, nil
}

// restore returns the step that sets a preference as it was.
func (r *replay) restore(preference fixtures.Preference, electronic bool) step {
	op, what, body := contract.EstatementsUpdateAccount, "the preference of account "+preference.AccountID, map[string]any{"activateEstatement": electronic}
	if preference.AccountID == "" {
		op, what = contract.EstatementsUpdateUser, "the preferences of user "+preference.HostUserID
	} else {
		body["accountId"] = preference.AccountID
	}
	request := ownRequest(op, fixtures.TokenHeaders, body)
	request.Path += "?hostUserId=" + preference.HostUserID
	return step{what, r.request(request)}
}
