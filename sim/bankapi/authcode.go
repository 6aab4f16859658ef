package bankapi

import (
	"cmp"
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
func authorizeClient(x *exchange, request codeRequest) (reply, error) {
	client, err := x.at.World.ClientForCodes(request.caller, request.form.Get("client_id"))
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
func createCode(x *exchange, request codeRequest) (reply, error) {
	form := request.form
	authTime, err := strconv.ParseInt(cmp.Or(form.Get("auth_time"), "0"), 10, 64)
	if err != nil || authTime < 0 {
		return reply{}, sim.Refuse(contract.MemberMistyped, "auth_time must be seconds since 1970, in digits")
	}
	grant, client, err := x.at.World.CreateCode(x.behavior, request.caller, sim.CodeRequest{
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

// codeRequest is a request about authorization codes: who sends it, and its form.
type codeRequest struct {
	caller sim.Caller
	form   url.Values
}

// codeRequest reads what the operations on codes share.
func (x *exchange) codeRequest() (request codeRequest, err error) {
	if request.caller, err = x.bearer(); err != nil {
		return request, err
	}
	id, err := x.institutionID()
	switch {
	case err != nil:
		return request, err
	case id != request.caller.InstitutionID:
		return request, sim.Refuse(sim.InstitutionUnknown, "header institutionId must be that of the access token")
	case x.mediaType() != mediaForm:
		return request, sim.Refuse(contract.MediaTypeUnknown, "header Content-Type must be %s", mediaForm)
	}
	if request.form, err = x.form(); err == nil && request.form.Get("client_id") == "" {
		err = sim.Refuse(contract.MemberMissing, "client_id is missing")
	}
	return request, err
}
