package sim

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The names of the disclosures that the interface knows (published). All others are custom.
const (
	DisclosureOLS   = "OLS"   // online statements
	DisclosureESIGN = "ESIGN" // electronic signatures
	DisclosureIB    = "IB"    // internet banking
)

// DisclosureNames are the names that the interface knows.
var DisclosureNames = []string{DisclosureOLS, DisclosureESIGN, DisclosureIB}

// DisclosureStatuses are the values of institutionUserDisclosureStatus (published). OLS and ESIGN only have the first
// two.
var DisclosureStatuses = []string{Accepted, NotAccepted, Enrolled, NotEnrolled}

// The further statuses of all disclosures but OLS and ESIGN.
const (
	Enrolled    = "ENROLLED"
	NotEnrolled = "NOT_ENROLLED"
)

// UserDisclosure is an item in the list of a user's disclosures.
type UserDisclosure struct {
	Disclosure
	AccountID string // the account of an account-level disclosure, or empty if the disclosure is the user's own
}

// ID returns the id of the disclosure for its owner: a user or an institution. The id has 32 digits, and is
// made from the owner and the name (choice).
func (d UserDisclosure) ID(owner row) string {
	sum := sha256.Sum256([]byte(owner.Row() + "/" + d.AccountID + "/" + d.Name))
	return fmt.Sprintf("%X", sum[:16])
}

// ListDisclosures returns the user-level disclosures of a user, then the disclosures of its accounts, by accountId. It
// leaves accounts out if multistatement is not configured (published). The e-statement operations look at the same
// disclosures. ListDisclosures refuses with TokenOfAnotherUser or UserUnknown.
func (w *World) ListDisclosures(caller Caller, hostUserID string) ([]UserDisclosure, error) {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return nil, err
	}
	var all []UserDisclosure
	for _, d := range user.Disclosures {
		all = append(all, UserDisclosure{d, ""})
	}
	if i, _ := w.Institution(user.InstitutionID); !i.Multistatement {
		return all, nil
	}
	for a := range w.Accounts(user.InstitutionID, hostUserID) {
		for _, d := range a.Disclosures {
			all = append(all, UserDisclosure{d, a.AccountID})
		}
	}
	return all, nil
}

// NewDisclosure is a user's answer to a disclosure, as a caller sends it.
type NewDisclosure struct {
	CustomID    string // the institutionDisclosureId, or empty if Name names the disclosure
	Name        string
	Status      string
	At          *time.Time // the time of the answer, or nil for now
	AccountID   string     // the account, or empty at user level
	PaperWaiver *bool
}

// time returns the time of the answer.
func (n NewDisclosure) time(now time.Time) time.Time {
	if n.At != nil {
		return *n.At
	}
	return now
}

// IsFor reports whether the answer is for a disclosure that the interface knows, by its name.
func (n NewDisclosure) IsFor(name string) bool { return n.CustomID == "" && n.Name == name }

// CheckStatus refuses a status that the disclosure can't have with DisclosureStatusUnknown.
func (n NewDisclosure) CheckStatus() error {
	statuses := DisclosureStatuses
	if n.IsFor(DisclosureOLS) || n.IsFor(DisclosureESIGN) {
		statuses = []string{Accepted, NotAccepted}
	}
	if !slices.Contains(statuses, n.Status) {
		return Refuse(DisclosureStatusUnknown,
			"institutionUserDisclosureStatus is none that disclosure %q has", cmp.Or(n.CustomID, n.Name))
	}
	return nil
}

// CreateDisclosure stores a user's answer to a disclosure, with a status that CheckStatus accepts (published). It
// replaces an answer to a disclosure with the same name. It refuses with TokenOfAnotherUser, UserUnknown,
// DisclosureUnsupported or AccountUnknown.
func (w *World) CreateDisclosure(caller Caller, hostUserID string, n NewDisclosure, now time.Time) error {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return err
	}
	if n.Name, err = w.disclosureName(user, n); err != nil {
		return err
	}
	answer := Disclosure{
		Name:         n.Name,
		Status:       n.Status,
		StatusUpdate: n.time(now),
		PaperWaiver:  n.PaperWaiver != nil && *n.PaperWaiver,
	}
	if n.AccountID == "" {
		w.putUserDisclosures(user, withDisclosure(user.Disclosures, answer))
		return nil
	}
	if i, _ := w.Institution(user.InstitutionID); !i.Multistatement || n.Name != DisclosureOLS {
		return Refuse(DisclosureUnsupported,
			"only %s has accounts, and only where multistatement is configured for the institution", DisclosureOLS)
	}
	account, ok := w.Account(user.InstitutionID, hostUserID, n.AccountID)
	if !ok {
		return refuseOn(user, AccountUnknown, "user %q has no account %q", hostUserID, n.AccountID)
	}
	changed := *account
	changed.Disclosures = withDisclosure(account.Disclosures, answer)
	changed.ActivateEstatement = answer.PaperWaiver
	tablesOf(w).accounts.put(&changed)
	return nil
}

