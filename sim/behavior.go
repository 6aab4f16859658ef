package sim

import (
	"strings"
	"time"
)

// Behavior has the switches for all that the interface document leaves open. [DefaultBehavior] returns their values for
// a scenario that sets no switch. Each field names its alternatives. The behaviour of a world never changes: a world
// gets another one.
//
// The bank knows no HTTP. A member with the name …Status is a status that the contract knows for an answer, or 0 for
// the contract's default.
type Behavior struct {
	// Explicit are the keys of the switches that a scenario sets, at their default or not. Others have the default of
	// the dialect.
	Explicit []string

	Strict        bool    // refuse each request whose answer would only rest on a choice of the simulator
	ForcedDialect Dialect // the dialect that all requests are answered in, or DialectByPath
	Tokens        TokenBehavior
	Estatements   EstatementBehavior
	Groups        GroupBehavior
	Jobs          JobBehavior
	Alerts        AlertBehavior
	Headers       HeaderBehavior
	Limits        LimitBehavior
	CORS          CORSBehavior
	FaultHeader   bool // let a request ask for a fault by the header Banksim-Fault

	// Messages are the texts of errors by code. An error without one has the bank's own text.
	Messages map[string]string

	// Refusals has the word accept for each entry of the ledger whose refusals don't apply. See package contract.
	Refusals map[string]string
}

// HeaderBehavior switches the headers that are the simulator's own.
type HeaderBehavior struct {
	Exchange bool // answer with Banksim-Exchange: the number of the exchange in the sandbox's journal
	Scenario bool // answer with Banksim-Scenario: the name and the version of the sandbox's scenario
}

// LimitBehavior limits what callers can add to the bank, and how much they can send.
type LimitBehavior struct {
	Rows      int // grants, tokens, codes, groups without their participants, import jobs, alert preferences
	BodyKiB   int // of a request
	UploadKiB int // of an upload of participants
}

// CORSBehavior lets pages of other origins read answers, as the Fetch standard has it.
type CORSBehavior struct {
	// Origins are the origins of these pages, as browsers send them. ORIGIN:* stands for any port, and * for all
	// origins.
	Origins []string
	// Credentials lets these pages send cookies, too. It doesn't go with *, which browsers refuse then.
	Credentials bool
}

// AnyOrigin stands for all origins.
const AnyOrigin = "*"

// AnyPort at the end of an origin stands for any port, and for an origin without a port.
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
	RevokeResponse  RevokeResponse // the answer to a successful revocation
	UnknownToken    UnknownToken   // the answer to the revocation of an unknown or already revoked token
	// AccessTokenAlone lets the revocation of an access token leave the refresh token of its grant.
	AccessTokenAlone bool
	RefreshGrace     time.Duration // how long a used refresh token gives the same tokens again
	RefreshReuse     RefreshReuse
	LockAfter        int // how many wrong passwords in a row lock a user, or 0 for no number
}

// RefreshReuse says what happens to the grant of a refresh token that comes again.
type RefreshReuse string

// A used refresh token is refused, and perhaps its grant ends (RFC 9700 4.14.2).
const (
	RefreshReuseRefuse   RefreshReuse = "refuse"
	RefreshReuseEndGrant RefreshReuse = "endGrant"
)

// RevokeResponse selects one of the response shapes that the interface lists for a revocation (section 4.4).
type RevokeResponse string

// The answers to a successful revocation.
const (
	RevokeToken                RevokeResponse = "token"                // 200, the token response of 2.4
	RevokeEmpty                RevokeResponse = "empty"                // 200 without a body
	RevokeNoContent            RevokeResponse = "noContent"            // 204
	RevokeAuthenticationResult RevokeResponse = "authenticationResult" // 200, the object of 2.5
	RevokeNull                 RevokeResponse = "null"                 // 200, the JSON value null
	RevokeCodeMessage          RevokeResponse = "codeMessage"          // 200, {code, message}
)

// UnknownToken selects the answer to a revocation that finds nothing to revoke.
type UnknownToken string

