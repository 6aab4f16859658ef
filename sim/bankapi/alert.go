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
	AlertPrefID           *int64  `json:"alertPrefId,omitzero"`
	AlertTypeName         *string `json:"alertTypeName,omitzero"`
	ChannelTypeName       *string `json:"channelTypeName,omitzero"`
	ExternalID            *string `json:"externalId,omitzero"`
	InstitutionCustomerID *string `json:"institutionCustomerId,omitzero"`
	InstitutionID         *string `json:"institutionId,omitzero"`
}

// additionalInfo is an object with members of the caller's own choosing, kept as its text.
type additionalInfo struct{ text string }

// UnmarshalJSON reads an object.
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
func createAlertPreference(c *call) (reply, error) {
	institutionID, hostUserID, err := c.alertScope()
	if err != nil {
		return reply{}, err
	}
	var body alertPreference
	if err := c.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	if body.Details != nil && body.Details.AlertPrefID != nil {
		c.lint("alert-pref-id-ignored", "alertPrefId in the body is ignored: the server assigns it")
		c.restsOn(contract.AlertsCreateClientID)
	}
	c.citeAlert(body)
	created, err := c.World.CreateAlertPreference(institutionID, hostUserID, body.content())
	if err != nil {
		return reply{}, err
	}
	c.lintContradiction(created)
	return c.reply(newAlertPreference(created)), nil
}

// lintContradiction notes that a preference names another institution or user than the one whose it is.
func (c *call) lintContradiction(p *sim.AlertPreference) {
	if institution, customer := p.Contradicts(); institution || customer {
		c.lint("alert-contradiction", "institutionId or institutionCustomerId in the body differs from what else the request says about whose preference it is")
		c.restsOn(contract.AlertsContradiction)
	}
}

// alertScope reads what all operations of the family share: whose preferences the request is about.
func (c *call) alertScope() (institutionID, hostUserID string, err error) {
	caller, err := c.alertCaller()
	if err != nil {
		return "", "", err
	}
	if c.TakesQuery("hostUserId") {
		return c.alertUser(caller)
	}
	fiid, userid, err := c.alertHeaders(true)
	if err != nil {
		return "", "", err
	}
	institutionID, hostUserID, err = c.World.AlertScope(caller, fiid, userid)
	c.citeAlertUser(institutionID, hostUserID)
	return institutionID, hostUserID, err
}

// alertUser is alertScope where the query names the user, unless the token does.
func (c *call) alertUser(caller sim.Caller) (institutionID, hostUserID string, err error) {
	if err := c.requireRequestID(); err != nil {
		return "", "", err
	}
	for _, name := range []string{"hostUserId", "loginId"} {
		if c.query.Count(name) > 1 {
			return "", "", sim.Refuse(contract.ParametersExclude, "query parameter %s is given more than once: give one user", name)
		}
	}
	named, err := c.anyUser(caller)
	if err != nil {
		return "", "", err
	}
	if hostUserID, err = c.estatementUser(caller, named); err != nil {
		return "", "", err
	}
	if err := c.World.MaySpeakFor(caller, hostUserID); err != nil {
		return "", "", err
	}
	c.restsOn(contract.AlertsUser)
	c.restsOn(contract.AlertsInstitution)
	if c.header(businessLocation) != "" {
		c.restsOn(contract.AlertsBusinessUser)
	}
	c.citeAlertUser(caller.InstitutionID, hostUserID)
	return caller.InstitutionID, hostUserID, nil
}

// citeAlertUser notes what a request about the alerts of a user rests on.
func (c *call) citeAlertUser(institutionID, hostUserID string) {
	if user, ok := c.World.User(institutionID, hostUserID); ok && !user.Active {
		c.restsOn(contract.AlertsInactiveUser)
	}
}

// citeAlert notes what storing an alert preference rests on.
func (c *call) citeAlert(body alertPreference) {
	if body.AllowCallback != nil || body.DefaultPreferences != nil || body.AdditionalInfo != nil {
		c.restsOn(contract.AlertsCreateNoEffect)
	}
	d := body.Details
	if d == nil {
		return
	}
	if d.AlertTypeName != nil {
		c.restsOn(contract.AlertsTypes)
	}
	if d.ChannelTypeName != nil && !slices.Contains(sim.AlertChannels, *d.ChannelTypeName) {
		c.restsOn(contract.AlertsChannels)
	}
}

