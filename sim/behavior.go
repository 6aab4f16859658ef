package sim

import (
	"strings"
	"time"
)

// Behavior holds the switches for what the interface document leaves open. The values that [DefaultBehavior]
// gives are what a simulator does when a scenario says nothing; each field names its alternatives.
// A behaviour that a world holds is never changed, only replaced.
//
// The bank knows no HTTP. The members called …Status say which of the statuses that the contract knows an answer has; 0
// is the contract's default.
type Behavior struct {
	Strict      bool    // refuse what rests on nothing but a choice of the simulator's own
	Dialect     Dialect // that all requests are answered in; of the behaviour that one request is answered by, its own
	Tokens      TokenBehavior
	Estatements EstatementBehavior
	Groups      GroupBehavior
	Jobs        JobBehavior
	Alerts      AlertBehavior
	Headers     HeaderBehavior
	Limits      LimitBehavior
	CORS        CORSBehavior
	FaultHeader bool // let a request ask for a fault by the header Banksim-Fault

	// Messages are what errors say, by code, in place of the bank's own words; nil: those.
	Messages map[string]string
}

// HeaderBehavior switches the headers that are the simulator's own.
type HeaderBehavior struct {
	Exchange bool // answer with Banksim-Exchange, the number of the exchange in the sandbox's journal
	Scenario bool // answer with Banksim-Scenario, the name and the version of the sandbox's scenario
}

// LimitBehavior limits what callers can add to a world, beside the rows of its scenario.
type LimitBehavior struct {
	Rows int // grants and their tokens, groups with their participants, import jobs, alert preferences
}

// CORSBehavior lets pages of other origins read answers, as the Fetch standard has it.
type CORSBehavior struct {
	Origins     []string // whose pages may: as browsers send them, ORIGIN:* with any port, or * for all; none: nobody's
	Credentials bool     // let these pages send cookies; browsers refuse that together with *
}

// AnyOrigin stands for all origins.
const AnyOrigin = "*"

// AnyPort at the end of an origin stands for any port, and for none.
const AnyPort = ":*"

// Admits reports whether pages of an origin may read answers.
func (c *CORSBehavior) Admits(origin string) bool {
	for _, o := range c.Origins {
		if o == AnyOrigin || o == origin {
			return true
		}
		if site, ok := strings.CutSuffix(o, AnyPort); ok {
			port, ok := strings.CutPrefix(origin, site)
			if ok && (port == "" || len(port) > 1 && port[0] == ':' && strings.Trim(port[1:], "0123456789") == "") {
				return true
			}
		}
	}
	return false
}

// TokenBehavior switches the token operations.
type TokenBehavior struct {
	AccessLifetime  time.Duration  // of an access token, on the virtual clock
	RefreshLifetime time.Duration  // of a refresh token, on the virtual clock
	RevokeResponse  RevokeResponse // what a successful revocation answers
	UnknownToken    UnknownToken   // what revoking an unknown or already revoked token answers
	// AccessTokenAlone lets the revocation of an access token leave the refresh token of its grant.
	AccessTokenAlone bool
}

// RevokeResponse selects one of the response shapes that the interface lists for a revocation (section 4.4).
type RevokeResponse string

// The answers to a successful revocation.
const (
	RevokeToken                RevokeResponse = "token"                // 200, the token response of 2.4
	RevokeEmpty                RevokeResponse = "empty"                // 200 without a body
	RevokeNoContent            RevokeResponse = "noContent"            // 204
	RevokeAuthenticationResult RevokeResponse = "authenticationResult" // 200, the object of 2.5
)

// UnknownToken selects the answer to a revocation that finds nothing to revoke.
type UnknownToken string

// The answers to revoking an unknown token.
const (
	UnknownTokenOK    UnknownToken = "ok"    // as for a known one (RFC 7009 2.2)
	UnknownTokenError UnknownToken = "error" // refused
)

// Presence says whether a caller has to give something.
type Presence string

// Required refuses a request without it, Optional does not.
const (
	Required Presence = "required"
	Optional Presence = "optional"
)

// EstatementBehavior switches the e-statement operations.
type EstatementBehavior struct {
	BearerFailureStatus int           // see Behavior
	CorrelationID       CorrelationID // what the correlationid header has to be
	UpdateAccountStatus int           // see Behavior
	User                EstatementUser
	PartialUpdate       PartialUpdate
	StatusUpdatedAt     StatusUpdatedAt // of updates, in the public dialect
}

// CorrelationID says what the correlationid header has to be.
type CorrelationID string

// The demands on correlationid.
const (
	CorrelationIDRequired CorrelationID = "required" // any non-empty string
	CorrelationIDOptional CorrelationID = "optional"
	CorrelationIDUUID     CorrelationID = "uuid" // a UUID in its text form (RFC 9562 4)
)

// EstatementUser says what names the user of an e-statement request.
type EstatementUser string

// The user is named by hostUserId alone, or also by its username or by the token that is bound to it.
const (
	EstatementUserHostUserID EstatementUser = "hostUserId"
	EstatementUserAny        EstatementUser = "any"
)

// PartialUpdate says what an update of all accounts does about accounts that can't be updated (see [Account]).
type PartialUpdate string

