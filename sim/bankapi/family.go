package bankapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// family is a group of operations that share their error shape and their request id header.
type family struct {
	prefix    string                       // of the paths that belong to it
	requestID string                       // the header that identifies a request, in the interface's spelling
	challenge string                       // WWW-Authenticate on 401 (RFC 9110 11.6.1)
	refusals  map[sim.Code]refusal         // the face of each refusal that its operations know
	faults    map[int]sim.Code             // the refusal whose face an injected error status has
	body      func(refusal, string) any    // the error body, given the message
	shape     []string                     // the entries of the ledger that the error body rests on
	status    func(*sim.Behavior, int) int // what a scenario makes of a status; nil: nothing
}

// refusal is the face of a refused request: its status, the code in its body, and the entry of the ledger that both
// rest on.
type refusal struct {
	status int
	code   string
	entry  string
}

// The refusals of a request that doesn't reach a rule of the bank.
const (
	tokenMissing       sim.Code = "token-missing"
	tokenMalformed     sim.Code = "token-malformed"
	requestIDMissing   sim.Code = "request-id-missing"
	requestIDMalformed sim.Code = "request-id-malformed"
	institutionMissing sim.Code = "institution-missing" // or not numeric
	headerMissing      sim.Code = "header-missing"
	parameterMissing   sim.Code = "parameter-missing"
	parameterRepeated  sim.Code = "parameter-repeated"
	mediaTypeUnknown   sim.Code = "media-type-unknown"
	bodyTooLarge       sim.Code = "body-too-large"
	bodyMalformed      sim.Code = "body-malformed"
	bodyAmbiguous      sim.Code = "body-ambiguous"
	memberMissing      sim.Code = "member-missing"
	memberMistyped     sim.Code = "member-mistyped"
	pathUnknown        sim.Code = "path-unknown"
	methodNotAllowed   sim.Code = "method-not-allowed"
	sandboxUnknown     sim.Code = "sandbox-unknown"
	faultMalformed     sim.Code = "fault-header-malformed" // a Banksim-Fault header that can't be read
	internalFault      sim.Code = "internal-fault"
	strictness         sim.Code = "strict"
)

// commonRefusals are those that no family has a code of its own for. Their codes are the simulator's and say so.
var commonRefusals = map[sim.Code]refusal{
	mediaTypeUnknown: {http.StatusUnsupportedMediaType, "BANKSIM_UNSUPPORTED_MEDIA_TYPE", "everywhere.content-type"},
	bodyTooLarge:     {http.StatusRequestEntityTooLarge, "BANKSIM_BODY_TOO_LARGE", "everywhere.body-size"},
	pathUnknown:      {http.StatusNotFound, "BANKSIM_UNKNOWN_PATH", "everywhere.unknown-path"},
	sandboxUnknown:   {http.StatusNotFound, "BANKSIM_UNKNOWN_SANDBOX", "everywhere.unknown-sandbox"},
	methodNotAllowed: {http.StatusMethodNotAllowed, "BANKSIM_METHOD_NOT_ALLOWED", "everywhere.unknown-method"},
	internalFault:    {http.StatusInternalServerError, "BANKSIM_INTERNAL", "everywhere.internal-fault"},
	faultMalformed:   {http.StatusBadRequest, "BANKSIM_FAULT_HEADER", "everywhere.fault-header"},
	strictness:       {http.StatusNotImplemented, "BANKSIM_STRICT", "everywhere.strict"},
}

// variants are refusals that look like another one, and rest on an entry of their own.
var variants = map[sim.Code]struct {
	of    sim.Code
	entry string
}{
	bodyAmbiguous:     {bodyMalformed, "everywhere.ambiguous-json"},
	parameterRepeated: {parameterMissing, "everywhere.repeated-parameter"},

	sim.DisclosuresNotAllAccepted: {sim.DisclosureNotAccepted, "estatements.update.several-disclosures"},
}

// face returns the face that the family gives to a refusal.
func (f *family) face(code sim.Code) refusal {
	if face, ok := f.refusals[code]; ok {
		return face
	}
	if face, ok := commonRefusals[code]; ok {
		return face
	}
	if variant, ok := variants[code]; ok {
		face := f.face(variant.of)
		face.entry = variant.entry
		return face
	}
	return f.face(internalFault)
}

// refuse returns the reply to a request that was refused with an error. An error that no rule raised is an
// internal fault: its text stays here.
func (f *family) refuse(b *sim.Behavior, err error) reply {
	var raised *sim.Error
	if !errors.As(err, &raised) {
		raised = &sim.Error{Code: internalFault, Message: "the simulator failed; its log says why"}
	}
	face := f.face(raised.Code)
	if f.status != nil {
		face.status = f.status(b, face.status)
	}
	rep := f.errorReply(face, raised.Code, raised.Message)
	rep.decision = journal.Decision{
		Outcome: journal.Refused,
		Rule:    string(raised.Code),
		Row:     raised.Row,
		Message: raised.Message,
		Basis:   string(contract.Must(face.entry).BasisUnder(b)),
		Entries: append([]string{face.entry}, f.shape...),
	}
	if face.status == http.StatusUnauthorized {
		rep.decision.Entries = append(rep.decision.Entries, "everywhere.challenge")
	}
	return rep
}

// errorReply returns the family's error answer with the face of a refusal.
func (f *family) errorReply(face refusal, code sim.Code, message string) reply {
	rep := jsonReply(face.status, f.body(face, message))
	if face.status == http.StatusUnauthorized {
		challenge := f.challenge
		if code == sim.TokenUnknown || code == sim.TokenExpired {
			challenge += `, error="invalid_token"` // RFC 6750 3.1
		}
		rep.header("WWW-Authenticate", challenge)
	}
	return rep
}

// codeMessage is the error body {code, message} (section 7.2), of groups and, published, of tokens and alerts.
type codeMessage struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func codeMessageBody(r refusal, message string) any { return codeMessage{r.code, message} }

const bearerChallenge = `Bearer realm="banksim"`

// families are all of them, the longest prefixes first.
var families = []*family{&revocations, &tokens, &estatements, &groups, &alerts}

// nearestFamily returns the family that a path without an operation is nearest to.
func nearestFamily(path string) *family {
	for _, f := range families {
		if strings.HasPrefix(path, f.prefix) {
			return f
		}
	}
	return &groups // {code, message}, the shape that most families have
}
