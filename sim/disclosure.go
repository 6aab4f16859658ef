package sim

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The names of disclosures that the interface knows (published). Others are custom.
const (
	DisclosureOLS   = "OLS"   // online statements
	DisclosureESIGN = "ESIGN" // electronic signatures
	DisclosureIB    = "IB"    // internet banking
)

// DisclosureNames are those that a caller may give.
var DisclosureNames = []string{DisclosureOLS, DisclosureESIGN, DisclosureIB}

// DisclosureStatuses are the values of institutionUserDisclosureStatus (published). OLS and ESIGN have only the first two.
var DisclosureStatuses = []string{Accepted, NotAccepted, Enrolled, NotEnrolled}

// The statuses that disclosures besides OLS and ESIGN may have, too.
const (
	Enrolled    = "ENROLLED"
	NotEnrolled = "NOT_ENROLLED"
)

// UserDisclosure is a disclosure of a user, as it is listed.
type UserDisclosure struct {
	Disclosure
	AccountID string // of an account-level one; empty: it is the user's own
}

// ID is the id of the record of a user, or of an institution: 32 digits, made from whose it is and its name (choice).
func (d UserDisclosure) ID(of row) string {
	sum := sha256.Sum256([]byte(of.Row() + "/" + d.AccountID + "/" + d.Name))
	return fmt.Sprintf("%X", sum[:16])
}

// ListDisclosures returns the disclosures of a user: its own, then those of its accounts, by accountId (published). They are
// the rows that the e-statement operations look at. It refuses with TokenOfAnotherUser or UserUnknown.
func (w *World) ListDisclosures(caller Caller, hostUserID string) ([]UserDisclosure, error) {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return nil, err
	}
	var all []UserDisclosure
	for _, d := range user.Disclosures {
		all = append(all, UserDisclosure{d, ""})
	}
	for a := range w.Accounts(user.InstitutionID, hostUserID) {
		for _, d := range a.Disclosures {
			all = append(all, UserDisclosure{d, a.AccountID})
		}
	}
	return all, nil
}

// NewDisclosure is what a caller says about a disclosure.
type NewDisclosure struct {
	CustomID    string // institutionDisclosureId; empty: Name names it
	Name        string
	Status      string
	At          *time.Time // when the status was given; nil: now
	AccountID   string     // empty: user level
	PaperWaiver *bool
}

// CreateDisclosure stores a user's answer to a disclosure: it adds a record, or updates the one of the same name (published).
// It refuses with TokenOfAnotherUser, UserUnknown, DisclosureStatusUnknown, DisclosureWaiverMissing, DisclosureUnsupported or
// AccountUnknown.
func (w *World) CreateDisclosure(caller Caller, hostUserID string, n NewDisclosure, now time.Time) error {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return err
	}
	if n.Name, err = w.checkDisclosure(user, n); err != nil {
		return err
	}
	if n.Name == DisclosureOLS && n.PaperWaiver == nil {
		return Refuse(DisclosureWaiverMissing, "paperWaiver is missing: %s needs it", DisclosureOLS)
	}
	given := Disclosure{Name: n.Name, Status: n.Status, StatusUpdate: now, PaperWaiver: n.PaperWaiver != nil && *n.PaperWaiver}
	if n.At != nil {
		given.StatusUpdate = *n.At
	}
	if n.AccountID == "" {
		w.putUserDisclosures(user, withDisclosure(user.Disclosures, given))
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
	changed.Disclosures = withDisclosure(account.Disclosures, given)
	changed.ActivateEstatement = given.PaperWaiver
	w.accounts.put(&changed)
	return nil
}

// UpdateDisclosure changes the status of a user's record (published). It refuses with TokenOfAnotherUser, UserUnknown,
// DisclosureImpossible, DisclosureStatusUnknown or DisclosureMissing.
func (w *World) UpdateDisclosure(caller Caller, hostUserID string, n NewDisclosure, now time.Time) error {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return err
	}
	if n.Name == DisclosureOLS && n.CustomID == "" {
		return Refuse(DisclosureImpossible, "%s is not updated but created again", DisclosureOLS)
	}
	if n.Name, err = w.checkDisclosure(user, n); err != nil {
		return err
	}
	at := slices.IndexFunc(user.Disclosures, func(d Disclosure) bool { return d.Name == n.Name })
	if at < 0 {
		return refuseOn(user, DisclosureMissing, "nothing is stored of user %q for disclosure %s", hostUserID, n.Name)
	}
	given := user.Disclosures[at]
	given.Status, given.StatusUpdate = n.Status, now
	if n.At != nil {
		given.StatusUpdate = *n.At
	}
	w.putUserDisclosures(user, withDisclosure(user.Disclosures, given))
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
	w.accounts.put(&changed)
	return nil
}

func isOLS(d Disclosure) bool { return d.Name == DisclosureOLS }

// checkDisclosure checks what every write needs, and returns the name of the disclosure.
func (w *World) checkDisclosure(user *User, n NewDisclosure) (name string, err error) {
	i, _ := w.Institution(user.InstitutionID)
	custom, isCustom := i.custom(n.CustomID, n.Name)
	if isCustom {
		n.Name = custom.Name
	} else if n.CustomID != "" || !slices.Contains(DisclosureNames, n.Name) {
		return "", refuseOn(i, DisclosureUnsupported, "the institution has no such disclosure: there are %s, and those that it lists",
			strings.Join(DisclosureNames, ", "))
	}
	limited := n.Name == DisclosureOLS || n.Name == DisclosureESIGN
	if !slices.Contains(DisclosureStatuses, n.Status) || limited && n.Status != Accepted && n.Status != NotAccepted {
		return "", Refuse(DisclosureStatusUnknown, "institutionUserDisclosureStatus is none that disclosure %s has", n.Name)
	}
	return n.Name, nil
}

// CustomDisclosureID returns the institutionDisclosureId of a disclosure of an institution by its name; empty: it is no custom one.
func (i *Institution) CustomDisclosureID(name string) string {
	d, _ := i.custom("", name)
	return d.ID
}

// putUserDisclosures stores disclosures of a user. They aren't counted as added: there is one of each name at most.
func (w *World) putUserDisclosures(user *User, disclosures []Disclosure) {
	changed := *user
	changed.Disclosures = disclosures
	w.users.put(&changed)
}

// withDisclosure returns disclosures with one put in the place of those of its name.
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
