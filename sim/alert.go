package sim

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of texts (choice). MaxText is in characters, and holds for each text of a row but additionalInfo. The
// limit of additionalInfo is in bytes.
const (
	MaxText           = 1000
	MaxAdditionalInfo = 8 << 10
)

// AlertChannels are the known values of channelTypeName (published).
var AlertChannels = []string{"EMAIL", "SMS", "PUSH", "WEB"}

// AreAlertChannels reports whether a channelTypeName is one of the channels, or several separated by commas.
func AreAlertChannels(channelTypeName string) bool { return onlyOf(AlertChannels, channelTypeName) }

// onlyOf reports whether each of the channels in a channelTypeName is among some channels.
func onlyOf(channels []string, channelTypeName string) bool {
	for channel := range strings.SplitSeq(channelTypeName, ",") {
		if !slices.Contains(channels, channel) {
			return false
		}
	}
	return true
}

// AlertPreference is a user's alert preference (interface section 2.7). Members that its creator left out are nil, and
// stay nil.
type AlertPreference struct {
	InstitutionID string `json:"institutionId,omitzero"` // from the header fiid
	// HostUserID is from the header userid. It is empty if the request left out the header.
	HostUserID  string `json:"hostUserId,omitzero"`
	AlertPrefID int64  `json:"alertPrefId,omitzero"` // assigned, unique, > 0

	AlertContent
}

// alertTable has the alert preferences of all users.
var alertTable = &tableSpec[AlertPreference]{
	name:    "alertPreferences",
	in:      func(w *World) *table[AlertPreference] { return &tablesOf(w).alerts },
	key:     func(p *AlertPreference) rowKey { return rowKey{&p.InstitutionID, &p.HostUserID, &p.AlertPrefID} },
	before:  (*AlertPreference).before,
	addable: true,
	weigh:   weigher[AlertPreference](1),
}

func (p *AlertPreference) Row() string {
	return fmt.Sprintf("alertPreferences/%s/%s/%d", p.InstitutionID, p.HostUserID, p.AlertPrefID)
}

func (p *AlertPreference) before(other *AlertPreference) bool {
	return cmp.Or(cmp.Compare(p.InstitutionID, other.InstitutionID), cmp.Compare(p.HostUserID, other.HostUserID),
		cmp.Compare(p.AlertPrefID, other.AlertPrefID)) < 0
}

// AlertContent is the content of an alert preference, as its creator sends it. It has no effect in the bank.
type AlertContent struct {
	AdditionalInfo     *string       `json:"additionalInfo,omitzero"` // the text of a JSON object
	AlertOpted         *bool         `json:"alertOpted,omitzero"`
	Account            *AlertAccount `json:"account,omitzero"`
	Details            *AlertDetails `json:"details,omitzero"`
	AllowCallback      *bool         `json:"allowCallback,omitzero"`
	DefaultPreferences *bool         `json:"defaultPreferences,omitzero"`
}

// AlertAccount is the member alertPreferenceAccountDetails.
type AlertAccount struct {
	AccountExternalID *string `json:"accountExternalId,omitzero"`
	AccountID         *string `json:"accountId,omitzero"`
	CardNumber        *string `json:"cardNumber,omitzero"`
}

// AlertDetails is the member alertPreferenceDetails. The preference itself has the ids of the institution, of the user
// and of the preference.
type AlertDetails struct {
	AlertTypeName   *string `json:"alertTypeName,omitzero"`
	ChannelTypeName *string `json:"channelTypeName,omitzero"`
	ExternalID      *string `json:"externalId,omitzero"`
	// InstitutionCustomerID and InstitutionID are as the caller sent them: see [AlertPreference.Contradicts].
	InstitutionCustomerID *string `json:"institutionCustomerId,omitzero"`
	InstitutionID         *string `json:"institutionId,omitzero"`
}

