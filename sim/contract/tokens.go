package contract

import "github.com/digitalbanking-sim/banksim/sim"

var (
	onIssue  = []string{"tokens.issue"}
	onRevoke = []string{"tokens.revoke"}
	onTokens = []string{"tokens.issue", "tokens.revoke"}
)

// tokens are the decisions about issuing tokens, and about tokens as such.
var tokens = []Entry{
	{
		ID: "tokens.issue.operation", Operations: onIssue,
		Question: "Which operation issues tokens?",
		Answer: "POST /digitalbanking/oauth2/v1/token with the headers institutionId and transactionId and a form-urlencoded body with " +
			"grant_type client_credentials, password or refresh_token; 200.",
		Basis: sim.BasisPublished, Source: "public API description; section 5 leaves it open",
	},
	{
		ID: "tokens.issue.json-body", Operations: onIssue,
		Question: "May the body be JSON?",
		Answer:   "Yes, with the members of the revocation's.",
		Basis:    sim.BasisChoice, Source: "ours, after section 2.3",
	},
	{
		ID: "tokens.issue.answer", Operations: onIssue,
		Question: "What does the answer hold?",
		Answer:   "The six members of the token response, all of them strings.",
		Basis:    sim.BasisDocument, Source: "section 2.4",
	},
	{
		ID: "tokens.issue.token-type", Operations: onIssue,
		Question: "How does the answer say of what type the token is?",
		Answer:   "token_type is Bearer.",
		Basis:    sim.BasisConvention, Source: "RFC 6749 5.1",
	},
	{
		ID: "tokens.issue.client-credentials", Operations: onIssue,
		Question: "What does the grant client_credentials answer?",
		Answer:   "No refresh token: refresh_token, refresh_token_expires_in and di_ficustomer are left out.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.customer", Operations: onIssue,
		Question: "What is di_ficustomer?",
		Answer:   "The hostUserId of the user; empty where the tokens are bound to none.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID: "tokens.issue.refresh", Operations: onIssue,
		Question: "What does the grant refresh_token do to the tokens that are there?",
		Answer:   "The refresh token is replaced: the old one works no more. Access tokens issued before live on.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.access-lifetime", Operations: onIssue,
		Question: "How long does an access token work?",
		Answer:   "24 hours, on the sandbox's clock; expires_in has the seconds.",
		Basis:    sim.BasisPublished, Source: published,
		Switch: &Switch{
			Key: "tokens.accessLifetime", Default: "24h0m0s",
			Alternatives: []Alternative{{"<duration>", "So long.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return b.Tokens.AccessLifetime.String() },
		},
	},
	{
		ID: "tokens.issue.refresh-lifetime", Operations: onIssue,
		Question: "How long does a refresh token work?",
		Answer:   "180 days, on the sandbox's clock; refresh_token_expires_in has the seconds.",
		Basis:    sim.BasisPublished, Source: published,
		Switch: &Switch{
			Key: "tokens.refreshLifetime", Default: "4320h0m0s",
			Alternatives: []Alternative{{"<duration>", "So long.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return b.Tokens.RefreshLifetime.String() },
		},
	},
	{
		ID: "tokens.issue.text", Operations: onIssue,
		Question: "What do tokens look like?",
		Answer:   "Opaque: 28 (access) or 32 (refresh) letters and digits, drawn from the sandbox's seed.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.no-store", Operations: onTokens,
		Question: "How are tokens in answers kept out of caches?",
		Answer:   "Cache-Control: no-store, Pragma: no-cache.",
		Basis:    sim.BasisConvention, Source: "RFC 6749 5.1",
	},
	{
		ID: "tokens.basic", Operations: onTokens,
		Question: "How does a client authenticate?",
		Answer:   "By the header Authorization: Basic, with shared key and secret key.",
		Basis:    sim.BasisDocument, Source: "section 5",
	},
	{
		ID: "tokens.issue.unknown-client", Operations: onIssue,
		Question: "What is answered to a client that is unknown, or has no credentials?",
		Answer:   "401 CMN_90004.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.other-institution", Operations: onIssue,
		Question: "What is answered to a client that is not registered with the institution of the header?",
		Answer:   "403 CMN_90006.",
		Basis:    sim.BasisChoice, Source: "ours; the code is published",
	},
	{
		ID: "tokens.issue.institution-id", Operations: onIssue,
		Question: "What is answered where the header institutionId is missing, or not digits?",
		Answer:   "400 CMN_90005.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.transaction-id", Operations: onIssue,
		Question: "What is answered where the header transactionId is missing?",
		Answer:   "400 CMN_90008.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.body", Operations: onIssue,
		Question: "What is answered to a body that can't be read, or has a member of another type?",
		Answer:   "400 CMN_90011.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.grant-type", Operations: onIssue,
		Question: "What is answered where grant_type is missing or unknown?",
		Answer:   "400 CMN_90007.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.user-name", Operations: onIssue,
		Question: "What is answered where username or password is missing?",
		Answer:   "400 CMN_90013 or CMN_90014.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.wrong-user", Operations: onIssue,
		Question: "What is answered where no active user has this username and password?",
		Answer:   "401 CMN_90015.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.refresh-token", Operations: onIssue,
		Question: "What is answered to a refresh token that is missing, unknown, used, revoked, expired or another client's?",
		Answer:   "400 CMN_90016.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "tokens.issue.internal-fault", Operations: onIssue,
		Question: "What is answered to an unexpected fault?",
		Answer:   "500 CMN_90000.",
		Basis:    sim.BasisPublished, Source: published,
		Unshown: "no request is known that makes the simulator fail",
	},
	{
		ID: "tokens.issue.error-body", Operations: onIssue,
		Question: "What does an error look like?",
		Answer:   "{code string, message string}; the message is in the simulator's own words.",
		Basis:    sim.BasisPublished, Source: published,
	},
}
