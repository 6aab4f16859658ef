package contract

import (
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
)

var (
	onDisclosures   = []string{"estatements.getDisclosures"}
	onUpdateAccount = []string{"estatements.updateAccount"}
	onUpdateUser    = []string{"estatements.updateUser"}
	onUpdates       = []string{"estatements.updateAccount", "estatements.updateUser"}
	onEstatements   = []string{"estatements.getDisclosures", "estatements.updateAccount", "estatements.updateUser"}
)

// estatements are the decisions about the e-statement operations.
var estatements = []Entry{
	{
		ID: "estatements.disclosures.answer", Operations: onDisclosures,
		Question: "What does the request for an account's disclosures answer?",
		Answer:   "200 with institutionUserDisclosures, an array with the six documented members in each element.",
		Basis:    sim.BasisDocument, Source: "sections 2.1 and 4.1",
	},
	{
		ID: "estatements.disclosures.none", Operations: onDisclosures,
		Question: "What is answered for an account without disclosures, or one that the user doesn't have?",
		Answer:   "200 with an empty array.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "estatements.disclosures.status-values", Operations: onDisclosures,
		Question: "Which values has institutionDisclosureStatus?",
		Answer:   "ACCEPTED and NOT_ACCEPTED; only a scenario and the control API change it.",
		Basis:    sim.BasisPublished, Source: "public API description; section 2.1 shows ACCEPTED",
	},
	{
		ID: "estatements.disclosures.timestamp", Operations: onDisclosures,
		Question: "How is institutionUserDisclosureStatusUpdateDateTime written?",
		Answer:   "2026-01-15T09:00:00.000+00:00: milliseconds, an offset, UTC.",
		Basis:    sim.BasisPublished, Source: "public API description; section 2.1 asks for ISO 8601 with an offset",
	},
	{
		ID: "estatements.update-account.status", Operations: onUpdateAccount,
		Question: "What does a successful update of one account answer?",
		Answer:   "200 without a body.",
		Basis:    sim.BasisDocument, Source: "section 4.2",
		Switch: &Switch{
			Key: "estatements.updateAccountStatus", Default: "200",
			Alternatives: []Alternative{{"204", "204.", sim.BasisConvention}},
			value:        func(b *sim.Behavior) string { return strconv.Itoa(b.Estatements.UpdateAccountStatus) },
		},
	},
	{
		ID: "estatements.update-user.status", Operations: onUpdateUser,
		Question: "What does a successful update of all accounts answer?",
		Answer:   "204.",
		Basis:    sim.BasisDocument, Source: "section 4.3",
	},
	{
		ID: "estatements.update.preconditions", Operations: onUpdates,
		Question: "What has to hold for a preference to be changed?",
		Answer: "Multistatement is configured for the institution, the user is active, and the disclosure is ACCEPTED: " +
			"that of the account for the update of one, that of the user for the update of all.",
		Basis: sim.BasisDocument, Source: "section 3",
	},
	{
		ID: "estatements.update.off", Operations: onUpdates,
		Question: "What has to hold for the electronic statement to be turned off?",
		Answer:   "The same as for turning it on.",
		Basis:    sim.BasisDocument, Source: `section 3 speaks of "changing"`,
	},
	{
		ID: "estatements.update.effect", Operations: onUpdates,
		Question: "What does an update change?",
		Answer:   "The preference of the account, or of all accounts or none; the same update again changes nothing more.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "estatements.update.waiver", Operations: onUpdates,
		Question: "How does an update show in the disclosures?",
		Answer: "Their paperWaiver becomes activateEstatement; their status and its timestamp stay. The update of all accounts does so " +
			"for every account, whatever the disclosures of single accounts say, and for the user's own disclosures.",
		Basis: sim.BasisChoice, Source: ours,
	},
	{
		ID: "estatements.update.several-disclosures", Operations: onUpdates,
		Question: "When is an account, or a user, with none or several disclosures in status ACCEPTED?",
		Answer:   "When there is at least one, and every one is ACCEPTED.",
		Basis:    sim.BasisChoice, Source: "ours, the conservative reading of section 3",
	},
	{
		ID: "estatements.update.order-of-rules", Operations: onUpdates,
		Question: "Which of several rules that don't hold is answered?",
		Answer: "The first one in this order: the token's user, an unknown user, multistatement, an active user, an account of the user's, " +
			"the disclosure, any accounts at all.",
		Basis: sim.BasisChoice, Source: "ours, as section 3 numbers them",
	},
	{
		ID: "estatements.bearer", Operations: onEstatements,
		Question: "How does a request authenticate?",
		Answer:   "By the header Authorization: the word Bearer (in any case), a space, the access token.",
		Basis:    sim.BasisDocument, Source: "section 5; RFC 9110 11.1 for the case",
	},
	{
		ID: "estatements.bearer-failure", Operations: onEstatements,
		Question: "What is answered where the bearer token is missing, malformed, unknown or revoked, or expired?",
		Answer:   "401 UXESTMT_10001, UXESTMT_10012, UXESTMT_10002 or UXESTMT_10004.",
		Basis:    sim.BasisConvention, Source: "RFC 9110 15.5.2; public API description for the codes, which go with 400 there",
		Switch: &Switch{
			Key: "estatements.bearerFailureStatus", Default: "401",
			Alternatives: []Alternative{{"400", "400, with the same codes.", sim.BasisPublished}},
			value:        func(b *sim.Behavior) string { return strconv.Itoa(b.Estatements.BearerFailureStatus) },
		},
	},
	{
		ID: "estatements.correlation-id", Operations: onEstatements,
		Question: "What has the header correlationid to be?",
		Answer:   "Any text that isn't empty; without it 400 UXESTMT_10007.",
		Basis:    sim.BasisPublished, Source: "public API description; section 4.1 has it as a string",
		Switch: &Switch{
			Key: "estatements.correlationId", Default: "required",
			Alternatives: []Alternative{
				{"optional", "It may be left out.", sim.BasisChoice},
				{"uuid", "A UUID; another text is answered with 400 UXESTMT_10008.", sim.BasisPublished},
			},
			value: func(b *sim.Behavior) string { return string(b.Estatements.CorrelationID) },
		},
	},
	{
		ID: "estatements.host-user-id", Operations: onEstatements,
		Question: "What is answered without hostUserId?",
		Answer:   "400 UXESTMT_11010.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "estatements.other-user", Operations: onEstatements,
		Question: "What is answered where the token is bound to another user than hostUserId?",
		Answer:   "403 UXESTMT_10003, whether or not there is such a user.",
		Basis:    sim.BasisChoice, Source: "ours; the code is published",
	},
	{
		ID: "estatements.unknown-user", Operations: onEstatements,
		Question: "What is answered where the token's institution has no such user?",
		Answer:   "404 UXESTMT_88888.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "estatements.body.missing-member", Operations: onUpdates,
		Question: "What is answered where a member of the body is missing?",
		Answer:   "400 UXESTMT_11010.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "estatements.body.malformed", Operations: onUpdates,
		Question: "What is answered to a body that isn't JSON, or has a member of another type?",
		Answer:   "400 UXESTMT_11018.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "estatements.update.no-multistatement", Operations: onUpdates,
		Question: "What is answered where multistatement is not configured?",
		Answer:   "400 UXESTMT_11021.",
		Basis:    sim.BasisPublished, Source: "public API description; the rule is section 3",
	},
	{
		ID: "estatements.update.inactive-user", Operations: onUpdates,
		Question: "What is answered where the user is not active?",
		Answer:   "400 UXESTMT_88889.",
		Basis:    sim.BasisPublished, Source: "public API description; the rule is section 3",
	},
	{
		ID: "estatements.update.not-accepted", Operations: onUpdates,
		Question: "What is answered where the disclosure is not in status ACCEPTED?",
		Answer:   "400 UXESTMT_11013.",
		Basis:    sim.BasisPublished, Source: "public API description; the rule is section 3",
	},
	{
		ID: "estatements.update-account.unknown-account", Operations: onUpdateAccount,
		Question: "What is answered where the account is not the user's?",
		Answer:   "400 UXESTMT_11012.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "estatements.update-user.no-accounts", Operations: onUpdateUser,
		Question: "What is answered where the user has no accounts?",
		Answer:   "400 UXESTMT_11020.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "estatements.error-body", Operations: onEstatements,
		Question: "What does an error look like?",
		Answer:   "{status integer, code string, message string}; the message is in the simulator's own words.",
		Basis:    sim.BasisPublished, Source: published,
	},
}
