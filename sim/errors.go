package sim

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Code says which rule refused a call. What a client sees for it (status and body) is decided where the
// interface is served: resource families map one rule to different statuses and codes.
type Code string

// The rules that can refuse a call.
const (
	TokenUnknown           Code = "token-unknown"             // no such access token, or it was revoked
	TokenExpired           Code = "token-expired"             // its lifetime is over on the virtual clock
	TokenOfAnotherUser     Code = "token-of-another-user"     // the token is bound to another user than the one asked for
	ClientUnknown          Code = "client-unknown"            // no client with this shared key and secret key
	ClientNotOfInstitution Code = "client-not-of-institution" // the client is not registered with the institution
	GrantTypeUnknown       Code = "grant-type-unknown"        // none of those that the dialect has
	GrantUnnamed           Code = "grant-unnamed"             // a revocation that names nothing to revoke
	UsernameMissing        Code = "username-missing"
	PasswordMissing        Code = "password-missing"
	UserCredentialsWrong   Code = "user-credentials-wrong" // no active user with this username and password
	RefreshTokenInvalid    Code = "refresh-token-invalid"  // missing, unknown, used, revoked, expired or another client's
	RevocationOfNothing    Code = "revocation-of-nothing"  // the token is unknown or was revoked; only where the scenario says so

	AuthorizationCodeInvalid Code = "authorization-code-invalid" // missing, unknown, used, expired or another client's
	CodeClientUnknown        Code = "code-client-unknown"        // no such client_id in the caller's institution
	ClientAuthorizesItself   Code = "client-authorizes-itself"   // the client_id is that of the access token
	ClientWithoutCodes       Code = "client-without-codes"       // it lacks the grant authorization_code
	ScopesNotAllowed         Code = "scopes-not-allowed"         // none are named, or others than the client's
	CodeUserUnknown          Code = "code-user-unknown"          // no active user has the username
	CodeUserIDWrong          Code = "code-user-id-wrong"         // not that of the user with the username

	InstitutionUnknown Code = "institution-unknown" // no such institution, or not the caller's
	UserUnknown        Code = "user-unknown"        // no such user in the caller's institution
	UserIDMalformed    Code = "user-id-malformed"   // none of its kind

	MultistatementNotConfigured      Code = "multistatement-not-configured"      // interface section 3, rule 1
	UserNotActive                    Code = "user-not-active"                    // interface section 3, rule 2
	DisclosureNotAccepted            Code = "disclosure-not-accepted"            // interface section 3, rules 3 and 4
	DisclosuresNotAllAccepted        Code = "disclosures-not-all-accepted"       // the same, where a user has none, or there are several
	DisclosuresWithoutMultistatement Code = "disclosures-without-multistatement" // of an account can't be read, in the public dialect
	AccountUnknown                   Code = "account-unknown"                    // the account is not the user's
	AccountUndisclosed               Code = "account-undisclosed"                // the account has no disclosure
	NoAccounts                       Code = "no-accounts"                        // an all-accounts update for a user without any

	DisclosureStatusUnknown Code = "disclosure-status-unknown" // none that the disclosure has
	DisclosureWaiverMissing Code = "disclosure-waiver-missing" // OLS needs one
	DisclosureUnsupported   Code = "disclosure-unsupported"    // no such disclosure, or not for an account
	DisclosureImpossible    Code = "disclosure-impossible"     // the operation doesn't do this with the disclosure
	DisclosureMissing       Code = "disclosure-missing"        // nothing is stored to change

	GroupInvalid            Code = "group-invalid" // a member is missing or blank
	GroupNameTooLong        Code = "group-name-too-long"
	GroupDescriptionTooLong Code = "group-description-too-long"
	GroupTypeUnknown        Code = "group-type-unknown" // or its platform
	GroupExists             Code = "group-exists"       // the name is taken
	GroupIDTaken            Code = "group-id-taken"     // only where the scenario honours the client's
	GroupUnknown            Code = "group-unknown"      // or deleted
	GroupBusy               Code = "group-busy"         // a deletion, while a job of the group runs
	JobTypeUnknown          Code = "job-type-unknown"   // none of ADD, REMOVE and REPLACE
	UploadEmpty             Code = "upload-empty"       // a file without content
	JobRunning              Code = "job-running"        // an upload, while a job of the group runs
	JobUnknown              Code = "job-unknown"
	SortPropertyUnknown     Code = "sort-property-unknown" // a list can't be sorted by this
	RequestIDReused         Code = "request-id-reused"     // only where the scenario asks for unique ones

	TextTooLong Code = "text-too-long" // for a row

	WorldFull Code = "world-full" // callers have added as many rows as the scenario lets them

	AlertFieldMissing          Code = "alert-field-missing" // only where the scenario lists required fields
	AlertChannelUnknown        Code = "alert-channel-unknown"
	AlertTypeUnknown           Code = "alert-type-unknown"
	AlertTypeNotOpted          Code = "alert-type-not-opted"          // not active, or not for the channel
	AlertPreferenceUnknown     Code = "alert-preference-unknown"      // or another user's
	AlertPreferenceIDMalformed Code = "alert-preference-id-malformed" // not a number
	AlertPreferenceOther       Code = "alert-preference-other"        // the body has the id of another preference than the path
	AlertOtherInstitution      Code = "alert-other-institution"       // named in the body, only where the scenario says so
	AlertOtherCustomer         Code = "alert-other-customer"          // the same
)

// Error is a call refused by a rule. Nothing was changed by the call.
type Error struct {
	Code    Code
	Message string // for the caller: names what is wrong; never holds a secret of the bank
	Row     string // the row that the rule looked at, such as users/02688/1002; empty: none

}

func (e *Error) Error() string { return e.Message }

// Is makes errors.Is(err, sim.UserUnknown) work through [Code.Error].
func (e *Error) Is(target error) bool {
	var code Code
	return errors.As(target, &code) && e.Code == code
}

func (c Code) Error() string { return string(c) }

// Refuse returns the error of a rule, with its message formatted as by fmt.Sprintf. The message is short, whatever the
// caller gave: %q cuts a long text, and a long message is cut, too.
func Refuse(code Code, format string, args ...any) error {
	cutQuoted(args)
	return &Error{Code: code, Message: cut(fmt.Sprintf(format, args...), maxMessage)}
}

// refuseOn returns the error of a rule that looked at a row. Its message is that of [Refuse].
func refuseOn(row row, code Code, format string, args ...any) error {
	cutQuoted(args)
	return &Error{Code: code, Message: cut(fmt.Sprintf(format, args...), maxMessage), Row: row.Row()}
}

// How many characters messages have, and texts in them that are quoted (choice).
const (
	maxMessage = 1000
	maxQuoted  = 80
)

// cutQuoted makes the long texts among arguments ones that %q cuts.
func cutQuoted(args []any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok && len(text) > maxQuoted {
			args[i] = long(text)
		}
	}
}

// long is a text that may be too long for a message. Other verbs than %q format it as it is.
type long string

// Format implements fmt.Formatter.
func (l long) Format(f fmt.State, verb rune) {
	text := string(l)
	if verb == 'q' {
		text = cut(text, maxQuoted)
	}
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), text) // into a text, so it can't fail
}

// cut returns a text that has at most so many characters, and then "…" if it had more.
func cut(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// row is a row that can say which one it is: its table and its key, as a path.
type row interface{ Row() string }