// alertText is a text of an alert preference, or nil if the content has no such text, and the path of its member.
type alertText struct {
	member string
	text   *string
}

// objects returns the objects of the content. An object that the content doesn't have is returned without members.
func (c AlertContent) objects() (account AlertAccount, details AlertDetails) {
	if c.Account != nil {
		account = *c.Account
	}
	if c.Details != nil {
		details = *c.Details
	}
	return account, details
}

// texts returns the texts of the content, without additionalInfo.
func (c AlertContent) texts() [8]alertText {
	account, details := c.objects()
	return [...]alertText{
		{"alertPreferenceAccountDetails.accountExternalId", account.AccountExternalID},
		{"alertPreferenceAccountDetails.accountId", account.AccountID},
		{"alertPreferenceAccountDetails.cardNumber", account.CardNumber},
		{"alertPreferenceDetails.alertTypeName", details.AlertTypeName},
		{"alertPreferenceDetails.channelTypeName", details.ChannelTypeName},
		{"alertPreferenceDetails.externalId", details.ExternalID},
		{"alertPreferenceDetails.institutionCustomerId", details.InstitutionCustomerID},
		{"alertPreferenceDetails.institutionId", details.InstitutionID},
	}
}

// present reports for each member of a body whether the content has it. An object without members is not there.
func (c AlertContent) present() map[string]bool {
	account, details := c.objects()
	present := map[string]bool{
		"additionalInfo":                c.AdditionalInfo != nil && strings.Trim(*c.AdditionalInfo, "{} \t\r\n") != "",
		"alertOpted":                    c.AlertOpted != nil,
		"alertPreferenceAccountDetails": account != AlertAccount{},
		"alertPreferenceDetails":        details != AlertDetails{},
		"allowCallback":                 c.AllowCallback != nil,
		"defaultPreferences":            c.DefaultPreferences != nil,
	}
	for _, t := range c.texts() {
		present[t.member] = t.text != nil
	}
	return present
}

// AlertFields returns the names that [AlertBehavior.RequiredFields] may hold, sorted.
func AlertFields() []string { return slices.Sorted(maps.Keys(AlertContent{}.present())) }

// AlertScope returns the institution and the user that an alert request belongs to. Its headers fiid and userid name
// them, and must not contradict the caller. A header that is left out stands for the caller's own institution or user.
// Without any institution, a request belongs to the first one. AlertScope refuses with InstitutionUnknown or
// UserUnknown.
func (w *World) AlertScope(caller Caller, fiid, userid string) (institutionID, hostUserID string, err error) {
	institutionID = cmp.Or(fiid, caller.InstitutionID, w.home)
	_, known := w.Institution(institutionID)
	if !known || caller.InstitutionID != "" && caller.InstitutionID != institutionID {
		return "", "", Refuse(InstitutionUnknown, "fiid names no institution that the caller may speak for")
	}
	if userid == "" {
		return institutionID, caller.HostUserID, nil
	}
	_, known = w.User(institutionID, userid)
	if !known || caller.HostUserID != "" && caller.HostUserID != userid {
		return "", "", Refuse(UserUnknown,
			"userid names no user of institution %s that the caller may speak for", institutionID)
	}
	return institutionID, userid, nil
}

// CreateAlertPreference stores an alert preference (interface section 4.7). It refuses with AlertFieldMissing,
// TextTooLong, AlertOtherInstitution, AlertOtherCustomer, AlertChannelUnknown, AlertTypeUnknown, AlertTypeNotOpted or
// AlertWithoutDestinations.
func (w *World) CreateAlertPreference(
	p *Policy, institutionID, hostUserID string, content AlertContent,
) (*AlertPreference, error) {
	created := AlertPreference{InstitutionID: institutionID, HostUserID: hostUserID, AlertContent: content}
	if err := w.checkAlert(p, created); err != nil {
		return nil, err
	}
	if user, ok := w.User(institutionID, hostUserID); ok && user.NoDestinations {
		return nil, refuseOn(user, AlertWithoutDestinations, "user %q has no destinations for alerts", hostUserID)
	}
	return w.AddAlertPreference(created), nil
}

