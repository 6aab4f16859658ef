package bankapi

import (
	"errors"
	"strconv"
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

// UnmarshalJSON keeps the text of an object.
func (a *additionalInfo) UnmarshalJSON(data []byte) error {
	if data[0] != '{' {
		return errors.New("not an object")
	}
	a.text = string(data)
	return nil
}

// MarshalJSON writes the text of the object.
func (a *additionalInfo) MarshalJSON() ([]byte, error) { return []byte(a.text), nil }

// createAlertPreference is section 4.7.
func createAlertPreference(c *call) (answer, error) {
	owner, err := c.readAlertOwner()
	if err != nil {
		return answer{}, err
	}
	var body alertPreference
	if err := c.decodeAlert(&body); err != nil {
		return answer{}, err
	}
	if body.Details != nil && body.Details.AlertPrefID != nil {
		c.lint("alert-pref-id-ignored", "alertPrefId in the body is ignored: the server assigns it")
	}
	created, err := c.World.CreateAlertPreference(c.policy, owner.institutionID, owner.hostUserID, body.content())
	if err != nil {
		return answer{}, err
	}
	return c.storedAlert(created), nil
}

var createAlertEvidence = []condition{
	{contract.AlertsCreateClientID, anyOf("alertPreferenceDetails.alertPrefId")},
}

// alertContentEvidence is what storing a preference rests on.
var alertContentEvidence = []condition{
	{contract.AlertsCreateNoEffect, anyOf("allowCallback", "defaultPreferences", "additionalInfo")},
	{contract.AlertsTypes, anyOf("alertPreferenceDetails.alertTypeName")},
	{contract.AlertsChannels, when(hasUnknownChannel)},
	{contract.AlertsContradiction, when(contradicts)},
}

// hasUnknownChannel reports whether the description lacks a channel of a preference.
func hasUnknownChannel(p *sim.AlertPreference) bool {
	d := p.Details
	return d != nil && d.ChannelTypeName != nil && !sim.AreAlertChannels(*d.ChannelTypeName)
}

// contradicts reports whether a preference names another institution or user than its owner.
func contradicts(p *sim.AlertPreference) bool {
	institution, customer := p.Contradicts()
	return institution || customer
}

// decodeAlert reads a preference in the body.
func (c *call) decodeAlert(into *alertPreference) error {
	if err := c.decodeJSON(into); err != nil {
		return err
	}
	if hasUnknownChannel(&sim.AlertPreference{AlertContent: into.content()}) && !c.policy.Alerts.KnownChannelsOnly {
		c.lint("unknown-channel", "channelTypeName has another channel than "+strings.Join(sim.AlertChannels, ", "))
	}
	return nil
}

// storedAlert returns the answer with a stored preference.
func (c *call) storedAlert(p *sim.AlertPreference) answer {
	if contradicts(p) {
		c.lint("alert-contradiction",
			"institutionId or institutionCustomerId in the body differs from what else the request says about "+
				"whose preference it is")
	}
	return c.answer(newAlertPreference(p), p)
}

// getAlertPreference reads a preference (published).
func getAlertPreference(c *call) (answer, error) {
	owner, id, err := c.namedAlert()
	if err != nil {
		return answer{}, err
	}
	p, err := c.World.AlertPreference(owner.institutionID, owner.hostUserID, id)
	if err != nil {
		return answer{}, err
	}
	return c.answer(newAlertPreference(p), nil), nil
}

// updateAlertPreference replaces a preference (published).
func updateAlertPreference(c *call) (answer, error) {
	owner, id, err := c.namedAlert()
	if err != nil {
		return answer{}, err
	}
	const callbackParameter = "allowCallback"
	if err := c.notRepeated(contract.ParameterRepeated, callbackParameter, ""); err != nil {
		return answer{}, err
	}
	callback, err := c.flag(callbackParameter, true)
	if err != nil {
		return answer{}, err
	}
	var body alertPreference
	if err := c.decodeAlert(&body); err != nil {
		return answer{}, err
	}
	var sentID int64
	if body.Details != nil && body.Details.AlertPrefID != nil {
		sentID = *body.Details.AlertPrefID
	}
	if body.AllowCallback == nil {
		body.AllowCallback = &callback
	}
	update := body.content()
	updated, err := c.World.UpdateAlertPreference(c.policy, owner.institutionID, owner.hostUserID, id, sentID, update)
	if err != nil {
		return answer{}, err
	}
	return c.storedAlert(updated), nil
}

// deleteAlertPreference deletes a preference (published).
func deleteAlertPreference(c *call) (answer, error) {
	owner, id, err := c.namedAlert()
	if err != nil {
		return answer{}, err
	}
	return c.emptyAnswer(nil), c.World.DeleteAlertPreference(owner.institutionID, owner.hostUserID, id)
}

// namedAlert returns the preference that the path of a request names, and its owner.
func (c *call) namedAlert() (owner alertOwner, id int64, err error) {
	if owner, err = c.readAlertOwner(); err != nil {
		return owner, 0, err
	}
	if id, err = strconv.ParseInt(c.pathVar("alertPreferenceId"), 10, 64); err != nil {
		return owner, 0, sim.Refuse(sim.AlertPreferenceIDMalformed,
			"alertPreferenceId in the path must be a whole number of 64 bits")
	}
	return owner, id, nil
}

func (p alertPreference) content() sim.AlertContent {
	alert := sim.AlertContent{
		AlertOpted:         p.AlertOpted,
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
		Account:            (*sim.AlertAccount)(p.Account),
	}
	if p.AdditionalInfo != nil {
		alert.AdditionalInfo = &p.AdditionalInfo.text
	}
	if p.Details != nil {
		alert.Details = (*sim.AlertDetails)(&p.Details.alertDetails)
	}
	return alert
}

// newAlertPreference returns a stored preference with its id and its owner.
func newAlertPreference(p *sim.AlertPreference) alertPreference {
	stored := alertPreference{
		AlertOpted:         p.AlertOpted,
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
		Account:            (*alertPreferenceAccount)(p.Account),
		Details:            &alertPreferenceDetails{},
	}
	details := stored.Details
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
		stored.AdditionalInfo = &additionalInfo{*p.AdditionalInfo}
	}
	return stored
}