// UpdateDisclosure changes the status of a user-level disclosure to one that CheckStatus accepts (published). It
// refuses with TokenOfAnotherUser, UserUnknown, DisclosureImpossible, DisclosureUnsupported or DisclosureMissing.
func (w *World) UpdateDisclosure(caller Caller, hostUserID string, n NewDisclosure, now time.Time) error {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return err
	}
	if n.IsFor(DisclosureOLS) {
		return Refuse(DisclosureImpossible, "%s is not updated but created again", DisclosureOLS)
	}
	if n.Name, err = w.disclosureName(user, n); err != nil {
		return err
	}
	at := slices.IndexFunc(user.Disclosures, func(d Disclosure) bool { return d.Name == n.Name })
	if at < 0 {
		return refuseOn(user, DisclosureMissing, "nothing is stored of user %q for disclosure %s", hostUserID, n.Name)
	}
	answer := user.Disclosures[at]
	answer.Status, answer.StatusUpdate = n.Status, n.time(now)
	w.putUserDisclosures(user, withDisclosure(user.Disclosures, answer))
	return nil
}

// DeleteDisclosure removes the disclosure of an account (published). It refuses with TokenOfAnotherUser, UserUnknown,
// DisclosureImpossible or DisclosureMissing.
func (w *World) DeleteDisclosure(caller Caller, hostUserID, name, accountID string) error {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return err
	}
	if name != DisclosureOLS {
		return Refuse(DisclosureImpossible, "only %s of an account can be deleted", DisclosureOLS)
	}
	account, ok := w.Account(user.InstitutionID, hostUserID, accountID)
	if !ok || !slices.ContainsFunc(account.Disclosures, isOLS) {
		return refuseOn(user, DisclosureMissing,
			"nothing is stored of user %q for disclosure %s of account %q", hostUserID, name, accountID)
	}
	changed := *account
	changed.Disclosures = slices.DeleteFunc(slices.Clone(account.Disclosures), isOLS)
	tablesOf(w).accounts.put(&changed)
	return nil
}

func isOLS(d Disclosure) bool { return d.Name == DisclosureOLS }

// disclosureName returns the name of the disclosure that an answer is for. It refuses with DisclosureUnsupported.
func (w *World) disclosureName(user *User, n NewDisclosure) (string, error) {
	i, _ := w.Institution(user.InstitutionID)
	if custom, ok := i.custom(n.CustomID, n.Name); ok {
		return custom.Name, nil
	}
	if n.CustomID != "" || !slices.Contains(DisclosureNames, n.Name) {
		return "", refuseOn(i, DisclosureUnsupported,
			"the institution has no such disclosure: there are %s, and those that it lists",
			strings.Join(DisclosureNames, ", "))
	}
	return n.Name, nil
}

// CustomDisclosureID returns the institutionDisclosureId of a custom disclosure by its name, or "" if the name is no
// custom disclosure's.
func (i *Institution) CustomDisclosureID(name string) string {
	d, _ := i.custom("", name)
	return d.ID
}

// putUserDisclosures stores the disclosures of a user. They don't count as added rows: a user has at most one of each
// name.
func (w *World) putUserDisclosures(user *User, disclosures []Disclosure) {
	changed := *user
	changed.Disclosures = disclosures
	tablesOf(w).users.put(&changed)
}

// withDisclosure returns disclosures with one more. It replaces a disclosure with the same name.
func withDisclosure(disclosures []Disclosure, d Disclosure) []Disclosure {
	changed := slices.Clone(disclosures)
	at := slices.IndexFunc(changed, func(old Disclosure) bool { return old.Name == d.Name })
	if at < 0 {
		return append(changed, d)
	}
	changed[at] = d
	return changed
}

// AccountTypes are the values of accountType (published).
var AccountTypes = []string{
	"SAVINGS", "CHECKING", "MONEY_MARKET", "BROKERAGE", "TRUST", "LINE_OF_CREDIT_LOAN", "TCL_CREDIT_LINE", "UNKNOWN",
	"KEOGH", "RETIREMENT_401K", "CERT_OF_DEPOSIT", "CSI_CERT_OF_DEPOSIT", "CREDIT_CARD_LOAN", "INSTALLMENT_LOAN",
	"CONSUMER_LOAN", "COMMERCIAL_LOAN", "MORTGAGE_LOAN", "RESIDENTIAL_MORTGAGE_LOAN", "COMMERCIAL_REFI_LOAN",
	"HOME_EQUITY_LOAN", "GENERAL_LEDGER_ACCOUNT", "GENERAL_LEDGER_CODE", "TCL_MASTER", "TCL_NOTE", "USER_DEFINED",
	"RETIREMENT_IRA",
}
