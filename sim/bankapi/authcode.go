package bankapi

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// clientAuthorization is what a client may get codes for.
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
func authorizeClient(x *exchange) (reply, error) {
	caller, form, err := x.codeRequest()
	if err != nil {
		return reply{}, err
	}
	client, err := x.at.World.ClientForCodes(caller, form.Get("client_id"))
	if err != nil {
		return reply{}, err
	}
	answer := clientAuthorization{Scopes: strings.Join(client.Codes.Scopes, ", "), AppID: client.Codes.AppID}
	answer.AdditionalInfo.SecondaryAuthentication = client.Codes.SecondaryAuthentication
	answer.AdditionalInfo.Consent = client.Codes.Consent
	answer.AdditionalInfo.DeviceRegistration = client.Codes.DeviceRegistration
	return x.answerWith(answer), nil
}

// createCode creates an authorization code for a client and a user.
func createCode(x *exchange) (reply, error) {
	caller, form, err := x.codeRequest()
	if err != nil {
		return reply{}, err
	}
	var authTime int64
	if text := form.Get("auth_time"); text != "" {
		if authTime, err = strconv.ParseInt(text, 10, 64); err != nil || authTime < 0 {
			return reply{}, sim.Refuse(contract.MemberMistyped, "auth_time must be seconds since 1970, in digits")
		}
	}
	grant, client, err := x.at.World.CreateCode(caller, sim.CodeRequest{
		ClientID:          form.Get("client_id"),
		Scopes:            form.Get("scopes"),
		Username:          form.Get("username"),
		InstitutionUserID: form.Get("institution_user_id"),
		OpenIDRequest: sim.OpenIDRequest{
			RequestedScopes: form.Get("requested_scopes"), Nonce: form.Get("nonce"), Audience: form.Get("aud"), AuthTime: authTime,
		},
	}, x.at.Now)
	if err != nil {
		return reply{}, err
	}
	return x.answerWith(struct {
		Code        string `json:"code"`
		RedirectURI string `json:"redirect_uri"`
	}{grant.Code, client.Codes.RedirectURI}), nil
}

// codeRequest returns the caller and the form of a request about authorization codes, checked but for what the bank's rules say.
func (x *exchange) codeRequest() (caller sim.Caller, form url.Values, err error) {
	if caller, err = x.bearer(); err != nil {
		return caller, nil, err
	}
	id, err := x.institutionID()
	if err != nil {
		return caller, nil, err
	}
	if id != caller.InstitutionID {
		return caller, nil, sim.Refuse(sim.InstitutionUnknown, "header institutionId must be that of the access token")
	}
	if x.mediaType() != mediaForm {
		return caller, nil, sim.Refuse(contract.MediaTypeUnknown, "header Content-Type must be %s", mediaForm)
	}
	if form, err = x.form(); err == nil && form.Get("client_id") == "" {
		err = sim.Refuse(contract.MemberMissing, "client_id is missing")
	}
	return caller, form, err
}
