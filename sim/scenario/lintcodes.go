package scenario

// WarningCode is a kind of warning.
type WarningCode struct {
	Code    string
	Meaning string // what it warns of
	Example string // YAML that gets it

	whole bool // whether it depends on the whole scenario, so that it may come for one scenario that extends a file and not for another
}

// WarningCodes returns the kinds of warnings.
func WarningCodes() []WarningCode { return warningCodes }

// The codes.
const (
	oddCharacterCode     = "odd-character"
	nearIDCode           = "near-id"
	hashInTextCode       = "hash-in-text"
	noTokenCode          = "no-token"
	halfLoginCode        = "half-login"
	unknownAccountCode   = "unknown-account"
	neverFiresCode       = "never-fires"
	unknownParameterCode = "unknown-parameter"
	noEffectCode         = "no-effect"
	defaultSwitchCode    = "default-switch"
	sameCode             = "same-as-inherited"
	hiddenFileCode       = "hidden-file"
	unusedIgnoreCode     = "unused-ignore"
)

var warningCodes = []WarningCode{
	{Code: oddCharacterCode, Meaning: "An id, a name or a key has a character that can't be seen or looks like another, or a space at an end.", Example: `hostUserId: "1001 "`},
	{Code: nearIDCode, Meaning: "An id differs from another one, in the list or inherited, only by spaces, case, leading zeros or look-alike characters. It is another row.", Example: `groupName: early adopters`},
	{Code: hashInTextCode, Meaning: "A text ends before a `#` that begins a comment, which was perhaps meant as part of the text.", Example: `groupName: Branch #1`},
	{Code: noTokenCode, Meaning: "No token of the scenario reaches a user, who can't log in either, or the institution has users and no client that could get a token.", Example: `users: [{hostUserId: "1009"}]`, whole: true},
	{Code: halfLoginCode, Meaning: "A user has a username and no password, or the other way round, and can't log in.", Example: `{hostUserId: "1009", username: kim}`, whole: true},
	{Code: unknownAccountCode, Meaning: "An alert preference names an account that its user doesn't have.", Example: `accountId: acc-1001-cheking`, whole: true},
	{Code: neverFiresCode, Meaning: "A fault can't fire unless the clock is moved, can't fire at all, or one before it always answers first.", Example: `during: {until: 2020-01-01T00:00:00Z}`, whole: true},
	{Code: unknownParameterCode, Meaning: "A fault is for a query parameter or a body member that its operations don't have, and that is nearly one they have.", Example: `query: {hostuserid: "1001"}`, whole: true},
	{Code: noEffectCode, Meaning: "A key has no effect under the switches or keys beside it.", Example: `cors: {credentials: true}`, whole: true},
	{Code: defaultSwitchCode, Meaning: "A switch is set to its default, and overrides nothing.", Example: `groups: {createStatus: 200}`},
	{Code: sameCode, Meaning: "A value is the same as the inherited one, or an item changes nothing.", Example: `multistatement: true`},
	{Code: hiddenFileCode, Meaning: "The name of a built-in scenario hides a file of the same name.", Example: `extends: base`},
	{Code: unusedIgnoreCode, Meaning: "A comment silences a code that doesn't exist, or that isn't there.", Example: `# banksim:ignore near-ids`},
}

func warningCode(name string) (WarningCode, bool) {
	for _, c := range warningCodes {
		if c.Code == name {
			return c, true
		}
	}
	return WarningCode{}, false
}

func warningNames() []string {
	names := make([]string, len(warningCodes))
	for i, c := range warningCodes {
		names[i] = c.Code
	}
	return names
}
