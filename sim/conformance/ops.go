package conformance

type operation struct{ Method, Path string }

var (
	issueTokens   = operation{"POST", "/digitalbanking/oauth2/v1/token"}
	revokeTokens  = operation{"DELETE", "/digitalbanking/oauth2/v1/revoke"}
	getDisclosure = operation{"GET", "/digitalbanking/ux-users/v1/e-statements/{accountId}/disclosures"}
	updateAccount = operation{"PUT", "/digitalbanking/ux-users/v1/e-statements/preference"}
	updateUser    = operation{"PUT", "/digitalbanking/ux-users/v2/e-statements/user/preferences"}
)
