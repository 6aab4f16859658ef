package testkit

// The operations of the interface, for a [Fault] and an [Expect].
const (
	EstatementsGetDisclosures = "estatements.getDisclosures" // The disclosures of one account
	EstatementsUpdateAccount  = "estatements.updateAccount"  // Update the preference for one account
	EstatementsUpdateUser     = "estatements.updateUser"     // Update the preference for all accounts of the user

	TokensIssue           = "tokens.issue"           // Issue tokens
	TokensRevoke          = "tokens.revoke"          // Revoke tokens: a DELETE with a body
	TokensAuthorizeClient = "tokens.authorizeClient" // What a client may get codes for
	TokensCreateCode      = "tokens.createCode"      // Create an authorization code

	GroupsCreate             = "groups.create"             // Create a group
	GroupsList               = "groups.list"               // List groups
	GroupsUpdate             = "groups.update"             // Update a group
	GroupsDelete             = "groups.delete"             // Delete a group
	GroupsUploadParticipants = "groups.uploadParticipants" // Import participants into a group

	JobsList       = "jobs.list"       // List import jobs
	JobsGet        = "jobs.get"        // An import job
	JobsListErrors = "jobs.listErrors" // List the errors of an import job

	AlertsCreatePreference           = "alerts.createPreference"           // Create an alert preference of a user
	AlertsListPreferences            = "alerts.listPreferences"            // List alert preferences
	AlertsGetPreference              = "alerts.getPreference"              // An alert preference
	AlertsUpdatePreference           = "alerts.updatePreference"           // Update an alert preference
	AlertsDeletePreference           = "alerts.deletePreference"           // Delete an alert preference
	AlertsListInstitutionTypes       = "alerts.listInstitutionTypes"       // List the alert types of an institution
	AlertsListInstitutionPreferences = "alerts.listInstitutionPreferences" // List the alert preferences of an institution

	DisclosuresListUser        = "disclosures.listUser"        // List the disclosures of a user
	DisclosuresCreateUser      = "disclosures.createUser"      // Create a disclosure of a user
	DisclosuresUpdateUser      = "disclosures.updateUser"      // Update a disclosure of a user
	DisclosuresDeleteUser      = "disclosures.deleteUser"      // Delete a disclosure of an account
	DisclosuresListInstitution = "disclosures.listInstitution" // List the custom disclosures of the institution

	UsersGetStatus = "users.getStatus" // The status of a user
)
