package contract

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// commonRefusals are the refusals of rules that no source has a code for. Most have a code of the simulator's own.
var commonRefusals = []Refusal{
	{MediaTypeUnknown, 415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE", EverywhereContentType},
	{BodyTooLarge, 413, bodyTooLarge, EverywhereBodySize},
	{Overloaded, 429, "BANKSIM_OVERLOADED", EverywhereBodySize},
	{NotStored, 503, "BANKSIM_NOT_STORED", EverywhereStore},
	{sim.WorldFull, 507, "BANKSIM_WORLD_FULL", EverywhereWorldLimits},
	{PathUnknown, 404, "BANKSIM_UNKNOWN_PATH", EverywhereUnknownPath},
	{SandboxUnknown, 404, "BANKSIM_UNKNOWN_SANDBOX", EverywhereSandbox},
	{SandboxMissing, 421, "BANKSIM_NO_SANDBOX", EverywhereSandbox},
	{SandboxContradiction, 400, "BANKSIM_SANDBOX_CONTRADICTION", EverywhereSandbox},
	{MethodNotAllowed, 405, "BANKSIM_METHOD_NOT_ALLOWED", EverywhereUnknownMethod},
	{OriginRefused, 403, "BANKSIM_CORS_ORIGIN", EverywhereCORS},
	{InternalFault, 500, "BANKSIM_INTERNAL", EverywhereInternalFault},
	{GenerationEnded, 503, "BANKSIM_GENERATION_ENDED", EverywhereEndedGeneration},
	{FaultMalformed, 400, "BANKSIM_FAULT_HEADER", EverywhereFaultHeader},
	{StubTooLarge, 500, "BANKSIM_STUB_TOO_LARGE", EverywhereFaults},
	{ForwardFailed, 502, "BANKSIM_FORWARD_FAILED", EverywhereForwarding},
	{PathUnsafe, 400, "BANKSIM_PATH_NOT_FORWARDED", EverywhereForwarding},
	{ForwardLoop, 508, "BANKSIM_FORWARD_LOOP", EverywhereForwardingHops},
	{Strictness, 501, "BANKSIM_STRICT", EverywhereStrict},
	{QuotaUsedUp, 500, resourceForbidden, EverywhereRateLimits},
	{SpikeArrested, 500, spikeArrested, EverywhereRateLimits},
	{HeaderTooLong, 400, headerUnacceptable, EverywhereHeaderSize},
	{CharacterRefused, 400, charactersRefused, EverywhereCharacters},
}

const bodyTooLarge = "BANKSIM_BODY_TOO_LARGE"

// OwnCode reports whether a code is the simulator's own.
func OwnCode(code string) bool { return strings.HasPrefix(code, "BANKSIM_") }

// variants maps a rule to a more general one. A family without a refusal for the rule answers as for the general one.
var variants = map[sim.Code]struct {
	of    sim.Code
	entry *Entry // in place of the entry of the general rule, or nil
}{
	TokenMalformed:    {of: sim.TokenUnknown},
	sim.TokenExpired:  {of: sim.TokenUnknown},
	MemberMistyped:    {of: BodyMalformed},
	BodyAmbiguous:     {BodyMalformed, EverywhereAmbiguousJSON},
	ParameterRepeated: {ParameterMissing, EverywhereRepeatedParameter},
	RequestUnreadable: {BodyMalformed, EverywhereUnreadable},
	sim.ScopeMissing:  {sim.TokenOfAnotherUser, EverywhereScopes},

	sim.UserLocked:             {sim.UserCredentialsWrong, TokensIssueLockedUser},
	sim.GroupNameHasNUL:        {sim.GroupInvalid, GroupsCreateNUL},
	sim.GroupExistsInOtherCase: {sim.GroupExists, GroupsCreateNameCase},

	sim.DisclosuresNotAllAccepted: {sim.DisclosureNotAccepted, EstatementsUpdateSeveralDisclosures},
}

// The entries about all operations.
var (
	EverywhereJSON = entry("everywhere.json", everyOperation, Documented, Entry{
		Question: "What format do bodies have?",
		answer: "JSON objects, in requests and answers, unless an entry of the operation says otherwise; " +
			"names and types of members are the interface's own.",
		source: "section 4",
	})
	EverywhereDialect = entry("everywhere.dialect", everyOperation, Choice, Entry{
		Question: "Which of two descriptions is a request answered by, where they differ: that of the interface's " +
			"document or the public one?",
		answer: "The path decides: below " + DocumentPrefix + " the document rules, and the entries of the ledger " +
			"hold as they stand; on a bare path such as " + barePath(groupsPath) + " the public description does, " +
			"and what entries say about the public dialect. Both are about the same bank.",
		source: "ours; both descriptions are given",
		Switch: wordSwitch("dialect", "The dialect of the answers: chosen by the path, or one for all paths.",
			func(b *sim.Behavior) *sim.Dialect { return &b.ForcedDialect },
			Alternative{"document", "On every path as the document says.", Choice},
			Alternative{"public", "On every path as the public description says.", Choice}),
	})
	EverywherePublicPaths = entry("everywhere.public-paths", everyOperation, Published, Entry{
		Question: "Which paths do the operations have in the public description?",
		answer: "Those of the document without " + strings.TrimSuffix(DocumentPrefix, "/") +
			" and without the segment of the family after it, such as " + barePath(groupsPath) + "; only " +
			oauthSegment + " stays, as in " + barePath(tokenPath) + ". The same goes for the paths that entries name.",
		source: publishedIn(release161),
	})
	EverywhereRateLimits = entry("everywhere.rate-limits", everyOperation, Published, Entry{
		Question: "Is the number of requests limited, and what is answered beyond a limit?",
		answer: "No limit is applied, unless a fault has a rate. A fault can answer as the gateway does: " +
			"{quota-used-up} where a quota is used up, {spike-arrested} to too many requests in a short time. The " +
			"gateway has no 429 and no Retry-After; a fault has them if it says so.",
		source:  publishedIn(errorCodes) + "; that no limit is applied, and what else a fault can answer, is ours",
		Unshown: "golden exchanges come from a bank without injected faults",
	})
	EverywhereRequestID = entry("everywhere.request-id", everyOperation, Published, Entry{
		Question: "What happens to the header that identifies a request?",
		answer: "correlationid, transactionId and transactionid are matched without regard to case and echoed in " +
			"the answer.",
		source: publishedIn(version13, collections) +
			"; RFC 9110 5.1 has the case; the echo in e-statements, alerts and disclosures is ours",
	})
	EverywhereChallenge = entry("everywhere.challenge", everyOperation, Convention, Entry{
		Question: "How does a 401 say how to authenticate?",
		answer: "WWW-Authenticate: Bearer, or Basic for the token operations, with the realm banksim; " +
			"a token that doesn't work is named invalid_token.",
		source: "RFC 9110 11.6.1, RFC 6750 3, RFC 7617 2",
	})
	EverywhereUnknownPath = entry("everywhere.unknown-path", everyOperation, Convention, Entry{
		Question: "What is answered on a path that no operation has?",
		answer: "{refused}, in the error shape of the family that the path begins like, else {code, message}; unless " +
			"a fault with that path, a stub, answers. The message names an operation with the method of whose path " +
			"one segment differs.",
		source: "RFC 9110 15.5.5",
	})
	EverywhereUnreadable = entry("everywhere.unreadable", everyOperation, Convention, Entry{
		Question: "What is answered to a request whose path doesn't parse, as with a broken escape?",
		answer: "400 in the error shape of the family that the path begins like, with its code for a malformed body, " +
			"or for a malformed id in the path of users. The request is in no journal. Over https the answer is " +
			"text, and HTTP/2 ends the stream with PROTOCOL_ERROR: net/http answers by itself there.",
		source:  "RFC 9110 15.5.1",
		Unshown: "no client of net/http sends such a path",
	})
	EverywhereUnknownMethod = entry("everywhere.unknown-method", everyOperation, Convention, Entry{
		Question: "What is answered to a method that the path doesn't take?",
		answer:   "{refused} with Allow, in the error shape of the path's operation. HEAD is allowed where GET is.",
		source:   "RFC 9110 9.1, RFC 9110 15.5.6",
	})
	EverywhereSandbox = entry("everywhere.sandbox", everyOperation, Choice, Entry{
		Question: "Which sandbox is a request for?",
		answer: "That of the path of its base URL, /sandboxes/NAME; where the simulator was started with " +
			"--sandbox-hosts, also that of its host, NAME and the domain, in any case; and that of the header " +
			"Banksim-Sandbox. One that isn't there gets {sandbox-unknown}. A request that names two gets " +
			"{sandbox-contradiction}, and is in the journal of the first that exists: that of the path, the host, " +
			"the header. One that names none is for the sandbox default; with --no-default-sandbox it gets " +
			"{sandbox-missing}, and is in the journal of default. On a listener that serves one sandbox, all are for " +
			"that one.",
	})
	EverywhereOrderOfChecks = entry("everywhere.order-of-checks", everyOperation, Choice, Entry{
		Question: "Which of several mistakes in a request is answered?",
		answer: "The first one in this order: credentials, headers and parameters, content type, body, rules of " +
			"the bank. In disclosures an empty body comes before the content type, and accountType after the body, " +
			"which says whether it is needed.",
		Public: publicAnswer(
			"What the gateway refuses comes first: a header that is too long, then a character. Then the "+
				"order is the same.",
			Choice, "ours; that a gateway answers first is published"),
	})
	EverywhereContentType = entry("everywhere.content-type", everyOperation, Convention, Entry{
		Question: "What is answered to a body of another content type than JSON, or of none, or in another charset " +
			"than UTF-8, or with a Content-Encoding?",
		answer: "{refused}. (The revocation, the operations on authorization codes and the upload of participants " +
			"answer 400, as their own entries say.)",
		source: "RFC 9110 15.5.16",
		Public: publicAnswer("The same; but the request for tokens answers 400, too.", Convention, "RFC 9110 15.5.16"),
	})
	EverywhereAccept = entry("everywhere.accept", everyOperation, Convention, Entry{
		Question: "What is answered where Accept asks for something else than JSON?",
		answer:   "JSON, with a lint in the journal.",
		source:   "RFC 9110 12.5.1",
		Permits:  true,
	})
	EverywhereRepeatedHeader = entry("everywhere.repeated-header", everyOperation, Choice, Entry{
		Question: "What happens where a header that has one value is given twice?",
		answer: "The first value counts, with a lint in the journal. Two Authorization headers are answered as one " +
			"that can't be read.",
		Permits: true,
		Unshown: "a golden exchange has each header once",
	})
	EverywhereByteOrderMark = entry("everywhere.byte-order-mark", everyOperation, Convention, Entry{
		Question: "What happens to a byte order mark before a JSON body?",
		answer:   "It is ignored, with a lint in the journal.",
		source:   "RFC 8259 8.1",
		Permits:  true,
	})
	EverywhereIntegers = entry("everywhere.integers", everyOperation, Convention, Entry{
		Question: "Is 7.0 in a JSON body an integer?",
		answer:   "Yes. A number with an integral value is an integer, however it is written.",
		source:   "RFC 8259 6",
		Permits:  true,
	})
	EverywhereBodySize = entry("everywhere.body-size", everyOperation, Choice, Entry{
		Question: "How large may a body be?",
		answer: "1 MiB, but for an upload of participants; a larger one is answered with {body-too-large}. One of " +
			"more than 4 KiB for which the simulator has no memory gets {overloaded} with Retry-After at once, and " +
			"nothing is changed. So does a request that only reads, if its answer has more than 64 KiB and there is " +
			"no memory for it.",
		Switch: numberSwitch("limits.bodyKiB", "How large a body may be, but for an upload of participants.",
			func(b *sim.Behavior) *int { return &b.Limits.BodyKiB }, maxNumber, "That many KiB."),
		Unshown: "a body of more than a megabyte is too large for a golden exchange",
	})
	EverywhereCharacters = entry("everywhere.characters", everyOperation, Choice, Entry{
		Question: "Which characters may a request have?",
		answer:   "Any, but for NUL in the name of a group.",
		Public: publicAnswer(
			"Printable ASCII and JSON's white space, in path and query as decoded, in headers and in the "+
				"body as sent, after a byte order mark. Another character is answered with 400 and the code of the "+
				"family: "+charactersRefused+" for tokens, codes, groups and jobs, "+alertCharactersRefused+" for "+
				"alerts, "+disclosureCharactersRefused+" for disclosures, "+userCharactersRefused+" for users; "+
				"e-statements have an entry of their own.",
			Published, publishedIn(errorCodes, version13)+"; version 1.3 has the code for groups and jobs; those of "+
				"e-statements and alert preferences are ours"),
	})
	EverywhereHeaderSize = entry("everywhere.header-size", everyOperation, Choice, Entry{
		Question: "How large may a header be?",
		answer:   "All headers together 32 KiB; from 36 KiB on they get 431 from the HTTP server itself.",
		Public: publicAnswer("8 KiB; a larger one is answered with {header-too-long}.",
			Published, publishedIn(errorCodes, version13)+"; that every family has this code is ours"),
		Unshown: "a header of 8 KiB is too large for a golden exchange",
	})
	EverywhereStore = entry("everywhere.store", everyOperation, Choice, Entry{
		Question: "What is answered where a change can't be stored, with serve --data?",
		answer: "{refused} with Retry-After; nothing is changed. An answer to a change comes when it is stored. " +
			"Where a database doesn't say in time whether it has stored a change, the refusal has no Retry-After, " +
			"and says that the change may have been made.",
		Unshown: "it takes a store that fails",
	})
	EverywhereWorldLimits = entry("everywhere.world-limits", everyOperation, Choice, Entry{
		Question: "How much may callers add to a bank?",
		answer: "1,000,000 rows: grants and their tokens, groups, import jobs and alert preferences together, beside " +
			"those of the scenario. All banks together keep a quarter of the memory limit (of 4 GiB without one), and " +
			"one bank half of that. What exceeds either is answered with {refused}; nothing is changed.",
		Switch: numberSwitch("limits.rows", "How many rows callers may add to the bank: tokens, groups, jobs, "+
			"alert preferences.",
			func(b *sim.Behavior) *int { return &b.Limits.Rows },
			maxRows, "That many."),
		Unshown: "a bank with a million rows is too large for a golden exchange",
	})
	EverywhereAmbiguousJSON = entry("everywhere.ambiguous-json", everyOperation, Choice, Entry{
		Question: "What is answered to a body that two parsers could read differently?",
		answer: "As to one that isn't JSON: duplicate members, data after the object, invalid UTF-8, more than 64 " +
			"levels.",
		source: "ours; RFC 8259 4 leaves it open",
	})
	EverywhereUnknownMembers = entry("everywhere.unknown-members", everyOperation, Choice, Entry{
		Question: "What happens to members of a body that the operation doesn't have?",
		answer:   "They are ignored, and so are members whose names are spelt in another case.",
		Permits:  true,
	})
	EverywhereNullMembers = entry("everywhere.null-members", everyOperation, Choice, Entry{
		Question: "What does a member mean if its value is null?",
		answer:   "The same as if it were left out.",
		Permits:  true,
	})
	EverywhereRepeatedParameter = entry("everywhere.repeated-parameter", everyOperation, Choice, Entry{
		Question: "What is answered where a query parameter that has one value is given twice?",
		answer: "It is refused. In e-statements as a missing one, 400 " + inputMissing + ", even where it may be " +
			"missing; the entries of alerts, disclosures and users have their codes. Of page, size and the groupId " +
			"of a list of jobs the first counts; sort may be repeated.",
		source:  "ours; Spring Data reads page and size so",
		Permits: true,
	})
	EverywhereUnknownParameters = entry("everywhere.unknown-parameters", everyOperation, Choice, Entry{
		Question: "What happens to query parameters that the operation doesn't have, or that can't be read?",
		answer: "They are ignored, with a lint in the journal. One with a broken escape or a semicolon can't be " +
			"read.",
		Permits: true,
	})
	EverywhereInternalFault = entry("everywhere.internal-fault", everyOperation, Choice, Entry{
		Question: "What is answered when the simulator itself fails?",
		answer:   "The operation's own code for it with 500, else {refused}; nothing is changed.",
		Unshown:  "no request is known that makes the simulator fail",
	})
	EverywhereEndedGeneration = entry("everywhere.ended-generation", everyOperation, Choice, Entry{
		Question: "What is answered if the sandbox is reset while a request is under way?",
		answer: "What the bank had answered before the reset. A request that a fault still delayed gets {refused} " +
			"with Retry-After: 1, and has changed nothing; any other is carried out after the reset. One that needs " +
			"a key for id_tokens, and has three resets during it, is refused likewise.",
		Unshown: "a golden exchange is one request, and it takes a reset during it",
	})
	EverywhereFaults = entry("everywhere.faults", everyOperation, Choice, Entry{
		Question: "What is answered if a fault fires for a request?",
		answer: "What the fault says: without a body of its own, the error body of the operation's family, with the " +
			"code that fits the status best, and the message that goes with the code; code " + InjectedCode + " " +
			"where the family has none for the status. A stub answers only on a path that no operation has, " +
			"to anybody; if its variables make the answer larger than 10 MiB, the request gets {stub-too-large}.",
		Unshown: "golden exchanges come from a bank without injected faults",
	})
	EverywhereForwarding = entry("everywhere.forwarding", everyOperation, Choice, Entry{
		Question: "What is answered if a stub, or --forward-unknown, forwards a request?",
		answer: "What the other service answers, if it begins within 30 seconds; otherwise {forward-failed}, as for " +
			"a WebSocket. An answer of more than 100 MiB is broken off there, and a larger request gets 413 " +
			bodyTooLarge + ". A Location that would be forwarded leads to the bank. A path with a segment . or .., " +
			"however it is escaped, gets {path-not-forwarded}, and nothing is sent.",
		Unshown: "golden exchanges come from a bank that forwards nothing",
	})
	EverywhereForwardingHops = entry("everywhere.forwarding-hops", everyOperation, Convention, Entry{
		Question: "Which headers aren't forwarded, and how does a loop of forwarding end?",
		answer: "Those of one connection aren't, nor the simulator's own. X-Forwarded-For, -Host and -Proto say who " +
			"called the bank, and under which URL. Via and Banksim-Via get a name of this process; a request that " +
			"has the name already gets {forward-loop}.",
		source:  "RFC 9110 7.6.1, RFC 9110 7.6.3, RFC 5842 7.2",
		Unshown: "golden exchanges come from a bank that forwards nothing",
	})
	EverywhereOtherCodes = entry("everywhere.other-codes", everyOperation, Published, Entry{
		Question: "Which answers of a service that fails, or refuses, does the simulator itself have no reason for?",
		answer:   "Those that the description has for the operations of the family: a fault answers with them.",
		source: publishedIn(errorCodes) +
			"; sections 4.4, 4.6 and 7.1 have the statuses of the revocation and of the list of groups; " +
			"which code goes with which status is ours for alerts",
		Unshown: "only a fault brings it about",
	})
	EverywhereMessages = entry("everywhere.messages", everyOperation, Choice, Entry{
		Question: "What do the messages of errors say?",
		answer:   "What is wrong, in the simulator's own words.",
		Switch: textsSwitch("messages", "Texts of error messages by code, in place of the simulator's own.",
			func(b *sim.Behavior) *map[string]string { return &b.Messages }, Codes(),
			Alternative{"<texts>",
				"For these codes the given text, whatever the reason; the journal still says which it was.", Choice}),
	})
	EverywhereFaultHeader = entry("everywhere.fault-header", everyOperation, Choice, Entry{
		Question: "May a request ask for a fault, by the header Banksim-Fault?",
		answer:   "No: the header is ignored, with a lint in the journal.",
		Switch: flagSwitch("faultHeader", "Whether requests may ask for a fault by the header Banksim-Fault.",
			func(b *sim.Behavior) *bool { return &b.FaultHeader },
			Alternative{"true", "Yes; a header that can't be read is answered with {refused}.", Choice}).
			under("true", FaultMalformed),
		Unshown: "golden exchanges come from a bank without injected faults",
	})
	EverywhereExchangeHeader = entry("everywhere.exchange-header", everyOperation, Choice, Entry{
		Question: "Does an answer name its exchange?",
		answer:   "Yes: Banksim-Exchange is the number of the exchange in the sandbox's journal.",
		Switch: flagSwitch("headers.exchange",
			"Whether answers carry Banksim-Exchange, their number in the journal.",
			func(b *sim.Behavior) *bool { return &b.Headers.Exchange },
			Alternative{"false", "No.", Choice}),
		Unshown: "golden exchanges leave the header out, because it differs from run to run",
	})
	EverywhereScenarioHeader = entry("everywhere.scenario-header", everyOperation, Choice, Entry{
		Question: "Does an answer name the scenario that the bank was loaded from?",
		answer:   "No.",
		Switch: flagSwitch("headers.scenario",
			"Whether answers carry Banksim-Scenario, the scenario's name and version.",
			func(b *sim.Behavior) *bool { return &b.Headers.Scenario },
			Alternative{"true", "Yes: Banksim-Scenario is the name of the sandbox's scenario, percent-encoded, a " +
				"slash and its version.", Choice}),
		Unshown: "golden exchanges leave the header out, because it differs from scenario to scenario",
	})
	EverywhereStrict = entry("everywhere.strict", everyOperation, Choice, Entry{
		Question: "Are there answers that rest on nothing but a choice of the simulator's own?",
		answer:   "Yes. A choice answers what no source does.",
		Switch: flagSwitch("strict",
			"Whether requests are refused if only a choice of the simulator's own could answer them.",
			func(b *sim.Behavior) *bool { return &b.Strict },
			Alternative{"true", "No, where a choice decides what an operation answers: in its place comes " +
				"{refused}, which names the entry; nothing is changed. What else is in an accepted answer may still " +
				"be a choice. Requests to no operation, and faults, are answered as ever.",
				Choice}).under("true", Strictness),
	})
)

// KeySet is the rule of a request for the key set in the journal. KeySetPath is the path of the key set below the base
// URL.
const (
	KeySet     = "key-set"
	KeySetPath = "/.well-known/jwks.json"
)

// EverywhereKeySet is about the keys that sign id_tokens.
var EverywhereKeySet = entry("everywhere.key-set", everyOperation, Choice, Entry{
	Question: "Where does an app get the key with which it checks an id_token?",
	answer:   "GET " + KeySetPath + " below the base URL answers with a JSON Web Key Set (RFC 7517), to anybody.",
	source:   "ours; the description has no key set",
	Unshown:  "golden exchanges are about the interface, which has no such path",
})
