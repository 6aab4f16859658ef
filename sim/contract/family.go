package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Refusal is how a family answers a request that a rule refuses.
type Refusal struct {
	Rule   sim.Code
	Status int
	Code   string // in the error body
	Entry  *Entry // that status and code rest on
}

// The rules that refuse a request before it reaches a rule of the bank.
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
	Overloaded         sim.Code = "overloaded" // there was no room for the body or the answer
	NotStored          sim.Code = "not-stored" // where banks outlive their process
	BodyMalformed      sim.Code = "body-malformed"
	BodyEmpty          sim.Code = "body-empty"
	AccountTypeUnknown sim.Code = "account-type-unknown" // or missing
	AccountIDMissing   sim.Code = "account-id-missing"
	BodyAmbiguous      sim.Code = "body-ambiguous"
	MemberMissing      sim.Code = "member-missing"
	MemberMistyped     sim.Code = "member-mistyped"
	MemberMalformed    sim.Code = "member-malformed" // its text
	NotMultipart       sim.Code = "not-multipart"
	PartsMalformed     sim.Code = "parts-malformed"
	PartMissing        sim.Code = "part-missing"
	FileTypeUnknown    sim.Code = "file-type-unknown" // or missing
	PathUnknown        sim.Code = "path-unknown"
	MethodNotAllowed   sim.Code = "method-not-allowed"
	SandboxUnknown     sim.Code = "sandbox-unknown"
	SandboxMissing     sim.Code = "sandbox-missing"        // a URL without a sandbox, where there is no default
	FaultMalformed     sim.Code = "fault-header-malformed" // a Banksim-Fault header that can't be read
	OriginRefused      sim.Code = "cors-origin-refused"    // a preflight, for a page whose origin may not read answers

	SandboxContradiction sim.Code = "sandbox-contradiction" // it names two
	InternalFault        sim.Code = "internal-fault"
	GenerationEnded      sim.Code = "generation-ended" // the sandbox was reset while the request was under way
	Strictness           sim.Code = "strict"
)

// mistakes are the rules that refuse only requests which aren't as the contract describes them.
var mistakes = []sim.Code{
	TokenMissing, TokenMalformed, RequestIDMissing, RequestIDMalformed, InstitutionMissing, HeaderMissing, ParameterMissing,
	ParameterRepeated, ParameterMalformed, ParametersExclude, MediaTypeUnknown, BodyTooLarge, BodyMalformed, BodyEmpty,
	AccountTypeUnknown, AccountIDMissing, BodyAmbiguous, MemberMissing, MemberMistyped, MemberMalformed, NotMultipart, PartsMalformed,
	PartMissing, FileTypeUnknown,
}

// IsMistake reports whether a rule refuses only requests that a correct client doesn't send.
func IsMistake(rule sim.Code) bool { return slices.Contains(mistakes, rule) }

// Family is a group of operations that share their error body, their refusals and the header that identifies a request.
type Family struct {
	Parts     []Part // of the ledger: those that are about its operations
	Prefix    string // of the paths that belong to it
	RequestID string // the header that identifies a request, by default transactionId
	Security  Security
	Challenge string // WWW-Authenticate on 401 (RFC 9110 11.6.1)
	Refusals  []Refusal

	// Injected are, by error status, the rules whose refusals a fault with the status answers with: by default the last
	// one that has the status.
	Injected map[int]sim.Code
	// Others are errors of the family that no rule of the simulator brings about: a fault may name them by their codes.
	Others []Injection

	ErrorBody  *Object  // by default {code, message}
	ErrorRests []*Entry // what the error body rests on

	// RequestIDs is the entry by which the header that identifies a request must be a UUID, or nil if it may be any text
	// or a switch decides.
	RequestIDs *Entry
	// Unauthorized is the entry whose switch replaces the status 401 in refusals, or nil.
	Unauthorized *Entry

	Dialect sim.Dialect // of its operations
}

// families are those of the document, the ones with the longest prefixes first.
var families = []*Family{revocations, tokens, codes, estatements, groups, alerts, userDisclosures, users}

// newFamily returns a family of the document with the defaults of what is not declared.
func newFamily(f Family) *Family {
	f.Dialect, f.Challenge = sim.DialectDocument, `Bearer realm="banksim"` // RFC 6750 3
	if f.Security == Basic {
		f.Challenge = `Basic realm="banksim", charset="UTF-8"` // RFC 7617 2
	}
	f.RequestID = cmp.Or(f.RequestID, "transactionId")
	f.ErrorBody = cmp.Or(f.ErrorBody, codeMessage(f.ErrorRests...))
	injected := map[int]sim.Code{}
	for _, r := range f.Refusals {
		injected[r.Status] = r.Rule
	}
	maps.Copy(injected, f.Injected)
	f.Injected = injected
	f.RequestIDs = f.requestIDs()
	return &f
}

// requestIDs returns the entry by which the family refuses a request that no UUID identifies, or nil if it doesn't
// refuse it or a switch decides.
func (f *Family) requestIDs() *Entry {
	r, found := f.find(RequestIDMalformed)
	if !found || r.Entry.Switch != nil && r.Entry.Switch.decides(r.Rule) {
		return nil
	}
	return r.Entry
}

