package sim

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Code names the rule that refused a call. The contract decides the status and the body that a client sees for it:
// families of operations map one rule to different statuses and codes.
type Code string

// The rules that can refuse a call.
const (
	TokenUnknown           Code = "token-unknown"             // no such access token, or it was revoked
	TokenExpired           Code = "token-expired"             // its lifetime is over on the virtual clock
	TokenOfAnotherUser     Code = "token-of-another-user"     // it is bound to another user than the request names
	ScopeMissing           Code = "scope-missing"             // the access token lacks the operation's scope
	ClientUnknown          Code = "client-unknown"            // no client with this shared key and secret key
	ClientNotOfInstitution Code = "client-not-of-institution" // the client is not registered with the institution
	GrantTypeUnknown       Code = "grant-type-unknown"        // there is no such grant type
	GrantUnnamed           Code = "grant-unnamed"             // a revocation that names nothing to revoke
	UsernameMissing        Code = "username-missing"
	PasswordMissing        Code = "password-missing"
	UserCredentialsWrong   Code = "user-credentials-wrong" // no active user with this username and password
	UserLocked             Code = "user-locked"
	RefreshTokenInvalid    Code = "refresh-token-invalid" // missing, not valid (any more), or another client's
	RevocationOfNothing    Code = "revocation-of-nothing" // of an unknown token, if the scenario refuses it

	AuthorizationCodeInvalid Code = "authorization-code-invalid" // missing, unknown, used, expired or another client's
	CodeClientUnknown        Code = "code-client-unknown"        // no such client_id in the caller's institution
	ClientAuthorizesItself   Code = "client-authorizes-itself"   // the access token is from the same client
	ClientWithoutCodes       Code = "client-without-codes"       // it lacks the grant authorization_code
	ScopesNotAllowed         Code = "scopes-not-allowed"         // no scopes, or other scopes than the client's
	CodeUserUnknown          Code = "code-user-unknown"          // no active user has the username
	CodeUserIDWrong          Code = "code-user-id-wrong"         // the user with the username has another id

	InstitutionUnknown Code = "institution-unknown" // no such institution, or not the caller's
	UserUnknown        Code = "user-unknown"        // no such user in the caller's institution
	UserIDMalformed    Code = "user-id-malformed"   // an id of this kind has another form

	// MultistatementNotConfigured, UserNotActive and DisclosureNotAccepted are the rules 1, 2, and 3 and 4 of section 3
	// of the interface. DisclosuresNotAllAccepted is for no disclosure, or for several.
	MultistatementNotConfigured Code = "multistatement-not-configured"
	UserNotActive               Code = "user-not-active"
	DisclosureNotAccepted       Code = "disclosure-not-accepted"
	DisclosuresNotAllAccepted   Code = "disclosures-not-all-accepted"
	// DisclosuresWithoutMultistatement refuses to read disclosures of an account, in the public dialect.
	DisclosuresWithoutMultistatement Code = "disclosures-without-multistatement"

	AccountUnknown     Code = "account-unknown"     // the account is not the user's
	AccountUndisclosed Code = "account-undisclosed" // the account has no disclosure
	NoAccounts         Code = "no-accounts"         // an all-accounts update for a user without any

	DisclosureStatusUnknown Code = "disclosure-status-unknown" // the disclosure has no such status
	DisclosureWaiverMissing Code = "disclosure-waiver-missing" // OLS needs one
	DisclosureUnsupported   Code = "disclosure-unsupported"    // no such disclosure, or not for an account
	DisclosureImpossible    Code = "disclosure-impossible"     // the operation is not for this disclosure
	DisclosureMissing       Code = "disclosure-missing"        // nothing is stored to change

	GroupInvalid            Code = "group-invalid" // a member is missing or blank
	GroupNameTooLong        Code = "group-name-too-long"
	GroupDescriptionTooLong Code = "group-description-too-long"
	GroupTypeUnknown        Code = "group-type-unknown" // or its platform
	GroupNameHasNUL         Code = "group-name-has-nul"
	GroupExists             Code = "group-exists" // the name is taken
	GroupExistsInOtherCase  Code = "group-exists-in-other-case"
	GroupIDTaken            Code = "group-id-taken"   // only if the scenario honours the client's
	GroupUnknown            Code = "group-unknown"    // or deleted
	GroupBusy               Code = "group-busy"       // a deletion, while a job of the group runs
	JobTypeUnknown          Code = "job-type-unknown" // not ADD, REMOVE or REPLACE
	UploadEmpty             Code = "upload-empty"     // a file without content
	JobRunning              Code = "job-running"      // an upload, while a job of the group runs
	JobUnknown              Code = "job-unknown"
	SortPropertyUnknown     Code = "sort-property-unknown" // a list can't be sorted by this
	RequestIDReused         Code = "request-id-reused"     // only if the scenario asks for unique ones

	TextTooLong Code = "text-too-long" // for a row

	WorldFull Code = "world-full" // callers have added as many rows as the scenario allows

	AlertFieldMissing          Code = "alert-field-missing" // only if the scenario lists required fields
	AlertChannelUnknown        Code = "alert-channel-unknown"
	AlertTypeUnknown           Code = "alert-type-unknown"
	AlertTypeNotOpted          Code = "alert-type-not-opted"          // not active, or not for the channel
	AlertWithoutDestinations   Code = "alert-without-destinations"    // of the user
	AlertPreferenceUnknown     Code = "alert-preference-unknown"      // or another user's
	AlertPreferenceIDMalformed Code = "alert-preference-id-malformed" // not a number
	AlertPreferenceOther       Code = "alert-preference-other"        // path and body have different ids
	AlertOtherInstitution      Code = "alert-other-institution"       // in the body, only if the scenario says so
	AlertOtherCustomer         Code = "alert-other-customer"          // in the body, only if the scenario says so
)

