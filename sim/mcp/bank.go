package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// bankTools read and change what the bank of a sandbox holds.
var bankTools = []tool{
	{
		name: "read_state", title: "Read the bank", does: reads, answer: listed{},
		about: "What the bank holds: institutions, users with accounts and disclosures, tokens, groups and jobs.",
		args: struct {
			inSandbox
			page
			Institution string `json:"institution,omitzero" jsonschema:"Only this one, by its institutionId."`
			User        string `json:"user,omitzero" jsonschema:"Only this one of the institution, by its hostUserId."`
			Text        string `json:"text,omitzero" jsonschema:"Only rows with this text in ids, names, descriptions."`
		}{},
		run: listing(route{"GET", bankPath + "/state", map[string]string{
			"limit": fmt.Sprint(maxLooked), "institution": "{institution}", "user": "{user}", "text": "{text}",
		}}, rows, "{table} of {institutionId}: {hostUserId}{groupId} {groupName}{jobId} {jobStatus}{accessToken}"),
	},
	{
		name: "change_state", title: "Change the bank", does: replaces, run: changeState,
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
	},
	{
		name: "add_user", title: "Add a user", does: adds,
		about: "Add an active user that has accepted all disclosures, past the rules of the bank.",
		args: struct {
			inInstitution
			api.NewUser
		}{},
		run: calling(route{"POST", bankPath + "/institutions/{institution}/users", nil}, "added: user {hostUserId}"),
	},
	{
		name: "add_group", title: "Add a group", does: adds,
		about: "Add an experience group without participants, without a request of an app.",
		args: struct {
			inInstitution
			api.NewGroup
		}{},
		run: calling(route{"POST", bankPath + "/institutions/{institution}/groups", nil}, "added: group {groupId}"),
	},
	{
		name: "list_changes", title: "List changes", does: reads, answer: listed{},
		about: "The rows that differ from the start of the sandbox, or from a snapshot.",
		args: struct {
			inSandbox
			page
			Since string `json:"since,omitzero" jsonschema:"The name of a snapshot. Default: the start."`
		}{},
		run: listing(route{"GET", bankPath + "/diff", map[string]string{
			"limit": fmt.Sprint(maxLooked), "since": "{since}",
		}}, objects("changes"), "{row}"),
	},
	{
		name: "mint_token", title: "Mint an access token", does: adds, run: mintToken, answer: api.MintedToken{},
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
		name: "advance_clock", title: "Move the clock", does: changes, answer: api.Clock{},
		about: "Move the bank's clock: tokens expire by it, import jobs end, and windows of faults open.",
		args: struct {
			inSandbox
			Advance string `json:"advance" jsonschema:"A duration such as 90s or 24h; a negative one: back."`
		}{},
		run: calling(route{"POST", bankPath + "/clock", nil}, "the clock shows {now}"),
	},
}

// changeState changes the account, the user or the institution, whichever is the innermost that the arguments name.
func changeState(ctx context.Context, bank *api.Client, in object) (string, object, error) {
	if in["account"] != nil && in["user"] == nil {
		return "", nil, errors.New("user is missing: give the hostUserId of the account's user")
	}
	path := bankPath + "/institutions/{institution}"
	if in["user"] != nil {
		path += "/users/{user}"
	}
	if in["account"] != nil {
		path += "/accounts/{account}"
	}
	patch := route{"PATCH", path, nil}
	if _, body, _ := patch.request(in); body == nil {
		return "", nil, errors.New("nothing is changed: give a new value")
	}
	return calling(patch, "changed")(ctx, bank, in)
}

// mintToken mints a token. The institution and the client are the first ones by default.
func mintToken(ctx context.Context, bank *api.Client, in object) (string, object, error) {
	if in["institution"] == nil || in["client"] == nil {
		query := map[string]string{"limit": "1", "institution": "{institution}"}
		state, err := route{"GET", bankPath + "/state", query}.call(ctx, bank, in)
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
	return calling(route{"POST", bankPath + "/institutions/{institution}/tokens", nil},
		"send the header Authorization: Bearer {accessToken}")(ctx, bank, in)
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