// No account fails, or those fail that are marked.
const (
	PartialUpdateNone  PartialUpdate = "none"
	PartialUpdateAllow PartialUpdate = "allow"
)

// StatusUpdatedAt says what the time in an update does that the user is said to have answered the disclosure at.
type StatusUpdatedAt string

// The time is only checked, or becomes that of the disclosures.
const (
	StatusUpdatedAtIgnore StatusUpdatedAt = "ignore"
	StatusUpdatedAtStore  StatusUpdatedAt = "store"
)

// GroupBehavior switches the group operations.
type GroupBehavior struct {
	Auth               Presence // of a bearer token; one that is present must be valid either way
	CreateStatus       int      // see Behavior
	NameLimit          int      // characters in a groupName
	DescriptionLimit   int      // characters in a groupDescription
	ClientGroupID      ClientGroupID
	DuplicateName      DuplicateName
	NameCase           NameCase
	SortProperties     []string // of [GroupProperties], by which a list can be sorted; empty: all
	Experience         Experience
	TransactionIDReuse TransactionIDReuse
	DefaultPageSize    int
	MaxPageSize        int
	UnknownSort        UnknownSort
}

// JobBehavior switches import jobs.
type JobBehavior struct {
	CreatedFor    time.Duration // how long a job waits, on the virtual clock
	ProcessingFor time.Duration // how long it then takes
}

// ClientGroupID says what happens to a groupId in the create body.
type ClientGroupID string

// A groupId of the client's is ignored (the server assigns one) or honoured.
const (
	ClientGroupIDIgnore ClientGroupID = "ignore"
	ClientGroupIDHonor  ClientGroupID = "honor"
)

// DuplicateName says what happens to a create with a name that an active group of the institution has.
type DuplicateName string

// A duplicate name is refused or allowed.
const (
	DuplicateNameReject DuplicateName = "reject"
	DuplicateNameAllow  DuplicateName = "allow"
)

// NameCase says how names of groups are compared.
type NameCase string

// Names are compared exactly, or without regard to case and to blanks around them.
const (
	NameCaseSensitive   NameCase = "sensitive"
	NameCaseInsensitive NameCase = "insensitive"
)

// Experience says whether a created group answers with groupExperience and groupExperienceName.
type Experience string

// The experience members are given or left out.
const (
	ExperienceEmit Experience = "emit"
	ExperienceOmit Experience = "omit"
)

// TransactionIDReuse says what happens to a transactionId that was used before.
type TransactionIDReuse string

// A used transactionId is accepted or refused.
const (
	TransactionIDReuseAllow  TransactionIDReuse = "allow"
	TransactionIDReuseReject TransactionIDReuse = "reject"
)

// UnknownSort says what happens to a sort property that a group list doesn't have.
type UnknownSort string

// An unknown sort property is refused or passed over.
const (
	UnknownSortError  UnknownSort = "error"
	UnknownSortIgnore UnknownSort = "ignore"
)

// AlertBehavior switches the alert preference operation.
type AlertBehavior struct {
	CreateStatus      int      // see Behavior
	Auth              Presence // of an access token
	Headers           Presence // of fiid, transactionid and userid
	RequiredFields    []string // body members, as in [AlertFields], that must be there
	KnownChannelsOnly bool     // refuse channel names other than [AlertChannels]
	Contradiction     Contradiction
}

// Contradiction says what happens to an alert preference whose body names another institution or customer than the
// request's headers.
type Contradiction string

// A contradiction is accepted, and the headers count, or refused.
const (
	ContradictionAccept Contradiction = "accept"
	ContradictionReject Contradiction = "reject"
)

// DefaultBehavior returns what a simulator does when a scenario switches nothing.
func DefaultBehavior() Behavior {
	return Behavior{
		Dialect: DialectByPath,
		Tokens: TokenBehavior{
			AccessLifetime:  24 * time.Hour,
			RefreshLifetime: 180 * 24 * time.Hour,
			RevokeResponse:  RevokeToken,
			UnknownToken:    UnknownTokenOK,
		},
		Estatements: EstatementBehavior{
			CorrelationID: CorrelationIDRequired,
			User:          EstatementUserHostUserID,
			PartialUpdate: PartialUpdateNone,

			StatusUpdatedAt: StatusUpdatedAtIgnore,
		},
		Groups: GroupBehavior{
			Auth:               Optional,
			NameLimit:          50,
			DescriptionLimit:   450,
			ClientGroupID:      ClientGroupIDIgnore,
			DuplicateName:      DuplicateNameReject,
			NameCase:           NameCaseSensitive,
			Experience:         ExperienceEmit,
			TransactionIDReuse: TransactionIDReuseAllow,
			DefaultPageSize:    20,
			MaxPageSize:        2000,
			UnknownSort:        UnknownSortError,
		},
		Jobs: JobBehavior{CreatedFor: time.Second, ProcessingFor: 2 * time.Second},
		Alerts: AlertBehavior{
			Auth:          Required,
			Headers:       Required,
			Contradiction: ContradictionAccept,
		},
		Headers: HeaderBehavior{Exchange: true},
		Limits:  LimitBehavior{Rows: 1_000_000},
	}
}
