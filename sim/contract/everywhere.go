package contract

import (
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Sources that many entries share.
const (
	published  = "public API description"
	ours       = "ours"
	principle2 = "public API description; where it is silent, a client must not come to rely on more than it says"
)

// everywhere are the decisions about all operations.
var everywhere = []Entry{
	{
		ID:       "everywhere.json",
		Question: "In what form are bodies?",
		Answer:   "JSON objects, in requests and answers; names and types of members are the interface's own.",
		Basis:    sim.BasisDocument, Source: "section 4",
	},
	{
		ID:       "everywhere.versions",
		Question: "How is a version of the interface addressed?",
		Answer:   "By a segment of the path: v1, v2 or v3, as each operation has it. There is no other version: it is an unknown path.",
		Basis:    sim.BasisDocument, Source: "section 9",
	},
	{
		ID:       "everywhere.events",
		Question: "Does the service send anything by itself?",
		Answer:   "No: there are no events, callbacks or notifications.",
		Basis:    sim.BasisDocument, Source: "section 6",
		Unshown: "what isn't sent doesn't show in an exchange",
	},
	{
		ID:       "everywhere.rate-limits",
		Question: "Is the number of requests limited?",
		Answer:   "No.",
		Basis:    sim.BasisPublished, Source: published,
		Unshown: "no number of exchanges shows that there is no limit",
	},
	{
		ID:       "everywhere.request-id",
		Question: "What happens to the header that identifies a request?",
		Answer:   "correlationid, transactionId and transactionid are matched without regard to case and echoed in the answer.",
		Basis:    sim.BasisConvention, Source: "RFC 9110 5.1",
	},
	{
		ID:       "everywhere.challenge",
		Question: "What tells a 401 how to authenticate?",
		Answer:   "WWW-Authenticate: Bearer, or Basic for the token operations, with the realm banksim; a token that doesn't work is named invalid_token.",
		Basis:    sim.BasisConvention, Source: "RFC 9110 11.6.1, RFC 6750 3, RFC 7617 2",
	},
	{
		ID:       "everywhere.unknown-path",
		Question: "What is answered on a path that no operation has?",
		Answer:   "404 BANKSIM_UNKNOWN_PATH, in the error shape of the nearest operations; the message names the nearest one.",
		Basis:    sim.BasisConvention, Source: "RFC 9110 15.5.5",
	},
	{
		ID:       "everywhere.unknown-method",
		Question: "What is answered to a method that the path doesn't take?",
		Answer:   "405 BANKSIM_METHOD_NOT_ALLOWED with Allow, in the error shape of the path's operation.",
		Basis:    sim.BasisConvention, Source: "RFC 9110 15.5.6",
	},
	{
		ID:       "everywhere.unknown-sandbox",
		Question: "What is answered at the base URL of a sandbox that isn't there?",
		Answer:   "404 BANKSIM_UNKNOWN_SANDBOX.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID:       "everywhere.order-of-checks",
		Question: "Which of several mistakes in a request is answered?",
		Answer:   "The first one in this order: credentials, headers and parameters, content type, body, rules of the bank.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID:       "everywhere.content-type",
		Question: "What is answered to a body of another content type than JSON, or of none, or in another charset than UTF-8?",
		Answer:   "415 BANKSIM_UNSUPPORTED_MEDIA_TYPE. (The revocation answers 400, which its own description has.)",
		Basis:    sim.BasisConvention, Source: "RFC 9110 15.5.16",
	},
	{
		ID:       "everywhere.body-size",
		Question: "How large may a body be?",
		Answer:   "1 MiB; a larger one is answered with 413 BANKSIM_BODY_TOO_LARGE.",
		Basis:    sim.BasisChoice, Source: ours,
		Unshown: "a body of more than a megabyte makes no golden exchange",
	},
	{
		ID:       "everywhere.ambiguous-json",
		Question: "What is answered to a body that two parsers could read differently?",
		Answer:   "As to one that isn't JSON: duplicate members, data after the object, invalid UTF-8, more than 64 levels.",
		Basis:    sim.BasisChoice, Source: "ours; RFC 8259 4 leaves it open",
	},
	{
		ID:       "everywhere.unknown-members",
		Question: "What happens to members of a body that the operation doesn't have?",
		Answer:   "They are ignored, and so are members whose names are spelt in another case.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID:       "everywhere.null-members",
		Question: "What does a member mean whose value is null?",
		Answer:   "The same as if it were left out.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID:       "everywhere.repeated-parameter",
		Question: "What is answered where a query parameter that has one value is given twice?",
		Answer:   "The same as if it were missing.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID:       "everywhere.internal-fault",
		Question: "What is answered when the simulator itself fails?",
		Answer:   "500, with the code that the operation has for it, else BANKSIM_INTERNAL; nothing is changed.",
		Basis:    sim.BasisChoice, Source: ours,
		Unshown: "no request is known that makes the simulator fail",
	},
	{
		ID:       "everywhere.faults",
		Question: "What is answered to a request for which a fault fires?",
		Answer: "What the fault says: without a body of its own, the error body that the operation has for the status; code " +
			"BANKSIM_FAULT where it has none.",
		Basis: sim.BasisChoice, Source: ours,
		Unshown: "golden exchanges are those of a bank in which nothing is made to fail",
	},
	{
		ID:       "everywhere.fault-header",
		Question: "May a request ask for a fault, by the header Banksim-Fault?",
		Answer:   "No: the header is ignored, with a lint in the journal.",
		Basis:    sim.BasisChoice, Source: ours,
		Switch: &Switch{
			Key: "faultHeader", Default: "false",
			Alternatives: []Alternative{{"true", "Yes; a header that can't be read is answered with 400 BANKSIM_FAULT_HEADER.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.FormatBool(b.FaultHeader) },
		},
		Unshown: "golden exchanges are those of a bank in which nothing is made to fail",
	},
	{
		ID:       "everywhere.exchange-header",
		Question: "Does an answer name its exchange?",
		Answer:   "Yes: Banksim-Exchange is the number of the exchange in the sandbox's journal.",
		Basis:    sim.BasisChoice, Source: ours,
		Switch: &Switch{
			Key: "headers.exchange", Default: "true",
			Alternatives: []Alternative{{"false", "No.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.FormatBool(b.Headers.Exchange) },
		},
		Unshown: "golden exchanges leave the header out, because it differs from run to run",
	},
	{
		ID:       "everywhere.strict",
		Question: "Are there answers that rest on nothing but a choice of the simulator's own?",
		Answer:   "Yes: every request gets one.",
		Basis:    sim.BasisChoice, Source: ours,
		Switch: &Switch{
			Key: "strict", Default: "false",
			Alternatives: []Alternative{{"true", "No: in the place of such an answer comes 501 BANKSIM_STRICT, which names the entry; nothing is changed.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.FormatBool(b.Strict) },
		},
	},
}
