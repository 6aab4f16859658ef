package contract

import "github.com/digitalbanking-sim/banksim/sim"

// revocation are the decisions about revoking tokens.
var revocation = []Entry{
	{
		ID: "revoke.response", Operations: onRevoke,
		Question: "What does a successful revocation answer?",
		Answer:   "200 with the token response.",
		Basis:    sim.BasisDocument, Source: "sections 2.4 and 4.4",
		Switch: &Switch{
			Key: "tokens.revokeResponse", Default: "token",
			Alternatives: []Alternative{
				{"empty", "200 without a body.", sim.BasisDocument},
				{"noContent", "204.", sim.BasisChoice},
				{"authenticationResult", "200 with the authentication-result object, the other shape that is listed.", sim.BasisDocument},
			},
			value: func(b *sim.Behavior) string { return string(b.Tokens.RevokeResponse) },
		},
	},
	{
		ID: "revoke.content", Operations: onRevoke,
		Question: "What is in the token response of a revocation?",
		Answer: "The newest grant that was revoked: its tokens, which work no more, and lifetimes of \"0\"; empty tokens where there was " +
			"nothing to revoke. Never a token that works.",
		Basis: sim.BasisChoice, Source: "ours; section 4.4 gives the shape",
	},
	{
		ID: "revoke.authentication-result", Operations: onRevoke,
		Question: "What is in the authentication-result object of a revocation?",
		Answer:   "User, institution and client of the revoked grant; of each enumeration the value that is shown; all else is empty.",
		Basis:    sim.BasisChoice, Source: "ours; section 2.5 gives the shape",
	},
	{
		ID: "revoke.body", Operations: onRevoke,
		Question: "Where does a revocation say what it revokes?",
		Answer:   "In the body of the DELETE, which is read with a Content-Length as well as chunked.",
		Basis:    sim.BasisDocument, Source: "section 4.4",
	},
	{
		ID: "revoke.form-body", Operations: onRevoke,
		Question: "May the body be form-urlencoded?",
		Answer:   "Yes.",
		Basis:    sim.BasisPublished, Source: "public API description; section 4 has JSON",
	},
	{
		ID: "revoke.by-refresh-token", Operations: onRevoke,
		Question: "What does refresh_token in the body revoke?",
		Answer:   "The grant that the refresh token belongs to.",
		Basis:    sim.BasisChoice, Source: "ours; section 2.3 has the member",
	},
	{
		ID: "revoke.by-token", Operations: onRevoke,
		Question: "May the body name a token, whichever, by the member token?",
		Answer:   "Yes: the grant of this refresh or access token is revoked.",
		Basis:    sim.BasisConvention, Source: "RFC 7009 2.1",
	},
	{
		ID: "revoke.by-credentials", Operations: onRevoke,
		Question: "What does a body without a token revoke?",
		Answer: "With grant_type password, username and password: all grants that the client holds for this user. With grant_type " +
			"client_credentials: those that it holds for no user.",
		Basis: sim.BasisChoice, Source: "ours; section 2.3 has the members",
	},
	{
		ID: "revoke.cascade", Operations: onRevoke,
		Question: "What else stops working with a revoked token?",
		Answer:   "Every access token and the refresh token of its grant.",
		Basis:    sim.BasisPublished, Source: "public API description, RFC 7009 2.1",
	},
	{
		ID: "revoke.unknown-token", Operations: onRevoke,
		Question: "What is answered where the token is unknown, used up or revoked already?",
		Answer:   "The same as for a known one.",
		Basis:    sim.BasisConvention, Source: "RFC 7009 2.2",
		Switch: &Switch{
			Key: "tokens.unknownToken", Default: "ok",
			Alternatives: []Alternative{{"error", "400 CMN_90016.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return string(b.Tokens.UnknownToken) },
		},
	},
	{
		ID: "revoke.other-client", Operations: onRevoke,
		Question: "What is answered where the token is another client's?",
		Answer:   "400 CMN_90016; nothing is revoked.",
		Basis:    sim.BasisConvention, Source: "RFC 7009 2.1",
	},
	{
		ID: "revoke.nothing-named", Operations: onRevoke,
		Question: "What is answered where the body names nothing to revoke?",
		Answer:   "400 CMN_90011.",
		Basis:    sim.BasisConvention, Source: "RFC 7009 2.1 requires it, section 4.4 has the 400",
	},
	{
		ID: "revoke.unknown-client", Operations: onRevoke,
		Question: "What is answered to a client that is unknown, or has no credentials?",
		Answer:   "401 CMN_90004.",
		Basis:    sim.BasisDocument, Source: "sections 4.4 and 7.1; the code is published",
	},
	{
		ID: "revoke.other-institution", Operations: onRevoke,
		Question: "What is answered to a client that is not registered with the institution of the header?",
		Answer:   "401 CMN_90004.",
		Basis:    sim.BasisConvention, Source: "RFC 9110 15.5.2",
	},
	{
		ID: "revoke.wrong-user", Operations: onRevoke,
		Question: "What is answered where no active user has the username and password of the body?",
		Answer:   "401 CMN_90004.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID: "revoke.institution-id", Operations: onRevoke,
		Question: "What is answered where the header institutionId is missing, or not digits?",
		Answer:   "400 CMN_90005.",
		Basis:    sim.BasisDocument, Source: "sections 4.4 and 7.1; the code is published",
	},
	{
		ID: "revoke.transaction-id", Operations: onRevoke,
		Question: "What is answered where the header transactionId is missing?",
		Answer:   "400 CMN_90008.",
		Basis:    sim.BasisDocument, Source: "sections 4.4 and 7.1; the code is published",
	},
	{
		ID: "revoke.content-type", Operations: onRevoke,
		Question: "What is answered to another content type than JSON and form-urlencoded, or to none?",
		Answer:   "400 CMN_90010.",
		Basis:    sim.BasisDocument, Source: "sections 4.4 and 7.1; the code is published",
	},
	{
		ID: "revoke.malformed-body", Operations: onRevoke,
		Question: "What is answered to a body that can't be read, or has a member of another type?",
		Answer:   "400 CMN_90011.",
		Basis:    sim.BasisDocument, Source: "sections 4.4 and 7.1; the code is published",
	},
	{
		ID: "revoke.internal-fault", Operations: onRevoke,
		Question: "What is answered to an unexpected fault?",
		Answer:   "500 CMN_90000.",
		Basis:    sim.BasisDocument, Source: "sections 4.4 and 7.1; the code is published",
		Unshown: "no request is known that makes the simulator fail",
	},
	{
		ID: "revoke.error-body", Operations: onRevoke,
		Question: "What does an error look like?",
		Answer:   "{statusMessage string, errorInfo {errorType, errorCode, errorMessage}}.",
		Basis:    sim.BasisDocument, Source: "section 7.1",
	},
	{
		ID: "revoke.error-values", Operations: onRevoke,
		Question: "What is in the error body?",
		Answer:   "statusMessage equals errorMessage, in the simulator's own words; errorType is USER_ERROR, SYSTEM_ERROR from 500 on.",
		Basis:    sim.BasisPublished, Source: "public API description; section 7.1 shows USER_ERROR",
	},
}