// Refusal returns how the family answers a request that a rule refuses. A rule that it doesn't know is an internal fault.
func (f *Family) Refusal(rule sim.Code) Refusal {
	if r, ok := f.find(rule); ok {
		return r
	}
	return f.Refusal(InternalFault)
}

func (f *Family) refusals(rules []sim.Code) []Refusal {
	all := make([]Refusal, len(rules))
	for i, rule := range rules {
		all[i] = f.Refusal(rule)
	}
	return all
}

func (f *Family) find(rule sim.Code) (Refusal, bool) {
	for _, all := range [][]Refusal{f.Refusals, commonRefusals} {
		if i := slices.IndexFunc(all, func(r Refusal) bool { return r.Rule == rule }); i >= 0 {
			return all[i], true
		}
	}
	v, ok := variants[rule]
	if !ok {
		return Refusal{}, false
	}
	r, ok := f.find(v.of)
	r.Rule, r.Entry = rule, cmp.Or(v.entry, r.Entry)
	return r, ok
}

// Status returns the status of a refusal under a policy.
func (f *Family) Status(r Refusal, p *sim.Policy) int {
	if f.Unauthorized == nil || r.Status != http.StatusUnauthorized {
		return r.Status
	}
	return statusOf(f.Unauthorized.Switch.Value(&p.Behavior))
}

// Statuses returns the statuses that a refusal has under any policy.
func (f *Family) Statuses(r Refusal) []int {
	all := []int{r.Status}
	if u := f.Unauthorized; u != nil && r.Status == http.StatusUnauthorized {
		if f.Dialect == sim.DialectPublic && u.isFixed() {
			return []int{statusOf(u.Public.Value)}
		}
		for _, a := range u.Switch.alternatives {
			all = append(all, statusOf(a.Value))
		}
	}
	return all
}

// AppliesUnder reports whether the rule refuses requests under a policy.
func (r Refusal) AppliesUnder(p *sim.Policy) bool {
	s := r.Entry.Switch
	return s == nil || !s.decides(r.Rule) || s.refusesUnder(r.Rule, &p.Behavior)
}

// Error returns an error body of the family, in JSON.
func (f *Family) Error(status int, code, message string) []byte {
	return f.ErrorBody.render(nil, status, code, message)
}

// statusOf returns the status that the value of a switch stands for.
func statusOf(value string) int {
	status, _ := strconv.Atoi(value)
	return status
}

// render appends an error body.
func (o *Object) render(b []byte, status int, code, message string) []byte {
	b = append(b, '{')
	for i, m := range o.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(quoted(b, m.Name), ':')
		switch m.From {
		case FromStatus:
			b = strconv.AppendInt(b, int64(status), 10)
		case FromCode:
			b = quoted(b, code)
		case FromMessage:
			b = quoted(b, message)
		case FromErrorType:
			b = quoted(b, m.Type.Enum[min(status/500, 1)])
		default:
			b = m.Type.Object.render(b, status, code, message)
		}
	}
	return append(b, '}')
}

// quoted appends a text as a JSON string, without HTML escapes.
func quoted(b []byte, text string) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a text can always be encoded
	return append(b, bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))...)
}

// ErrorCode returns the code of an error body, whatever family it is of; empty: it has none.
func ErrorCode(body []byte) string {
	var shape struct {
		Code      json.RawMessage `json:"code"`
		ErrorInfo struct {
			ErrorCode string `json:"errorCode"`
		} `json:"errorInfo"`
	}
	if json.Unmarshal(body, &shape) != nil {
		return ""
	}
	var code string
	_ = json.Unmarshal(shape.Code, &code) // of an answer that is no error it may be anything
	return code + shape.ErrorInfo.ErrorCode
}

// The codes of the gateway, which the families share that it stands before (public API description).
const (
	serviceFault            = "CMN_90000" // an unexpected fault inside the service
	resourceForbidden       = "CMN_90001" // the client may not use this resource; with 500: its quota is used up
	spikeArrested           = "CMN_90002" // too many requests within a short time
	credentialsRefused      = "CMN_90004" // the client's credentials are missing or not accepted
	institutionUnacceptable = "CMN_90005" // the header institutionId
	permissionMissing       = "CMN_90006" // for this resource
	grantTypeUnknown        = "CMN_90007" // or missing
	requestIDUnacceptable   = "CMN_90008" // the header transactionId
	accessBlocked           = "CMN_90009" // the caller's
	headerUnacceptable      = "CMN_90010" // another header
	requestUnacceptable     = "CMN_90011" // the body
	scopesRefused           = "CMN_90012"
	usernameMalformed       = "CMN_90013" // or missing
	passwordMalformed       = "CMN_90014" // or missing
	loginRefused            = "CMN_90015" // user name or password not accepted
	tokenUnusable           = "CMN_90016" // unknown, or not usable
	tokenNotCreated         = "CMN_90019"
)

// othersOfTokens are the errors that both token operations have, and that no rule of the simulator brings about.
var othersOfTokens = []Injection{
	other(400, accessBlocked, "access is blocked"),
	other(400, headerUnacceptable, "a header is not acceptable"),
	other(400, scopesRefused, "the scopes are not acceptable"),
	other(401, resourceForbidden, "the client may not use the resource"),
}
