package contract

import "github.com/digitalbanking-sim/banksim/sim"

// The headers of requests that are the simulator's own.
const (
	// FaultHeader asks for a fault.
	FaultHeader = "Banksim-Fault"
	// ViaHeader has what Via has: some proxies remove Via, and a loop through them would not end.
	ViaHeader = "Banksim-Via"
	// SandboxHeader names the sandbox of the request.
	SandboxHeader = "Banksim-Sandbox"
)

// Header is a header of answers.
type Header struct {
	Name  string
	About string
	Entry *Entry // says why answers have it
}

// The headers of answers. The family of an operation has the name of RequestIDHeader.
var (
	RequestIDHeader = Header{"", "The one of the request.", EverywhereRequestID}
	ExchangeHeader  = Header{
		"Banksim-Exchange", "The number of the exchange in the sandbox's journal.", EverywhereExchangeHeader,
	}
	ScenarioHeader = Header{
		"Banksim-Scenario", "The name of the sandbox's scenario, percent-encoded, a slash and its version.",
		EverywhereScenarioHeader,
	}
	ChallengeHeader = Header{"WWW-Authenticate", "How to authenticate.", EverywhereChallenge}
	RetryAfter      = Header{
		"Retry-After", "After how many seconds the request is worth sending again.", EverywhereEndedGeneration,
	}
	ContentType  = Header{"Content-Type", "application/json", EverywhereJSON}
	CacheControl = Header{"Cache-Control", "no-store", TokensNoStore}
	Pragma       = Header{"Pragma", "no-cache", TokensNoStore}
)

// InvalidToken is what a challenge adds when the request has a token that doesn't work (RFC 6750 3.1).
const InvalidToken = `, error="invalid_token"`

// WorthRepeating maps a rule to the value of [RetryAfter] in its refusals, in seconds (RFC 9110 10.2.3). Refusals of
// other rules don't have the header.
var WorthRepeating = map[sim.Code]string{Overloaded: "2", NotStored: "5", GenerationEnded: "1"}
