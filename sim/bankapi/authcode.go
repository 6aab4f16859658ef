package bankapi

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// clientAuthorization is what a client may get codes for (published).
type clientAuthorization struct {
	Scopes         string `json:"scopes"`
	AppID          string `json:"appId"`
	AdditionalInfo struct {
		SecondaryAuthentication bool `json:"secondary_authentication_enabled"`
		Consent                 bool `json:"consent_enabled"`
		DeviceRegistration      bool `json:"device_registration_enabled"`
	} `json:"additional_info"`
}

// authorizeClient reads what a client may get codes for.
func authorizeClient(c *call) (answer, error) {
	caller, form, err := c.codeForm()
	if err != nil {
		return answer{}, err
	}
	client, err := c.World.ClientForCodes(caller, form.Get("client_id"))
	if err != nil {
		return answer{}, err
	}
	authorization := clientAuthorization{Scopes: strings.Join(client.Codes.Scopes, ", "), AppID: client.Codes.AppID}
	info := &authorization.AdditionalInfo
	info.SecondaryAuthentication = client.Codes.SecondaryAuthentication
	info.Consent = client.Codes.Consent
	info.DeviceRegistration = client.Codes.DeviceRegistration
	return c.answer(authorization, nil), nil
}

// authorizationCode is the answer to a request for a code (published).
type authorizationCode struct {
	Code        string `json:"code"`
	RedirectURI string `json:"redirect_uri"`
}

// createCode creates an authorization code for a client and a user.
func createCode(c *call) (answer, error) {
	caller, form, err := c.codeForm()
	if err != nil {
		return answer{}, err
	}
	authTime, err := strconv.ParseInt(cmp.Or(form.Get("auth_time"), "0"), 10, 64)
	if err != nil || authTime < 0 {
		return answer{}, sim.Refuse(contract.MemberMistyped, "auth_time must be seconds since 1970, in digits")
	}
	grant, client, err := c.World.CreateCode(caller, sim.CodeRequest{
		ClientID:          form.Get("client_id"),
		Scopes:            form.Get("scopes"),
		Username:          form.Get("username"),
		InstitutionUserID: form.Get("institution_user_id"),
		OpenIDRequest: sim.OpenIDRequest{
			RequestedScopes: form.Get("requested_scopes"),
			Nonce:           form.Get("nonce"),
			Audience:        form.Get("aud"),
			AuthTime:        authTime,
		},
	}, c.Now)
	if err != nil {
		return answer{}, err
	}
	return c.answer(authorizationCode{grant.Code, client.Codes.RedirectURI}, nil), nil
}

// codeForm authenticates the caller of an operation on codes, and reads its form.
func (c *call) codeForm() (caller sim.Caller, form url.Values, err error) {
	if caller, err = c.bearer(); err != nil {
		return caller, nil, err
	}
	id, err := c.institutionID()
	if err != nil {
		return caller, nil, err
	}
	if id != caller.InstitutionID {
		return caller, nil, sim.Refuse(sim.InstitutionUnknown, "header institutionId must be that of the access token")
	}
	if err := c.requireMedia(mediaForm); err != nil {
		return caller, nil, err
	}
	if form, err = c.form(); err == nil && form.Get("client_id") == "" {
		err = sim.Refuse(contract.MemberMissing, "client_id is missing")
	}
	return caller, form, err
}