// checkAlert checks an alert preference that a caller wants to store.
func (w *World) checkAlert(p *Policy, wanted AlertPreference) error {
	if required := p.Alerts.RequiredFields; len(required) > 0 {
		present := wanted.present()
		for _, field := range required {
			if !present[field] {
				return Refuse(AlertFieldMissing, "%s is missing", field)
			}
		}
	}
	for _, t := range wanted.texts() {
		if t.text != nil && utf8.RuneCountInString(*t.text) > MaxText {
			return Refuse(TextTooLong, "%s is longer than %d characters", t.member, MaxText)
		}
	}
	if wanted.AdditionalInfo != nil && len(*wanted.AdditionalInfo) > MaxAdditionalInfo {
		return Refuse(TextTooLong, "additionalInfo is longer than %d bytes", MaxAdditionalInfo)
	}
	return w.checkAlertDetails(p, wanted)
}

// checkAlertDetails checks the details of an alert preference that a caller wants to store.
func (w *World) checkAlertDetails(p *Policy, wanted AlertPreference) error {
	d := wanted.Details
	if d == nil {
		return nil
	}
	institution, _ := w.Institution(wanted.InstitutionID)
	otherInstitution, otherCustomer := wanted.Contradicts()
	isRefused := p.Alerts.Contradiction == ContradictionReject
	isKnown := d.ChannelTypeName == nil || AreAlertChannels(*d.ChannelTypeName)
	switch {
	case isRefused && otherInstitution:
		return Refuse(AlertOtherInstitution, "institutionId in the body contradicts the institution of the request")
	case isRefused && otherCustomer:
		return Refuse(AlertOtherCustomer, "institutionCustomerId in the body contradicts the user of the request")
	case p.Alerts.KnownChannelsOnly && !isKnown:
		return Refuse(AlertChannelUnknown, "channelTypeName must be one or several of %s, separated by commas",
			strings.Join(AlertChannels, ", "))
	}
	return institution.checkAlertType(*d)
}

// Contradicts reports whether the details name another institution or another customer than the preference belongs to.
// An empty name contradicts nothing.
func (p *AlertPreference) Contradicts() (institution, customer bool) {
	if p.Details == nil {
		return false, false
	}
	differs := func(sent *string, own string) bool { return sent != nil && *sent != "" && own != "" && *sent != own }
	return differs(p.Details.InstitutionID, p.InstitutionID), differs(p.Details.InstitutionCustomerID, p.HostUserID)
}

// normal returns the content without empty details. A scenario that states an id has details, although they say nothing
// else.
func (c AlertContent) normal() AlertContent {
	if c.Details != nil && *c.Details == (AlertDetails{}) {
		c.Details = nil
	}
	return c
}

// AddAlertPreference stores an alert preference. It assigns an id unless the preference has one.
func (w *World) AddAlertPreference(p AlertPreference) *AlertPreference {
	if p.AlertPrefID == 0 {
		p.AlertPrefID = w.alertID + 1
	}
	p.AlertContent = p.normal()
	if p.AlertPrefID < math.MaxInt64/2 { // the ids that the bank assigns never come near the higher ones
		w.alertID = max(w.alertID, p.AlertPrefID)
	}
	tablesOf(w).alerts.put(&p)
	return &p
}

// AlertPreferences yields the alert preferences of a user of an institution, by id.
func (w *World) AlertPreferences(institutionID, hostUserID string) iter.Seq[*AlertPreference] {
	return tablesOf(w).alerts.between(
		&AlertPreference{InstitutionID: institutionID, HostUserID: hostUserID},
		&AlertPreference{InstitutionID: institutionID, HostUserID: after(hostUserID)})
}
