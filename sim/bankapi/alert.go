package bankapi

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim"
)

// alerts is the family of the alert preference operation (section 4.7), with the published codes.
var alerts = family{
	prefix:    "/digitalbanking/db-alerts-preferences",
	requestID: "transactionid",
	challenge: bearerChallenge,
	refusals: map[sim.Code]refusal{
		tokenMissing:              {http.StatusUnauthorized, "CMN_90001", "alerts.auth"},
		tokenMalformed:            {http.StatusUnauthorized, "CMN_90001", "alerts.auth-failure"},
		sim.TokenUnknown:          {http.StatusUnauthorized, "CMN_90001", "alerts.auth-failure"},
		sim.TokenExpired:          {http.StatusUnauthorized, "CMN_90001", "alerts.auth-failure"},
		headerMissing:             {http.StatusBadRequest, "PRMVAL_10007", "alerts.headers"},
		requestIDMissing:          {http.StatusBadRequest, "PRMVAL_10007", "alerts.headers"},
		sim.InstitutionUnknown:    {http.StatusBadRequest, "PRMVAL_10003", "alerts.institution"},
		sim.UserUnknown:           {http.StatusBadRequest, "PRMVAL_10004", "alerts.user"},
		bodyMalformed:             {http.StatusBadRequest, "PRMSYS_10002", "alerts.malformed-body"},
		memberMistyped:            {http.StatusBadRequest, "PRMSYS_10002", "alerts.malformed-body"},
		sim.AlertFieldMissing:     {http.StatusBadRequest, "PRMVAL_10012", "alerts.required-members"},
		sim.AlertOtherInstitution: {http.StatusBadRequest, "PRMVAL_10003", "alerts.contradiction"},
		sim.AlertOtherCustomer:    {http.StatusBadRequest, "PRMVAL_10004", "alerts.contradiction"},
		sim.AlertChannelUnknown:   {http.StatusBadRequest, "PRMVAL_10005", "alerts.channels"},
		sim.AlertTypeUnknown:      {http.StatusBadRequest, "PRMVAL_10009", "alerts.types"},
	},
	faults: map[int]sim.Code{
		http.StatusBadRequest:   bodyMalformed,
		http.StatusUnauthorized: sim.TokenUnknown,
	},
	shape: []string{"alerts.error-body"},
	body:  codeMessageBody,
}

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

// UnmarshalJSONFrom reads an object.
func (a *additionalInfo) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() != '{' {
		return errors.New("not an object")
	}
	a.text = string(value)
	return nil
}

// MarshalJSONTo writes the object as it was read.
func (a *additionalInfo) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteValue(jsontext.Value(a.text))
}

// createAlertPreference is section 4.7.
func createAlertPreference(c *call) (reply, error) {
	caller, err := c.alertCaller()
	if err != nil {
		return reply{}, err
	}
	fiid, userid, err := c.alertHeaders()
	if err != nil {
		return reply{}, err
	}
	institutionID, hostUserID, err := c.World.AlertScope(caller, fiid, userid)
	if err != nil {
		return reply{}, err
	}
	var body alertPreference
	if err := c.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	if body.Details != nil && body.Details.AlertPrefID != nil {
		c.lint("alert-pref-id-ignored", "alertPrefId in the body is ignored: the server assigns it")
		c.use("alerts.create.client-id")
	}
	c.leanOnAlert(body)
	created, err := c.World.CreateAlertPreference(institutionID, hostUserID, body.content())
	if err != nil {
		return reply{}, err
	}
	return jsonReply(c.behavior().Alerts.CreateStatus, newAlertPreference(created)), nil
}

// leanOnAlert notes what storing an alert preference rests on.
func (c *call) leanOnAlert(body alertPreference) {
	if body.AllowCallback != nil || body.DefaultPreferences != nil || body.AdditionalInfo != nil {
		c.use("alerts.create.no-effect")
	}
	d := body.Details
	if d == nil {
		return
	}
	if d.AlertTypeName != nil {
		c.use("alerts.types")
	}
	if d.ChannelTypeName != nil && !slices.Contains(sim.AlertChannels, *d.ChannelTypeName) {
		c.lean("alerts.channels")
	}
}

// alertCaller authenticates the caller by "Bearer TOKEN" or the bare token: the format is not shown (section 5).
func (c *call) alertCaller() (sim.Caller, error) {
	if bare := c.authorization(); isToken(bare) && !strings.EqualFold(bare, bearerScheme) {
		c.lint("bare-token", "header Authorization is a bare token: write Bearer, a space and the token")
		c.lean("alerts.bare-token")
		return c.World.Authenticate(bare, c.Now)
	}
	caller, err := c.optionalBearer(c.behavior().Alerts.Auth)
	if caller.InstitutionID == "" {
		c.lean("alerts.auth")
	}
	return caller, err
}

func (c *call) alertHeaders() (fiid, userid string, err error) {
	fiid, userid = c.request.Header.Get("fiid"), c.request.Header.Get("userid")
	if c.behavior().Alerts.Headers == sim.Optional {
		if fiid == "" || userid == "" || c.requestID() == "" {
			c.lean("alerts.headers")
		}
		return fiid, userid, nil
	}
	if fiid == "" {
		return "", "", sim.Refuse(headerMissing, "header fiid is missing")
	}
	if err := c.requireRequestID(); err != nil {
		return "", "", err
	}
	if userid == "" {
		return "", "", sim.Refuse(headerMissing, "header userid is missing")
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
		Details:            &alertPreferenceDetails{AlertPrefID: &p.AlertPrefID, InstitutionID: &p.InstitutionID},
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
	}
	return answer
}
