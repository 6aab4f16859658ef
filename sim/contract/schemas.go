package contract

import "maps"

// Building blocks of schemas.

var closed = false

func text(description string) *schema { return &schema{Type: "string", Description: description} }

func boolean(description string) *schema { return &schema{Type: "boolean", Description: description} }

func integer(description string, minimum int) *schema {
	return &schema{Type: "integer", Description: description, Minimum: &minimum}
}

func oneOfTexts(description string, values ...string) *schema {
	return &schema{Type: "string", Description: description, Enum: values}
}

func list(items *schema) *schema { return &schema{Type: "array", Items: items} }

func ref(name string) *schema { return &schema{Ref: "#/components/schemas/" + name} }

type fields map[string]*schema

// answered returns the schema of an object in an answer: it has all of the fields but the optional ones, and no others.
func answered(all fields, optional ...string) *schema {
	s := &schema{Type: "object", Properties: all, Closed: &closed}
	missing := newSet(optional...)
	for _, name := range sortedNames(all) {
		if missing.add(name) {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// sent returns the schema of an object in a request. Other members are ignored.
func sent(all fields, required ...string) *schema {
	return &schema{Type: "object", Properties: all, Required: required}
}

// marked returns the schema with what it rests on.
func (s *schema) marked(ids ...string) *schema {
	s.mark = by(ids...)
	return s
}

// markedAll returns the schema of an object of which no field is documented.
func (s *schema) markedAll(ids ...string) *schema {
	for _, field := range s.Properties {
		field.mark = by(ids...)
	}
	return s.marked(ids...)
}

// The error bodies, given the codes that an answer may have.

func estatementErrorBody(codes []string) *schema {
	return answered(fields{
		"status": integer("The status of the answer.", 400), "code": oneOfTexts("", codes...), "message": text(""),
	}).markedAll("estatements.error-body")
}

func tokenErrorBody(codes []string) *schema {
	return answered(fields{"code": oneOfTexts("", codes...), "message": text("")}).markedAll("tokens.issue.error-body")
}

func alertErrorBody(codes []string) *schema {
	return answered(fields{"code": oneOfTexts("", codes...), "message": text("")}).markedAll("alerts.error-body")
}

func groupErrorBody(codes []string) *schema {
	return answered(fields{"code": oneOfTexts("", codes...), "message": text("")})
}

func revocationErrorBody(codes []string) *schema {
	return answered(fields{
		"statusMessage": text("The same as errorMessage."),
		"errorInfo": answered(fields{
			"errorType":    oneOfTexts("", "USER_ERROR", "SYSTEM_ERROR"),
			"errorCode":    oneOfTexts("", codes...),
			"errorMessage": text(""),
		}),
	})
}

// tokenRequestBody is the body of both token operations (section 2.3).
func tokenRequestBody(required ...string) *schema {
	return sent(fields{
		"grant_type": text("client_credentials, password or refresh_token."),
		"username":   text(""), "password": text(""), "scopes": text("No effect."), "refresh_token": text(""),
		"token": text("The access or refresh token to revoke.").marked("revoke.by-token"),
	}, required...)
}

var uuidPattern = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

// schemas are the resources of the interface (section 2).
var schemas = map[string]*schema{
	"Disclosures": answered(fields{"institutionUserDisclosures": list(ref("InstitutionUserDisclosure"))}),
	"InstitutionUserDisclosure": answered(fields{
		"institutionId":               text("The institution's id."),
		"institutionDisclosureStatus": oneOfTexts("", "ACCEPTED", "NOT_ACCEPTED").marked("estatements.disclosures.status-values"),
		"institutionUserDisclosureStatusUpdateDateTime": {Type: "string", Description: "ISO 8601 with an offset.",
			Pattern: `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$`},
		"paperWaiver":               boolean(""),
		"accountId":                 text("The account's id."),
		"institutionDisclosureName": text(""),
	}),
	"TokenResponse": answered(maps.Clone(tokenMembers)),
	"IssuedTokens": answered(withField(tokenMembers, "token_type", oneOfTexts("", "Bearer").marked("tokens.issue.token-type")),
		"di_ficustomer", "refresh_token", "refresh_token_expires_in"),
	"AuthenticationResult": authenticationResult,
	"Group": answered(fields{
		"groupId":                  {Type: "string", Description: "Assigned by the server, unless a scenario honours the client's."},
		"groupName":                text(""),
		"groupDescription":         text(""),
		"groupType":                oneOfTexts("", "EXPERIENCE_GROUP"),
		"groupPlatform":            oneOfTexts("", "RETAIL_BANKING"),
		"groupLastUpdatedDateTime": {Type: "string", Pattern: `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`},
		"groupParticipantCount":    integer("", 0),
		"groupExperience": answered(fields{
			"experienceName": text(""), "experienceId": {Type: "string", Pattern: uuidPattern}, "groupId": text(""), "default": boolean(""),
		}),
		"groupExperienceName": text(""),
		"groupStatus":         oneOfTexts("", "ACTIVE"),
	}, "groupExperience", "groupExperienceName"),
	"GroupPage": answered(fields{
		"links":   list(ref("Link")),
		"content": list(ref("GroupListItem")),
		"page": answered(fields{
			"size": integer("", 1), "totalElements": integer("", 0), "totalPages": integer("", 0), "number": integer("From 0.", 0),
		}),
	}),
	"GroupListItem": answered(fields{
		"groupId": text(""), "groupName": text(""), "groupType": oneOfTexts("", "EXPERIENCE_GROUP"),
		"noOfParticipants": integer("", 0), "links": list(ref("Link")),
	}),
	"Link": answered(fields{"rel": oneOfTexts("", "first", "prev", "self", "next", "last").marked("groups.list.links"), "href": text("Absolute.")}),
	"AlertPreference": answered(alertFields(true),
		"additionalInfo", "alertOpted", "alertPreferenceAccountDetails", "allowCallback", "defaultPreferences"),
}

var tokenMembers = fields{
	"expires_in":               {Type: "string", Description: "Seconds.", Pattern: `^\d+$`},
	"di_fiid":                  text("The institution's id."),
	"di_ficustomer":            text("The user's hostUserId; empty: none."),
	"access_token":             text(""),
	"refresh_token":            text(""),
	"refresh_token_expires_in": {Type: "string", Description: "Seconds.", Pattern: `^\d+$`},
}

func withField(all fields, name string, field *schema) fields {
	more := maps.Clone(all)
	more[name] = field
	return more
}

// alertFields are the members of an alert preference (section 2.7), as they are sent or answered.
func alertFields(answer bool) fields {
	channel := text("How it is alerted.")
	details := fields{
		"alertPrefId": {Type: "integer"}, "alertTypeName": text(""), "channelTypeName": channel, "externalId": text(""),
		"institutionCustomerId": text(""), "institutionId": text(""),
	}
	account := fields{"accountExternalId": text(""), "accountId": text(""), "cardNumber": text("")}
	all := fields{
		"additionalInfo":     {Type: "object"},
		"alertOpted":         boolean(""),
		"allowCallback":      boolean(""),
		"defaultPreferences": boolean(""),
	}
	if answer {
		details["alertPrefId"] = integer("Assigned by the server.", 1)
		all["alertPreferenceAccountDetails"] = answered(account, sortedNames(account)...)
		all["alertPreferenceDetails"] = answered(details, "alertTypeName", "channelTypeName", "externalId", "institutionCustomerId")
		return all
	}
	channel.Enum = []string{"EMAIL", "SMS", "PUSH", "WEB"}
	channel.mark = by("alerts.channels")
	all["alertPreferenceAccountDetails"] = sent(account)
	all["alertPreferenceDetails"] = sent(details)
	return all
}

var phones = answered(fields{"phoneNumber": answered(fields{
	"id": text(""), "countryCode": text(""), "number": text(""), "protocol": oneOfTexts("", "SMS"),
})})

// authenticationResult is the second shape that is listed for a revocation (section 2.5).
var authenticationResult = func() *schema {
	all := fields{
		"alternateCredentialType": oneOfTexts("", "FACE_ID"),
		"requestChannel":          oneOfTexts("", "WEB"),
		"status":                  oneOfTexts("", "SECONDARY_AUTHENTICATION_REQUIRED"),
		"grantType":               oneOfTexts("", "AUTHORIZATION_CODE"),
		"phoneNumbers":            phones,
		"validatedPhoneNumbers":   phones,
		"validatedEmail":          answered(fields{"id": text(""), "address": text("")}),
		"validatedVipToken":       answered(fields{"id": text(""), "credentialId": text("")}),
		"validatedTotpToken":      answered(fields{"id": text("")}),
		"secondaryAuthCookies":    answered(fields{"name": text(""), "value": text(""), "maxAge": {Type: "integer"}}),
		"privateDevice":           boolean(""),
		"scopes":                  answered(fields{"scope": answered(fields{"name": text(""), "description": text("")})}),
		"additionalInfo":          answered(fields{"entry": list(answered(fields{"key": text(""), "value": text("")}))}),
	}
	for _, name := range []string{"userId", "institutionCustomerId", "userName", "password", "oldPassword", "alternateCredentialValue",
		"institutionId", "deviceId", "oneTimePasscode", "passwordExpiryInDays", "passwordExpiryWarningInDays",
		"passwordPostponementPeriodInDays", "ticket", "redirectUri", "clientId", "clientSecret", "state"} {
		all[name] = text("")
	}
	return answered(all)
}()
