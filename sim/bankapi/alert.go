package bankapi

import (
	"errors"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// alertPreference is the resource of section 2.7. Members that were not sent are not answered.
type alertPreference struct {
	AdditionalInfo     *additionalInfo         `json:"additionalInfo,omitzero"`
	AlertOpted         *bool                   `json:"alertOpted,omitzero"`
	Account            *alertPreferenceAccount `json:"alertPreferenceAccountDetails,omitzero"`
	Details            *alertPreferenceDetails `json:"alertPreferenceDetails,omitzero"`
	AllowCallback      *bool                   `json:"allowCallback,omitzero"`
	DefaultPreferences *bool                   `json:"defaultPreferences,omitzero"`
}

type alertPreferenceAccount struct {
	AccountExternalID *string `json:"accountExternalId,omitzero"`
	AccountID         *string `json:"accountId,omitzero"`
	CardNumber        *string `json:"cardNumber,omitzero"`
}

type alertPreferenceDetails struct {
	AlertPrefID *int64 `json:"alertPrefId,omitzero"`
	alertDetails
}

type alertDetails struct {
	AlertTypeName         *string `json:"alertTypeName,omitzero"`
	ChannelTypeName       *string `json:"channelTypeName,omitzero"`
	ExternalID            *string `json:"externalId,omitzero"`
	InstitutionCustomerID *string `json:"institutionCustomerId,omitzero"`
	InstitutionID         *string `json:"institutionId,omitzero"`
}

// additionalInfo is an object with members of the caller's own choosing, kept as its text.
type additionalInfo struct{ text string }

func (a *additionalInfo) UnmarshalJSON(data []byte) error {
	if data[0] != '{' {
		return errors.New("not an object")
	}
	a.text = string(data)
	return nil
}

// MarshalJSON writes the object as it was read.
func (a *additionalInfo) MarshalJSON() ([]byte, error) { return []byte(a.text), nil }

// createAlertPreference is section 4.7.
func createAlertPreference(x *exchange, owner alertOwner) (reply, error) {
	var body alertPreference
	if err := x.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	if body.Details != nil && body.Details.AlertPrefID != nil {
		x.lint("alert-pref-id-ignored", "alertPrefId in the body is ignored: the server assigns it")
		x.restsOn(contract.AlertsCreateClientID)
	}
	x.citeAlert(body)
	created, err := x.at.World.CreateAlertPreference(x.behavior, owner.institutionID, owner.hostUserID, body.content())
	if err != nil {
		return reply{}, err
	}
	return x.storedAlert(created), nil
}

// storedAlert returns the reply with a preference as it was stored, which may name another institution or user than the one whose it is.
func (x *exchange) storedAlert(p *sim.AlertPreference) reply {
	if institution, customer := p.Contradicts(); institution || customer {
		x.lint("alert-contradiction",
			"institutionId or institutionCustomerId in the body differs from what else the request says about whose preference it is")
		x.restsOn(contract.AlertsContradiction)
	}
	return x.answerWith(newAlertPreference(p))
}

// alertOwner is whose preferences a request is about.
type alertOwner struct{ institutionID, hostUserID string }

// alertScope reads what all operations on the preferences of a user share.
func (x *exchange) alertScope() (owner alertOwner, err error) {
	caller, err := x.alertCaller()
	if err != nil {
		return owner, err
	}
	if x.op.TakesQuery("hostUserId") {
		owner, err = x.alertUser(caller)
	} else {
		owner, err = x.alertOwnerOfHeaders(caller)
	}
	if user, ok := x.at.World.User(owner.institutionID, owner.hostUserID); ok && !user.Active {
		x.restsOn(contract.AlertsInactiveUser)
	}
	return owner, err
}

// alertUser is alertScope where the query names the user, unless the token does.
func (x *exchange) alertUser(caller sim.Caller) (owner alertOwner, err error) {
	if err := x.requireRequestID(); err != nil {
		return owner, err
	}
	for _, name := range []string{"hostUserId", "loginId"} {
		if len(x.query[name]) > 1 {
			return owner, sim.Refuse(contract.ParametersExclude, "query parameter %s is given more than once: give one user", name)
		}
	}
	named, err := x.anyUser(caller)
	if err != nil {
		return owner, err
	}
	hostUserID, err := x.estatementUser(named)
	if err != nil {
		return owner, err
	}
	if _, err := x.at.World.MaySpeakFor(caller, hostUserID); err != nil {
		return owner, err
	}
	x.restsOn(contract.AlertsUser, contract.AlertsInstitution)
	if x.header(businessLocation) != "" {
		x.restsOn(contract.AlertsBusinessUser)
	}
	return alertOwner{caller.InstitutionID, hostUserID}, nil
}

// citeAlert notes what storing an alert preference rests on.
func (x *exchange) citeAlert(body alertPreference) {
	if body.AllowCallback != nil || body.DefaultPreferences != nil || body.AdditionalInfo != nil {
		x.restsOn(contract.AlertsCreateNoEffect)
	}
	d := body.Details
	if d == nil {
		return
	}
	if d.AlertTypeName != nil {
		x.restsOn(contract.AlertsTypes)
	}
	if d.ChannelTypeName != nil && !slices.Contains(sim.AlertChannels, *d.ChannelTypeName) {
		x.restsOn(contract.AlertsChannels)
		if !x.behavior.Alerts.KnownChannelsOnly {
			x.lint("unknown-channel", "channelTypeName is none of "+strings.Join(sim.AlertChannels, ", "))
		}
	}
}

// alertCaller authenticates the caller by "Bearer TOKEN" or the bare token: the format is not shown (section 5).
func (x *exchange) alertCaller() (sim.Caller, error) {
	if bare := x.authorization(); contract.In(x.op.Dialect).BareTokens && isToken(bare) && !strings.EqualFold(bare, bearerScheme) {
		x.lint("bare-token", "header Authorization is a bare token: write Bearer, a space and the token")
		x.restsOn(contract.AlertsBareToken)
		return x.at.World.Authenticate(bare, x.at.Now)
	}
	caller, err := x.optionalBearer(x.behavior.Alerts.Auth)
	if caller.InstitutionID == "" {
		x.restsOn(contract.AlertsAuth)
	}
	return caller, err
}

// alertOwnerOfHeaders reads the headers that say what the request is about; userid only of an operation on a user's preferences.
func (x *exchange) alertOwnerOfHeaders(caller sim.Caller) (owner alertOwner, err error) {
	fiid, userid, ofUser := x.header("fiid"), "", x.takesHeader("userid")
	if ofUser {
		userid = x.header("userid")
	}
	if x.behavior.Alerts.Headers == sim.Optional {
		if fiid == "" || ofUser && userid == "" || x.requestID() == "" {
			x.restsOn(contract.AlertsHeaders)
		}
	} else if fiid == "" {
		return owner, sim.Refuse(contract.HeaderMissing, "header fiid is missing")
	} else if err := x.requireRequestID(); err != nil {
		return owner, err
	} else if ofUser && userid == "" {
		return owner, sim.Refuse(contract.HeaderMissing, "header userid is missing")
	}
	owner.institutionID, owner.hostUserID, err = x.at.World.AlertScope(caller, fiid, userid)
	return owner, err
}

func (p alertPreference) content() sim.AlertContent {
	content := sim.AlertContent{
		AlertOpted:         p.AlertOpted,
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
		Account:            (*sim.AlertAccount)(p.Account),
	}
	if p.AdditionalInfo != nil {
		content.AdditionalInfo = &p.AdditionalInfo.text
	}
	if p.Details != nil {
		content.Details = (*sim.AlertDetails)(&p.Details.alertDetails)
	}
	return content
}

// newAlertPreference gives a preference as it is stored: what its creator sent, its id, and whose it is.
func newAlertPreference(p *sim.AlertPreference) alertPreference {
	answer := alertPreference{
		AlertOpted:         p.AlertOpted,
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
		Account:            (*alertPreferenceAccount)(p.Account),
		Details:            &alertPreferenceDetails{},
	}
	details := answer.Details
	if p.Details != nil {
		details.alertDetails = alertDetails(*p.Details)
	}
	if orEmpty(details.InstitutionID) == "" {
		details.InstitutionID = &p.InstitutionID
	}
	if orEmpty(details.InstitutionCustomerID) == "" && p.HostUserID != "" {
		details.InstitutionCustomerID = &p.HostUserID
	}
	if p.AlertPrefID != 0 { // a default of the institution has none
		details.AlertPrefID = &p.AlertPrefID
	}
	if p.AdditionalInfo != nil {
		answer.AdditionalInfo = &additionalInfo{*p.AdditionalInfo}
	}
	return answer
}