// alertCaller authenticates the caller by "Bearer TOKEN" or the bare token: the format is not shown (section 5).
func (c *call) alertCaller() (sim.Caller, error) {
	if bare := c.authorization(); contract.BareTokens.In(c.Dialect) && isToken(bare) && !strings.EqualFold(bare, bearerScheme) {
		c.lint("bare-token", "header Authorization is a bare token: write Bearer, a space and the token")
		c.restsOn(contract.AlertsBareToken)
		return c.World.Authenticate(bare, c.Now)
	}
	caller, err := c.optionalBearer(c.behavior().Alerts.Auth)
	if caller.InstitutionID == "" {
		c.restsOn(contract.AlertsAuth)
	}
	return caller, err
}

// alertHeaders reads the headers that say what the request is about; userid only of an operation on a user's preferences.
func (c *call) alertHeaders(ofUser bool) (fiid, userid string, err error) {
	fiid = c.header("fiid")
	if ofUser {
		userid = c.header("userid")
	}
	if c.behavior().Alerts.Headers == sim.Optional {
		if fiid == "" || ofUser && userid == "" || c.requestID() == "" {
			c.restsOn(contract.AlertsHeaders)
		}
		return fiid, userid, nil
	}
	if fiid == "" {
		return "", "", sim.Refuse(contract.HeaderMissing, "header fiid is missing")
	}
	if err := c.requireRequestID(); err != nil {
		return "", "", err
	}
	if ofUser && userid == "" {
		return "", "", sim.Refuse(contract.HeaderMissing, "header userid is missing")
	}
	return fiid, userid, nil
}

func (p alertPreference) content() sim.AlertContent {
	content := sim.AlertContent{
		AlertOpted:         p.AlertOpted,
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	if p.AdditionalInfo != nil {
		content.AdditionalInfo = &p.AdditionalInfo.text
	}
	if a := p.Account; a != nil {
		content.Account = &sim.AlertAccount{AccountExternalID: a.AccountExternalID, AccountID: a.AccountID, CardNumber: a.CardNumber}
	}
	if d := p.Details; d != nil {
		content.Details = &sim.AlertDetails{
			AlertTypeName:         d.AlertTypeName,
			ChannelTypeName:       d.ChannelTypeName,
			ExternalID:            d.ExternalID,
			InstitutionCustomerID: d.InstitutionCustomerID,
			InstitutionID:         d.InstitutionID,
		}
	}
	return content
}

// newAlertPreference gives a preference as it is stored: what its creator sent, its id, and whose it is.
func newAlertPreference(p *sim.AlertPreference) alertPreference {
	answer := alertPreference{
		AlertOpted:         p.AlertOpted,
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
		Details:            &alertPreferenceDetails{InstitutionID: &p.InstitutionID},
	}
	if p.AlertPrefID != 0 { // a default of the institution has none
		answer.Details.AlertPrefID = &p.AlertPrefID
	}
	if p.AdditionalInfo != nil {
		answer.AdditionalInfo = &additionalInfo{*p.AdditionalInfo}
	}
	if p.HostUserID != "" {
		answer.Details.InstitutionCustomerID = &p.HostUserID
	}
	if a := p.Account; a != nil {
		answer.Account = &alertPreferenceAccount{a.AccountExternalID, a.AccountID, a.CardNumber}
	}
	if d := p.Details; d != nil {
		answer.Details.AlertTypeName = d.AlertTypeName
		answer.Details.ChannelTypeName = d.ChannelTypeName
		answer.Details.ExternalID = d.ExternalID
		if orEmpty(d.InstitutionID) != "" {
			answer.Details.InstitutionID = d.InstitutionID
		}
		if orEmpty(d.InstitutionCustomerID) != "" {
			answer.Details.InstitutionCustomerID = d.InstitutionCustomerID
		}
	}
	return answer
}
