package journal

// treatment says what becomes of a JSON member's value.
type treatment uint8

const (
	hidden treatment = iota // the whole value becomes one fingerprint
	plain                   // it is kept; within an object, each member by its own name
	named                   // an object keeps the names of its members, whose values are hidden
)

// members says by name how the members of JSON bodies are treated. A name that it doesn't know is hidden.
type members map[string]treatment

func newMembers(groups ...[]string) members {
	m := members{"additionalInfo": named}
	for _, names := range groups {
		for _, name := range names {
			m[name] = plain
		}
	}
	return m
}

// alertMembers are the plain members of an alert preference (section 2.7): all but cardNumber.
var alertMembers = []string{
	"alertOpted", "allowCallback", "defaultPreferences",
	"alertPreferenceAccountDetails", "accountExternalId", "accountId",
	"alertPreferenceDetails", "alertPrefId", "alertTypeName", "channelTypeName", "externalId",
	"institutionCustomerId", "institutionId",
}

// requestMembers are those of the bodies that callers send, as JSON or as a form (sections 2.2, 2.3, 2.6, 2.7).
var requestMembers = newMembers(alertMembers, []string{
	"activateEstatement", "accountId",
	"grant_type", "username", "scopes",
	"groupId", "groupName", "groupDescription",
})

func isPlainMember(name string) bool { return requestMembers[name] == plain }

// responseMembers are those of the answers that can hold a secret (sections 2.4, 2.5, 2.7 and 7): tokens,
// passwords, passcodes, tickets, cookies and what else proves who somebody is are not among them.
var responseMembers = newMembers(alertMembers,
	[]string{"token_type", "expires_in", "di_fiid", "di_ficustomer", "refresh_token_expires_in"},
	[]string{
		"userId", "userName", "alternateCredentialType", "deviceId", "requestChannel", "passwordExpiryInDays",
		"passwordExpiryWarningInDays", "passwordPostponementPeriodInDays", "status", "phoneNumbers",
		"validatedPhoneNumbers", "phoneNumber", "id", "countryCode", "number", "protocol", "validatedEmail", "address",
		"validatedVipToken", "credentialId", "validatedTotpToken", "secondaryAuthCookies", "name", "maxAge",
		"privateDevice", "scopes", "scope", "description", "redirectUri", "clientId", "grantType",
	},
	[]string{"code", "message", "statusMessage", "errorInfo", "errorType", "errorCode", "errorMessage"},
)

// answersSecrets tells whether an operation's answers can hold secrets: those that it issues, or that it was sent.
func answersSecrets(operation string) bool {
	switch operation {
	case "tokens.issue", "tokens.revoke", "alerts.createPreference":
		return true
	}
	return false
}
