package mcp

import (
	"context"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// bankTools read and change what the bank of a sandbox holds.
var bankTools = []tool{
	{
		name: "read_state", title: "Read the bank", does: reads,
		about: "What the bank holds: institutions, users with accounts and disclosures, tokens, groups and jobs.",
		args: struct {
			inSandbox
			page
			Institution string `json:"institution,omitzero" jsonschema:"Only this one, by its institutionId."`
			User        string `json:"user,omitzero" jsonschema:"Only this one of the institution, by its hostUserId."`
			Text        string `json:"text,omitzero" jsonschema:"Only rows with this text in ids, names, descriptions."`
		}{},
		call:  "GET …/state?limit=1000&", // all that the call allows
		items: rows,
		says:  "{table} of {institutionId}: {hostUserId}{groupId} {groupName}{jobId} {jobStatus}{accessToken}",
	},
	{
		name: "change_state", title: "Change the bank", does: replaces,
		about: "Change an institution, a user or an account past the rules of the bank: to bring about what you want " +
			"to test.",
		args: struct {
			inSandbox
			Institution string `json:"institution" jsonschema:"Its institutionId."`
			User        string `json:"user,omitzero" jsonschema:"Its hostUserId. Without it: the institution changes."`
			Account     string `json:"account,omitzero" jsonschema:"Its accountId. Without it: the user changes."`

			Multistatement     *bool  `json:"multistatement,omitzero" jsonschema:"Of an institution."`
			Active             *bool  `json:"active,omitzero" jsonschema:"Of a user."`
			DisclosureStatus   string `json:"disclosureStatus,omitzero" jsonschema:"ACCEPTED or NOT_ACCEPTED."`
			ActivateEstatement *bool  `json:"activateEstatement,omitzero" jsonschema:"Of an account."`
			UpdateFails        *bool  `json:"updateFails,omitzero" jsonschema:"Of an account, in updates of all."`
		}{},
		call: "PATCH …/institutions/{institution}/users/{user}/accounts/{account}", says: "changed",
	},
	{
		name: "mint_token", title: "Mint an access token", does: adds, run: mintToken,
		about: "Get an access token without the rules of the bank. Send it as the header Authorization: Bearer TOKEN.",
		args: struct {
			inSandbox
			Institution string `json:"institution,omitzero" jsonschema:"Its institutionId. Default: the first one."`
			Client      string `json:"client,omitzero" jsonschema:"Its shared key. Default: the first one."`
			HostUserID  string `json:"hostUserId,omitzero" jsonschema:"The user that it is for. Default: all."`
			ExpiresIn   string `json:"expiresIn,omitzero" jsonschema:"By the bank's clock, such as 15m."`
			Refresh     bool   `json:"refresh,omitzero" jsonschema:"Whether there is a refresh token, too."`
		}{},
	},
	{
		name: "advance_clock", title: "Move the clock", does: changes,
		about: "Move the bank's clock: tokens expire by it, import jobs end, and windows of faults open.",
		args: struct {
			inSandbox
			Advance string `json:"advance" jsonschema:"A duration such as 90s or 24h; a negative one: back."`
		}{},
		call: "POST …/clock", says: "the clock shows {now}",
	},
}

func mintToken(ctx context.Context, bank *api.Client, in object) (string, object, error) {
	if in["institution"] == nil || in["client"] == nil {
		of := object{"sandbox": in["sandbox"], "institution": in["institution"]}
		state, err := call(ctx, bank, "GET …/state?limit=1&", of)
		if err != nil {
			return "", nil, err
		}
		if institutions := objects("institutions")(state); len(institutions) > 0 {
			in["institution"] = institutions[0]["institutionId"]
			if clients, _ := institutions[0]["clients"].([]any); in["client"] == nil && len(clients) > 0 {
				in["client"] = clients[0]
			}
		}
	}
	minted, err := call(ctx, bank, "POST …/institutions/{institution}/tokens", in)
	return expand("send the header Authorization: Bearer {accessToken}", minted), minted, err
}

// rows returns a row for each institution, and for all that it has.
func rows(state object) (all []object) {
	for _, institution := range objects("institutions")(state) {
		all = append(all, institution)
		for _, table := range []string{"users", "tokens", "groups", "jobs", "alertPreferences"} {
			for _, row := range objects(table)(institution) {
				row["table"], row["institutionId"] = table, institution["institutionId"]
				all = append(all, row)
			}
			delete(institution, table)
		}
		institution["table"] = "institutions"
	}
	return all
}