// The answers to revoking an unknown token.
const (
	UnknownTokenOK    UnknownToken = "ok"    // as for a known one (RFC 7009 2.2)
	UnknownTokenError UnknownToken = "error" // refused
)

// Presence says whether a request has to have something.
type Presence string

// Required refuses a request without it. Optional accepts the request.
const (
	Required Presence = "required"
	Optional Presence = "optional"
)

// EstatementBehavior switches the e-statement operations.
type EstatementBehavior struct {
	BearerFailureStatus int           // see Behavior
	CorrelationID       CorrelationID // the form of the header correlationid
	UpdateAccountStatus int           // see Behavior
	User                EstatementUser
	PartialUpdate       PartialUpdate
	StatusUpdatedAt     StatusUpdatedAt // of updates, in the public dialect
}

// CorrelationID says which form the header correlationid must have.
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

// PartialUpdate says whether an update of all accounts can leave out some of them. See [Account].
type PartialUpdate string

// No account fails, or the accounts with UpdateFails do.
const (
	PartialUpdateNone  PartialUpdate = "none"
	PartialUpdateAllow PartialUpdate = "allow"
)

// StatusUpdatedAt says what an update does with the time of the answer to the disclosures.
type StatusUpdatedAt string

// The time is only checked, or it is stored with the disclosures.
const (
	StatusUpdatedAtIgnore StatusUpdatedAt = "ignore"
	StatusUpdatedAtStore  StatusUpdatedAt = "store"
)

// GroupBehavior switches the group operations.
type GroupBehavior struct {
	Auth               Presence // of a bearer token; a token that is sent must be valid in any case
	CreateStatus       int      // see Behavior
	NameLimit          int      // characters in a groupName
	DescriptionLimit   int      // characters in a groupDescription
	ClientGroupID      ClientGroupID
	DuplicateName      DuplicateName
	NameCase           NameCase
	SortProperties     []string // the [GroupProperties] to sort a list by; an empty list stands for all of the dialect
	Experience         Experience
	TransactionIDReuse TransactionIDReuse
	DefaultPageSize    int
	MaxPageSize        int
	UnknownSort        UnknownSort
}

// JobBehavior switches import jobs.
type JobBehavior struct {
	CreatedFor    time.Duration // how long a job waits, on the virtual clock
	ProcessingFor time.Duration // how long the job takes after that
}

// ClientGroupID says what happens to a groupId in the create body.
type ClientGroupID string

// A groupId from the client is ignored, and the bank assigns another one, or it is honoured.
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

// The answer has the experience members, or leaves them out.
const (
	ExperienceEmit Experience = "emit"
	ExperienceOmit Experience = "omit"
)

// TransactionIDReuse says what happens to a transactionId that was used before.
type TransactionIDReuse string

// A used transactionId is accepted, answered as the first time, or refused.
const (
	TransactionIDReuseAllow  TransactionIDReuse = "allow"
	TransactionIDReuseReplay TransactionIDReuse = "replay"
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
	RequiredFields    []string // the members of [AlertFields] that a body must have
	KnownChannelsOnly bool     // refuse channel names other than [AlertChannels]
	Contradiction     Contradiction
}

// Contradiction says what happens to an alert preference if the body names another institution or customer than the
// headers.
type Contradiction string

// A contradiction is accepted, and the headers count, or refused.
const (
	ContradictionAccept Contradiction = "accept"
	ContradictionReject Contradiction = "reject"
)

// DefaultBehavior returns the behaviour of a bank whose scenario sets no switch.
func DefaultBehavior() Behavior {
	return Behavior{
		ForcedDialect: DialectByPath,
		Tokens: TokenBehavior{
			AccessLifetime:  24 * time.Hour,
			RefreshLifetime: 180 * 24 * time.Hour,
			RevokeResponse:  RevokeToken,
			UnknownToken:    UnknownTokenOK,
			RefreshReuse:    RefreshReuseRefuse,
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
		Limits:  LimitBehavior{Rows: 1_000_000, BodyKiB: 1 << 10, UploadKiB: 10 << 10},
	}
}
