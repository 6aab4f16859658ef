package contract

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Refusal is how a family answers a request that a rule refuses.
type Refusal struct {
	Rule   sim.Code
	Status int
	Code   string // in the error body
	Entry  *Entry // says where status and code come from
}

// AppliesUnder reports whether the rule refuses requests under a policy.
func (r Refusal) AppliesUnder(p *sim.Policy) bool {
	s := r.Entry.Switch
	return !r.IsAccepted(p) && (s == nil || !s.decides(r.Rule) || s.refusesUnder(r.Rule, &p.Behavior))
}

// The rules that refuse a request before it reaches the rules of the bank.
const (
	TokenMissing       sim.Code = "token-missing"
	TokenMalformed     sim.Code = "token-malformed"
	RequestIDMissing   sim.Code = "request-id-missing"
	RequestIDMalformed sim.Code = "request-id-malformed"
	InstitutionMissing sim.Code = "institution-missing" // or not numeric
	HeaderMissing      sim.Code = "header-missing"
	ParameterMissing   sim.Code = "parameter-missing"
	ParameterRepeated  sim.Code = "parameter-repeated"
	ParameterMalformed sim.Code = "parameter-malformed"
	ParametersExclude  sim.Code = "parameters-exclude-each-other"
	MediaTypeUnknown   sim.Code = "media-type-unknown"
	BodyTooLarge       sim.Code = "body-too-large"
	Overloaded         sim.Code = "overloaded" // no room for the body or the answer
	NotStored          sim.Code = "not-stored" // the store of the bank failed
	BodyMalformed      sim.Code = "body-malformed"
	BodyEmpty          sim.Code = "body-empty"
	AccountTypeUnknown sim.Code = "account-type-unknown" // or missing
	AccountIDMissing   sim.Code = "account-id-missing"
	BodyAmbiguous      sim.Code = "body-ambiguous"
	MemberMissing      sim.Code = "member-missing"
	MemberMistyped     sim.Code = "member-mistyped"
	MemberMalformed    sim.Code = "member-malformed" // the right type, the wrong text
	NotMultipart       sim.Code = "not-multipart"
	PartsMalformed     sim.Code = "parts-malformed"
	PartMissing        sim.Code = "part-missing"
	FileTypeUnknown    sim.Code = "file-type-unknown" // or missing
	PathUnknown        sim.Code = "path-unknown"
	RequestUnreadable  sim.Code = "request-unreadable" // its path, or its framing, doesn't parse
	MethodNotAllowed   sim.Code = "method-not-allowed"
	SandboxUnknown     sim.Code = "sandbox-unknown"
	SandboxMissing     sim.Code = "sandbox-missing"        // the URL names no sandbox, and there is no default
	FaultMalformed     sim.Code = "fault-header-malformed" // the header Banksim-Fault can't be read
	OriginRefused      sim.Code = "cors-origin-refused"    // a preflight of a page that may not read answers

	StubTooLarge  sim.Code = "stub-too-large"
	ForwardFailed sim.Code = "forward-failed"     // by the other service, or on the way
	ForwardLoop   sim.Code = "forward-loop"       // the request has been here before
	PathUnsafe    sim.Code = "path-not-forwarded" // it could leave the base path

	DisclosureNameTooLong sim.Code = "disclosure-name-too-long"

	SandboxContradiction sim.Code = "sandbox-contradiction" // the request names two sandboxes
	InternalFault        sim.Code = "internal-fault"
	GenerationEnded      sim.Code = "generation-ended" // the sandbox was reset during the request
	Strictness           sim.Code = "strict"
)

// mistakes are the rules that refuse only requests which contradict the contract.
var mistakes = []sim.Code{
	TokenMissing, TokenMalformed, RequestIDMissing, RequestIDMalformed, InstitutionMissing, HeaderMissing,
	ParameterMissing, ParameterRepeated, ParameterMalformed, ParametersExclude,
	MediaTypeUnknown, BodyTooLarge, BodyMalformed, BodyEmpty, AccountTypeUnknown, AccountIDMissing, BodyAmbiguous,
	MemberMissing, MemberMistyped, MemberMalformed, DisclosureNameTooLong, NotMultipart, PartsMalformed, PartMissing,
	FileTypeUnknown, HeaderTooLong, CharacterRefused, sim.GroupNameHasNUL,
}

// IsMistake reports whether a rule refuses only requests that a correct client doesn't send.
func IsMistake(rule sim.Code) bool { return slices.Contains(mistakes, rule) }

// refusesTokens are the rules that refuse a request for its access token.
var refusesTokens = list[sim.Code]{TokenMissing, TokenMalformed, sim.TokenUnknown, sim.TokenExpired}

// refusesBodies are the rules that refuse a body that can't be read.
var refusesBodies = list[sim.Code]{BodyMalformed, BodyAmbiguous, MemberMistyped}
