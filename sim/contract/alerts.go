package contract

import (
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

var onAlerts = []string{"alerts.createPreference"}

// alerts are the decisions about alert preferences.
var alerts = []Entry{
	{
		ID: "alerts.create.status", Operations: onAlerts,
		Question: "Which status has the answer to a created alert preference?",
		Answer:   "201.",
		Basis:    sim.BasisPublished, Source: "public API description; section 4.7 leaves it open",
		Switch: &Switch{
			Key: "alerts.createStatus", Default: "201",
			Alternatives: []Alternative{{"200", "200.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.Itoa(b.Alerts.CreateStatus) },
		},
	},
	{
		ID: "alerts.create.body", Operations: onAlerts,
		Question: "Which members has an alert preference, and of which types?",
		Answer:   "The documented ones, in the request as in the answer.",
		Basis:    sim.BasisDocument, Source: "sections 2.7 and 4.7",
	},
	{
		ID: "alerts.create.answer", Operations: onAlerts,
		Question: "What does the answer hold?",
		Answer:   "The preference as it is stored, with an alertPrefId above 0 that the server assigns.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "alerts.create.members", Operations: onAlerts,
		Question: "Which members are answered?",
		Answer:   "Those that were sent, alertPrefId, institutionId and institutionCustomerId.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID: "alerts.create.client-id", Operations: onAlerts,
		Question: "What happens to an alertPrefId in the body?",
		Answer:   "It is ignored: the server assigns it.",
		Basis:    sim.BasisChoice, Source: "ours; a client must not come to rely on its own",
	},
	{
		ID: "alerts.create.no-effect", Operations: onAlerts,
		Question: "What do allowCallback, defaultPreferences and additionalInfo do?",
		Answer:   "They are stored and answered, and have no effect.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID: "alerts.create.twice", Operations: onAlerts,
		Question: "What comes of the same preference sent twice?",
		Answer:   "Two preferences.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID: "alerts.auth", Operations: onAlerts,
		Question: "Are credentials needed?",
		Answer:   "Yes: an access token; without one 401 CMN_90001.",
		Basis:    sim.BasisChoice, Source: "ours; section 4.7 shows the header",
		Switch: &Switch{
			Key: "alerts.auth", Default: "required",
			Alternatives: []Alternative{{"optional", "No; a token that is there must be valid.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return string(b.Alerts.Auth) },
		},
	},
	{
		ID: "alerts.auth-failure", Operations: onAlerts,
		Question: "What is answered where the Authorization header has no valid access token?",
		Answer:   "401 CMN_90001.",
		Basis:    sim.BasisChoice, Source: ours,
	},
	{
		ID: "alerts.bare-token", Operations: onAlerts,
		Question: "May the Authorization header be the access token alone, without the word Bearer?",
		Answer:   "Yes.",
		Basis:    sim.BasisChoice, Source: "ours; section 5 leaves the format open",
	},
	{
		ID: "alerts.headers", Operations: onAlerts,
		Question: "Are the headers fiid, transactionid and userid needed?",
		Answer:   "Yes; without one of them 400 PRMVAL_10007.",
		Basis:    sim.BasisChoice, Source: "ours; section 4.7 shows the headers, the code is published",
		Switch: &Switch{
			Key: "alerts.headers", Default: "required",
			Alternatives: []Alternative{{"optional", "No: the token's institution and user stand in.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return string(b.Alerts.Headers) },
		},
	},
	{
		ID: "alerts.institution", Operations: onAlerts,
		Question: "What is answered where fiid is unknown, or not the token's institution?",
		Answer:   "400 PRMVAL_10003.",
		Basis:    sim.BasisChoice, Source: "ours; the code is published",
	},
	{
		ID: "alerts.user", Operations: onAlerts,
		Question: "What is answered where userid is unknown, or not the user that the token is bound to?",
		Answer:   "400 PRMVAL_10004.",
		Basis:    sim.BasisChoice, Source: "ours; the code is published",
	},
	{
		ID: "alerts.contradiction", Operations: onAlerts,
		Question: "What is answered where institutionId or institutionCustomerId in the body contradicts the headers?",
		Answer:   "400 PRMVAL_10003 or PRMVAL_10004; an empty one contradicts nothing.",
		Basis:    sim.BasisChoice, Source: "ours; the codes are published",
	},
	{
		ID: "alerts.malformed-body", Operations: onAlerts,
		Question: "What is answered to a body that isn't JSON, or has a member of another type?",
		Answer:   "400 PRMSYS_10002.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "alerts.required-members", Operations: onAlerts,
		Question: "Which members of the body are required?",
		Answer:   "None.",
		Basis:    sim.BasisPublished, Source: "public API description; section 4.7 leaves it open",
		Switch: &Switch{
			Key: "alerts.requiredFields", Default: "",
			Alternatives: []Alternative{{"<names>", "These; without one of them 400 PRMVAL_10012.", sim.BasisPublished}},
			value:        func(b *sim.Behavior) string { return strings.Join(b.Alerts.RequiredFields, ", ") },
		},
	},
	{
		ID: "alerts.channels", Operations: onAlerts,
		Question: "What is answered to a channelTypeName other than EMAIL, SMS, PUSH and WEB?",
		Answer:   "400 PRMVAL_10005.",
		Basis:    sim.BasisPublished, Source: published,
		Switch: &Switch{
			Key: "alerts.knownChannelsOnly", Default: "true",
			Alternatives: []Alternative{{"false", "It is stored.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.FormatBool(b.Alerts.KnownChannelsOnly) },
		},
	},
	{
		ID: "alerts.types", Operations: onAlerts,
		Question: "Which values may alertTypeName have?",
		Answer:   "Any, unless the institution lists its alertTypes: then another one is answered with 400 PRMVAL_10009.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "alerts.error-body", Operations: onAlerts,
		Question: "What does an error look like?",
		Answer:   "{code string, message string}; the message is in the simulator's own words.",
		Basis:    sim.BasisPublished, Source: published,
	},
}