// Error is the refusal of a call by a rule. The call has changed nothing but what Commits says.
type Error struct {
	Code    Code
	Message string // for the caller: says what is wrong, and never has a secret of the bank
	Row     string // the row that the rule looked at, such as users/02688/1002, or empty
	// Commits says that the refusal itself has changed the bank: it has counted a wrong password, or ended a grant.
	Commits bool
}

func (e *Error) Error() string { return e.Message }

// Is makes errors.Is(err, sim.UserUnknown) work through [Code.Error].
func (e *Error) Is(target error) bool {
	var code Code
	return errors.As(target, &code) && e.Code == code
}

func (c Code) Error() string { return string(c) }

// Refuse returns the error of a rule, with a message formatted as by fmt.Sprintf. The message is always short: a long
// text is cut by %q, and a long message is cut at its end.
func Refuse(code Code, format string, args ...any) error { return refuse(code, format, args...) }

// refuseOn returns the same error as [Refuse], for a rule that looked at a row.
func refuseOn(of row, code Code, format string, args ...any) *Error {
	refused := refuse(code, format, args...)
	refused.Row = of.Row()
	return refused
}

func refuse(code Code, format string, args ...any) *Error {
	cutQuoted(args)
	return &Error{Code: code, Message: cut(fmt.Sprintf(format, args...), maxMessage)}
}

// The limits of messages, and of quoted texts in messages, in characters (choice).
const (
	maxMessage = 1000
	maxQuoted  = 80
)

// cutQuoted marks the long texts in arguments, so that %q cuts them.
func cutQuoted(args []any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok && len(text) > maxQuoted {
			args[i] = long(text)
		}
	}
}

// long is a text that is too long for a message. Only %q cuts it.
type long string

// Format implements fmt.Formatter.
func (l long) Format(f fmt.State, verb rune) {
	text := string(l)
	if verb == 'q' {
		text = cut(text, maxQuoted)
	}
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), text) // into a text, so it can't fail
}

// cut returns a text with at most limit characters. A longer text is cut, and ends with "…".
func cut(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// row is a row of a table that has a name.
type row interface {
	// Row returns the name of the row: its table and its key, as a path.
	Row() string
}
