package mcp

// bankTools read and change what the bank of a sandbox holds.
var bankTools = []tool{
	{
		name: "read_state", title: "Read the bank", does: reads, call: "getState", without: []string{"format"},
		about: "What the bank holds: institutions, users with accounts and disclosures, tokens, groups and jobs.",
		items: rows,
		says:  "{table} of {institutionId}: {hostUserId}{groupId} {groupName}{jobId} {jobStatus}{accessToken}",
	},
	{
		name: "list_changes", title: "List changes", does: reads, call: "getDiff",
		about: "The rows that differ from the start of the sandbox, or from a snapshot.",
		items: listed("changes"), says: "{row}",
	},
	{
		name: "change_institution", title: "Change an institution", does: replaces, call: "patchInstitution",
		about: "Change an institution past the rules of the bank: to bring about what you want to test.",
		says:  "changed",
	},
	{
		name: "change_user", title: "Change a user", does: replaces, call: "patchUser",
		about: "Change a user past the rules of the bank: to bring about what you want to test.",
		says:  "changed",
	},
	{
		name: "change_account", title: "Change an account", does: replaces, call: "patchAccount",
		about: "Change an account past the rules of the bank: to bring about what you want to test.",
		says:  "changed",
	},
	{
		name: "add_user", title: "Add a user", does: adds, call: "addUser",
		about: "Add an active user that has accepted all disclosures, past the rules of the bank.",
		says:  "added: user {hostUserId}",
	},
	{
		name: "add_group", title: "Add a group", does: adds, call: "addGroup",
		about: "Add an experience group without participants, without a request of an app.",
		says:  "added: group {groupId}",
	},
	{
		name: "mint_token", title: "Mint an access token", does: adds, call: "mintToken",
		about: "Get an access token without the rules of the bank. Send it as the header Authorization: Bearer TOKEN.",
		says:  "send the header Authorization: Bearer {accessToken}",
	},
	{
		name: "advance_clock", title: "Move the clock", does: changes, call: "setClock",
		about: "Move the bank's clock: tokens expire by it, import jobs end, and windows of faults open.",
		says:  "the clock shows {now}",
	},
}

// rows returns all rows. An institution itself is a row only if neither a user nor a text is asked for.
func rows(in, state object) (all []object) {
	for _, institution := range objects("institutions", state) {
		if in["user"] == nil && in["text"] == nil {
			all = append(all, institution)
		}
		for _, table := range []string{"users", "tokens", "groups", "jobs", "alertPreferences"} {
			for _, row := range objects(table, institution) {
				row["table"], row["institutionId"] = table, institution["institutionId"]
				all = append(all, row)
			}
			delete(institution, table)
		}
		institution["table"] = "institutions"
	}
	return all
}
