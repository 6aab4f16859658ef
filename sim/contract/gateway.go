package contract

import "github.com/digitalbanking-sim/banksim/sim"

// The codes of the gateway in front of the service. Several families share them (public API description).
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
	charactersRefused       = "CMN_90017" // outside printable ASCII
	tokenNotCreated         = "CMN_90019"
)

// The rules of the gateway in the public dialect. They are checked before all others.
const (
	HeaderTooLong    sim.Code = "header-too-long"
	CharacterRefused sim.Code = "character-refused" // outside printable ASCII
)

// MaxHeader is how many bytes the value of a header may have in the public dialect.
const MaxHeader = 8 << 10

// gatewayChecks are the rules that are checked first.
var gatewayChecks = []sim.Code{HeaderTooLong, CharacterRefused}

// throttled are the rules of the gateway. They can refuse requests to every operation.
var throttled = []sim.Code{QuotaUsedUp, SpikeArrested}

// othersOfTokens are the errors of both token operations that only a fault brings about.
var othersOfTokens = list[Injection]{
	faultOnly(400, accessBlocked, "access is blocked"),
	faultOnly(400, headerUnacceptable, "a header is not acceptable"),
	faultOnly(400, scopesRefused, "the scopes are not acceptable"),
	faultOnly(401, resourceForbidden, "the client may not use the resource"),
}
