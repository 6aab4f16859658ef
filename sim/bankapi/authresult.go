package bankapi

import "github.com/digitalbanking-sim/banksim/sim"

// authenticationResult is the object of section 2.5, the second shape that the interface lists for a revocation.
// All its members are given; those that a revocation has nothing to say in are empty.
type authenticationResult struct {
	UserID                         string `json:"userId"`
	InstitutionCustomerID          string `json:"institutionCustomerId"`
	UserName                       string `json:"userName"`
	Password                       string `json:"password"`
	OldPassword                    string `json:"oldPassword"`
	AlternateCredentialValue       string `json:"alternateCredentialValue"`
	AlternateCredentialType        string `json:"alternateCredentialType"`
	InstitutionID                  string `json:"institutionId"`
	DeviceID                       string `json:"deviceId"`
	OneTimePasscode                string `json:"oneTimePasscode"`
	RequestChannel                 string `json:"requestChannel"`
	PasswordExpiryInDays           string `json:"passwordExpiryInDays"`
	PasswordExpiryWarningInDays    string `json:"passwordExpiryWarningInDays"`
	PasswordPostponementPeriodDays string `json:"passwordPostponementPeriodInDays"`
	Ticket                         string `json:"ticket"`
	Status                         string `json:"status"`
	PhoneNumbers                   phones `json:"phoneNumbers"`
	ValidatedPhoneNumbers          phones `json:"validatedPhoneNumbers"`
	ValidatedEmail                 struct {
		ID      string `json:"id"`
		Address string `json:"address"`
	} `json:"validatedEmail"`
	ValidatedVipToken struct {
		ID           string `json:"id"`
		CredentialID string `json:"credentialId"`
	} `json:"validatedVipToken"`
	ValidatedTotpToken struct {
		ID string `json:"id"`
	} `json:"validatedTotpToken"`
	SecondaryAuthCookies struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		MaxAge int    `json:"maxAge"`
	} `json:"secondaryAuthCookies"`
	PrivateDevice bool `json:"privateDevice"`
	Scopes        struct {
		Scope struct {
			Name        string `json:"name"`
			Description string `json:"description"`
		} `json:"scope"`
	} `json:"scopes"`
	RedirectURI    string `json:"redirectUri"`
	ClientID       string `json:"clientId"`
	ClientSecret   string `json:"clientSecret"`
	GrantType      string `json:"grantType"`
	State          string `json:"state"`
	AdditionalInfo struct {
		Entry []struct {
			Key   string `json:"key"`
			Value string `json:"value"`
		} `json:"entry"`
	} `json:"additionalInfo"`
}

type phones struct {
	PhoneNumber struct {
		ID          string `json:"id"`
		CountryCode string `json:"countryCode"`
		Number      string `json:"number"`
		Protocol    string `json:"protocol"`
	} `json:"phoneNumber"`
}

// newAuthenticationResult says of a revoked grant what the shape has room for. Enumerations have the one value
// that the interface document shows for each.
func newAuthenticationResult(w *sim.World, revoked *sim.Grant) authenticationResult {
	result := authenticationResult{
		UserID:                  revoked.HostUserID,
		InstitutionCustomerID:   revoked.HostUserID,
		InstitutionID:           revoked.InstitutionID,
		ClientID:                revoked.SharedKey,
		AlternateCredentialType: "FACE_ID",
		RequestChannel:          "WEB",
		Status:                  "SECONDARY_AUTHENTICATION_REQUIRED",
		GrantType:               "AUTHORIZATION_CODE",
	}
	if user, ok := w.User(revoked.InstitutionID, revoked.HostUserID); ok {
		result.UserName = user.Username
	}
	result.PhoneNumbers.PhoneNumber.Protocol = "SMS"
	result.ValidatedPhoneNumbers.PhoneNumber.Protocol = "SMS"
	return result
}
