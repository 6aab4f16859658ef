package contract

import (
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
)

var (
	onCreateGroup = []string{"groups.create"}
	onListGroups  = []string{"groups.list"}
	onGroups      = []string{"groups.create", "groups.list"}
)

// groups are the decisions about the group operations.
var groups = []Entry{
	{
		ID: "groups.create.status", Operations: onCreateGroup,
		Question: "Which status has the answer to a created group?",
		Answer:   "200.",
		Basis:    sim.BasisPublished, Source: "public API description; section 4.5 leaves it open",
		Switch: &Switch{
			Key: "groups.createStatus", Default: "200",
			Alternatives: []Alternative{{"201", "201.", sim.BasisConvention}},
			value:        func(b *sim.Behavior) string { return strconv.Itoa(b.Groups.CreateStatus) },
		},
	},
	{
		ID: "groups.create.answer", Operations: onCreateGroup,
		Question: "What does the answer to a created group hold?",
		Answer:   "The group, with the documented members; groupType is EXPERIENCE_GROUP, groupPlatform RETAIL_BANKING.",
		Basis:    sim.BasisDocument, Source: "sections 2.6 and 4.5",
	},
	{
		ID: "groups.create.experience", Operations: onCreateGroup,
		Question: "Does a created group answer with groupExperience and groupExperienceName?",
		Answer:   "Always.",
		Basis:    sim.BasisDocument, Source: "section 2.6",
		Switch: &Switch{
			Key: "groups.experience", Default: "emit",
			Alternatives: []Alternative{{"omit", "Never.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return string(b.Groups.Experience) },
		},
	},
	{
		ID: "groups.create.experience-values", Operations: onCreateGroup,
		Question: "What is in groupExperience?",
		Answer:   "The group's name, an id of its own, the groupId, and default false.",
		Basis:    sim.BasisChoice, Source: "ours; section 2.6 gives the shape",
	},
	{
		ID: "groups.create.timestamp", Operations: onCreateGroup,
		Question: "How is groupLastUpdatedDateTime written?",
		Answer:   "2026-01-15T09:00:00.000Z: milliseconds, UTC.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "groups.create.group-id", Operations: onCreateGroup,
		Question: "What happens to a groupId in the create body?",
		Answer:   "It is ignored: the server assigns a UUID.",
		Basis:    sim.BasisPublished, Source: principle2,
		Switch: &Switch{
			Key: "groups.clientGroupId", Default: "ignore",
			Alternatives: []Alternative{{"honor", "It is taken; one that is taken already is answered with 400 2004.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return string(b.Groups.ClientGroupID) },
		},
	},
	{
		ID: "groups.create.required", Operations: onCreateGroup,
		Question: "Which members of the create body are required?",
		Answer:   "groupName, and not blank; else 400 2000.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "groups.create.name-limit", Operations: onCreateGroup,
		Question: "How long may groupName be?",
		Answer:   "50 characters; a longer one is answered with 400 2000.",
		Basis:    sim.BasisPublished, Source: published,
		Switch: &Switch{
			Key: "groups.nameLimit", Default: "50",
			Alternatives: []Alternative{{"<number>", "So many characters.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.Itoa(b.Groups.NameLimit) },
		},
	},
	{
		ID: "groups.create.description-limit", Operations: onCreateGroup,
		Question: "How long may groupDescription be?",
		Answer:   "450 characters; a longer one is answered with 400 2000.",
		Basis:    sim.BasisPublished, Source: published,
		Switch: &Switch{
			Key: "groups.descriptionLimit", Default: "450",
			Alternatives: []Alternative{{"<number>", "So many characters.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.Itoa(b.Groups.DescriptionLimit) },
		},
	},
	{
		ID: "groups.create.duplicate-name", Operations: onCreateGroup,
		Question: "What is answered to a name that an active group of the institution has, compared exactly?",
		Answer:   "400 2004.",
		Basis:    sim.BasisPublished, Source: published,
		Switch: &Switch{
			Key: "groups.duplicateName", Default: "reject",
			Alternatives: []Alternative{{"allow", "The group is created.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return string(b.Groups.DuplicateName) },
		},
	},
	{
		ID: "groups.create.body", Operations: onCreateGroup,
		Question: "What is answered to a body that isn't JSON, or has a member of another type?",
		Answer:   "400 2000.",
		Basis:    sim.BasisPublished, Source: published,
	},
	{
		ID: "groups.list.answer", Operations: onListGroups,
		Question: "What does the list of groups answer?",
		Answer:   "200 with links, content and page, and the documented members in each.",
		Basis:    sim.BasisDocument, Source: "sections 2.6 and 4.6",
	},
	{
		ID: "groups.status-values", Operations: onGroups,
		Question: "Which values has groupStatus?",
		Answer:   "ACTIVE and, where a scenario says so, DELETED: such a group isn't listed, and its name is free.",
		Basis:    sim.BasisPublished, Source: "public API description; section 2.6 shows ACTIVE",
	},
	{
		ID: "groups.list.paging", Operations: onListGroups,
		Question: "How is a page asked for?",
		Answer:   "By page, from 0 on and by default 0, and size.",
		Basis:    sim.BasisPublished, Source: "public API description, as Spring Data reads the two",
	},
	{
		ID: "groups.list.default-size", Operations: onListGroups,
		Question: "How many groups has a page whose size is not asked for?",
		Answer:   "20.",
		Basis:    sim.BasisPublished, Source: published,
		Switch: &Switch{
			Key: "groups.defaultPageSize", Default: "20",
			Alternatives: []Alternative{{"<number>", "So many.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.Itoa(b.Groups.DefaultPageSize) },
		},
	},
	{
		ID: "groups.list.max-size", Operations: onListGroups,
		Question: "How large may size be?",
		Answer:   "2000.",
		Basis:    sim.BasisPublished, Source: published,
		Switch: &Switch{
			Key: "groups.maxPageSize", Default: "2000",
			Alternatives: []Alternative{{"<number>", "So large.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return strconv.Itoa(b.Groups.MaxPageSize) },
		},
	},
	{
		ID: "groups.list.fallback", Operations: onListGroups,
		Question: "What do page and size mean where they are no number, or out of range?",
		Answer:   "The default.",
		Basis:    sim.BasisConvention, Source: "Spring Data",
	},
	{
		ID: "groups.list.past-the-end", Operations: onListGroups,
		Question: "What is answered for a page past the end?",
		Answer:   "200 with an empty content.",
		Basis:    sim.BasisConvention, Source: "Spring Data",
	},
	{
		ID: "groups.list.sort", Operations: onListGroups,
		Question: "How is a list sorted?",
		Answer: "By sort=property[,property…][,asc|desc], repeatable; the properties are groupId, groupName, groupType and noOfParticipants. " +
			"Texts are compared by code point, ties stand in order of creation.",
		Basis: sim.BasisPublished, Source: "public API description, as Spring Data reads it",
	},
	{
		ID: "groups.list.order", Operations: onListGroups,
		Question: "In what order is a list that is not sorted?",
		Answer:   "In order of creation.",
		Basis:    sim.BasisConvention, Source: "Spring Data",
	},
	{
		ID: "groups.list.unknown-sort", Operations: onListGroups,
		Question: "What is answered to a sort property that a group doesn't have?",
		Answer:   "500 2001.",
		Basis:    sim.BasisChoice, Source: "ours, within the statuses of section 4.6",
		Switch: &Switch{
			Key: "groups.unknownSort", Default: "error",
			Alternatives: []Alternative{{"ignore", "It is passed over.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return string(b.Groups.UnknownSort) },
		},
	},
	{
		ID: "groups.list.links", Operations: onListGroups,
		Question: "What links does a list have?",
		Answer: "first, prev, self, next and last, where there is such a page, with absolute addresses on the base URL that the caller " +
			"used, keeping size and sort; items have an empty array.",
		Basis: sim.BasisConvention, Source: "Spring HATEOAS; section 2.6 gives the shape",
	},
	{
		ID: "groups.auth", Operations: onGroups,
		Question: "Are credentials needed?",
		Answer:   "No.",
		Basis:    sim.BasisChoice, Source: "ours: sections 4.5 and 4.6 show none, and what they show succeeds; published says required",
		Switch: &Switch{
			Key: "groups.auth", Default: "optional",
			Alternatives: []Alternative{{"required", "A bearer token; without one 401 2003.", sim.BasisPublished}},
			value:        func(b *sim.Behavior) string { return string(b.Groups.Auth) },
		},
	},
	{
		ID: "groups.auth-failure", Operations: onGroups,
		Question: "What is answered where there is an Authorization header, but no valid bearer token in it?",
		Answer:   "401 2003.",
		Basis:    sim.BasisPublished, Source: "public API description; section 4.6 has the status",
	},
	{
		ID: "groups.institution", Operations: onGroups,
		Question: "To which institution does a request belong?",
		Answer: "To the token's; without a token to that of the header institutionId (an unknown one is answered with 400 2000); " +
			"without that to the scenario's first.",
		Basis: sim.BasisChoice, Source: ours,
	},
	{
		ID: "groups.transaction-id", Operations: onGroups,
		Question: "What is answered without the header transactionId?",
		Answer:   "400 2000.",
		Basis:    sim.BasisPublished, Source: "public API description; sections 4.5 and 4.6 require the header",
	},
	{
		ID: "groups.transaction-id-reuse", Operations: onGroups,
		Question: "What is answered to a transactionId that was used before?",
		Answer:   "What is answered to a new one; the journal has a lint.",
		Basis:    sim.BasisChoice, Source: "ours; section 4.5 asks for a new one for each request",
		Switch: &Switch{
			Key: "groups.transactionIdReuse", Default: "allow",
			Alternatives: []Alternative{{"reject", "400 2000; the last 100,000 are remembered.", sim.BasisChoice}},
			value:        func(b *sim.Behavior) string { return string(b.Groups.TransactionIDReuse) },
		},
	},
	{
		ID: "groups.server-fault", Operations: onGroups,
		Question: "What is answered to an unexpected fault?",
		Answer:   "500 2001.",
		Basis:    sim.BasisPublished, Source: "public API description; section 4.6 has the status",
		Unshown: "no request is known that makes the simulator fail",
	},
	{
		ID: "groups.error-body", Operations: onGroups,
		Question: "What does an error look like?",
		Answer:   "{code string, message string}; the message is in the simulator's own words.",
		Basis:    sim.BasisDocument, Source: "section 7.2",
	},
}
