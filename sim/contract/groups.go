package contract

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
)

// groups is the family of the operations on groups (sections 4.5 and 4.6) and on the jobs that import participants. The
// codes are published. The error body is section 7.2.
var groups = newFamily(Family{
	Parts: []Part{
		{"groups", "Groups", "Experience groups of an institution."},
		{"jobs", "Import jobs", "Jobs that import participants into groups."},
	},
	Prefix:   "/digitalbanking/groups",
	Security: OptionalBearer,
	Scopes:   "groups",
	Refusals: []Refusal{
		{TokenMissing, 401, unauthorized, GroupsAuth},
		{sim.ScopeMissing, 401, unauthorized, EverywhereScopeRefusals},
		{sim.TokenUnknown, 401, unauthorized, GroupsAuthFailure},
		{RequestIDMissing, 400, groupRequestInvalid, GroupsTransactionID},
		{sim.RequestIDReused, 400, groupRequestInvalid, GroupsTransactionIDReuse},
		{sim.InstitutionUnknown, 400, groupRequestInvalid, GroupsInstitution},
		{BodyMalformed, 400, groupRequestInvalid, GroupsCreateBody},
		{sim.GroupInvalid, 400, groupRequestInvalid, GroupsCreateRequired},
		{sim.GroupNameTooLong, 400, groupRequestInvalid, GroupsCreateNameLimit},
		{sim.GroupDescriptionTooLong, 400, groupRequestInvalid, GroupsCreateDescriptionLimit},
		{sim.GroupTypeUnknown, 400, groupRequestInvalid, GroupsCreateTypes},
		{sim.GroupExists, 400, groupTaken, GroupsCreateDuplicateName},
		{sim.GroupIDTaken, 400, groupTaken, GroupsCreateGroupID},
		{sim.GroupUnknown, 400, groupRequestInvalid, GroupsUnknown},
		{sim.GroupBusy, 400, groupFault, GroupsDeleteBusy},
		{NotMultipart, 400, groupRequestInvalid, GroupsUploadContentType},
		{PartsMalformed, 400, groupRequestInvalid, GroupsUploadMalformed},
		{PartMissing, 400, groupRequestInvalid, GroupsUploadParts},
		{sim.JobTypeUnknown, 400, groupRequestInvalid, GroupsUploadType},
		{FileTypeUnknown, 400, groupRequestInvalid, GroupsUploadFileType},
		{sim.UploadEmpty, 400, groupRequestInvalid, GroupsUploadEmpty},
		{sim.JobRunning, 400, groupFault, GroupsUploadBusy},
		{sim.JobUnknown, 400, groupRequestInvalid, JobsUnknown},
		{sim.SortPropertyUnknown, 500, groupFault, GroupsListUnknownSort},
		{RequestInvalid, 400, groupRequestInvalid, EverywhereOtherCodes},
		{InternalFault, 500, groupFault, EverywhereOtherCodes},
	},
	Messages: map[sim.Code]string{
		sim.GroupExists: "a group of this name exists",
		sim.GroupBusy:   "a job of the group is still running",
	},
	ErrorBody:  codeMessage(),
	ErrorCites: []*Entry{GroupsErrorBody},
	Public: &PublicFamily{Refusals: []Refusal{
		{RequestIDMissing, 400, requestIDUnacceptable, GroupsTransactionID},
		{RequestIDMalformed, 400, requestIDUnacceptable, GroupsTransactionID},
	}},
})

// The codes of the family.
const (
	groupRequestInvalid = "2000"
	groupFault          = "2001"
	unauthorized        = "2003"
	groupTaken          = "2004"
)

const groupsPath = "/digitalbanking/groups/v3/groups"

// refusesGroups are the rules that refuse requests of the family.
var refusesGroups = refusesTokens.and(
	RequestIDMissing, sim.RequestIDReused, sim.InstitutionUnknown,
)

// Members of requests about groups.
var (
	groupName        = member("groupName", notBlank(50), required, limited(GroupsCreateRequired, GroupsCreateNameLimit))
	groupDescription = member("groupDescription", Type{JSON: "string", Longest: 450},
		limited(GroupsCreateDescriptionLimit))
	groupType     = member("groupType", oneOf(sim.GroupTypeExperience), cites(GroupsCreateTypes))
	groupPlatform = member("groupPlatform", oneOf(sim.GroupPlatformRetail), cites(GroupsCreateTypes))
)

// GroupsCreate is section 4.5.
var GroupsCreate = groups.operation(Operation{
	InDocument: true,
	Name:       "groups.create", Method: http.MethodPost, Path: groupsPath,
	Summary:    "Create a group",
	About:      "Creates an experience group in an institution, which assigns its id.",
	Parameters: []Parameter{transactionID, namedInstitution},
	Request: sent(
		member("groupId", textType("Ignored, unless a scenario honours it.")),
		groupName, groupDescription, groupType, groupPlatform),
	Changes: true,
	Answers: groupCreated(group),
	Refuses: refusesGroups.and(refusesBodies...).and(
		MediaTypeUnknown, sim.GroupInvalid, sim.GroupNameTooLong, sim.GroupDescriptionTooLong, sim.GroupTypeUnknown,
		sim.GroupIDTaken, sim.GroupExists, sim.GroupExistsInOtherCase, sim.GroupNameHasNUL,
	),
	Public: &PublicForm{
		Request: sent(groupName, groupDescription, groupType, groupPlatform),
		Answers: groupCreated(groupInPublic),
	},
	Uses: []*Entry{
		GroupsCreateStatus, GroupsCreateAnswer, GroupsCreateExperience, GroupsCreateTimestamp, GroupsInstitution,
		GroupsStatusValues, EverywhereRequestID, EverywhereJSON,
	},
})

// groupCreated returns the answers to a create.
func groupCreated(body *Object) []Answer {
	return []Answer{
		{Status: 200, About: "The group is created.", Body: body, Members: GroupsCreateAnswer,
			Switched: GroupsCreateStatus, Value: "200"},
		{Status: 201, About: "The group is created.", Body: body, Members: GroupsCreateAnswer,
			Switched: GroupsCreateStatus, Value: "201"},
	}
}

// GroupsList is section 4.6.
var GroupsList = groups.operation(Operation{
	InDocument: true,
	Name:       "groups.list", Method: http.MethodGet, Path: groupsPath,
	Summary:    "List groups",
	About:      "Lists the active groups of an institution, page by page, with links to the other pages.",
	Parameters: []Parameter{transactionID, namedInstitution, sortOfList, sizeOfList, pageOfList},
	Answers:    []Answer{{Status: 200, About: "A page of groups.", Body: groupPage, Members: GroupsListAnswer}},
	Errors:     []int{401, 500},
	Documented: []int{401, 500},
	Refuses:    refusesGroups.and(sim.SortPropertyUnknown),
	Uses: []*Entry{
		GroupsListAnswer, GroupsListPaging, GroupsListLinks, GroupsInstitution, GroupsStatusValues, EverywhereRequestID,
		EverywhereJSON,
	},
})

var namedInstitution = inHeader("institutionId", "The institution of a request without credentials.",
	false).resting(GroupsInstitution)

// group is the resource of section 2.6.
var group = answered("Group",
	member("groupId", textType("Assigned by the server, unless a scenario honours the client's.")),
	member("groupName", textType("")),
	member("groupDescription", textType("")),
	member("groupType", oneOf(sim.GroupTypeExperience), same),
	member("groupPlatform", oneOf(sim.GroupPlatformRetail), same),
	member("groupLastUpdatedDateTime", matching("", utcPattern), written(GroupsCreateTimestamp)),
	member("groupParticipantCount", integer("", 0)),
	member("groupExperience", object(answered("",
		member("experienceName", textType("")),
		member("experienceId", matching("", uuidPattern)),
		member("groupId", textType("")),
		member("default", boolean("")))), optional),
	member("groupExperienceName", textType(""), optional),
	member("groupStatus", oneOf(sim.GroupStatusActive), same),
)

// groupInPublic is a group in the public dialect. It has an experience only where a scenario says so.
var groupInPublic = group.named("PublicGroup").
	with(member("groupDescription", textType(""), optional))

// groupPage is a page of groups (section 2.6).
var groupPage = pageOf("GroupPage", answered("GroupListItem",
	member("groupId", textType("")),
	member("groupName", textType("")),
	member("groupType", oneOf(sim.GroupTypeExperience), same),
	member("noOfParticipants", integer("", 0)),
	member("links", arrayOf(link), written(GroupsListLinks))))

var (
	onCreateGroup  = []string{"groups.create"}
	onGroupBodies  = []string{"groups.create", "groups.update"}
	onListGroups   = []string{"groups.list"}
	onActiveGroups = []string{"groups.create", "groups.list", "groups.update"}
	onLists        = []string{"groups.list", "jobs.list", "jobs.listErrors"}
	onGroups       = []string{
		"groups.create", "groups.list", "groups.update", "groups.delete", "groups.uploadParticipants",
		"jobs.list", "jobs.get", "jobs.listErrors",
	}
)

// How lists are sorted.
const (
	sortParameter = "By sort=property[,property…][,asc|desc][,ignorecase], repeatable"
	springSort    = "Spring Data reads several properties, several sorts and ignorecase"
)

// The entries about the group operations.
var (
	GroupsCreateStatus = entry("groups.create.status", onCreateGroup, Published, Entry{
		Question: "Which status does a created group get?",
		answer:   "200.",
		source:   published + "; section 4.5 leaves it open",
		Switch: statusSwitch("groups.createStatus", "The status of a successful create.",
			func(b *sim.Behavior) *int { return &b.Groups.CreateStatus }, 200,
			Alternative{"201", "201.", Convention}),
		Public: publicDefault("200"),
	})
	GroupsCreateAnswer = entry("groups.create.answer", onCreateGroup, Documented, Entry{
		Question: "What does the answer to a created group hold?",
		answer: "The group, with the documented members; groupType is EXPERIENCE_GROUP, groupPlatform " +
			"RETAIL_BANKING.",
		source: "sections 2.6 and 4.5",
		Public: publicAnswer("The group, with the members of the document but groupExperience and groupExperienceName.",
			Published, published),
	})
	GroupsCreateExperience = entry("groups.create.experience", onCreateGroup, Documented, Entry{
		Question: "Does a created group answer with groupExperience and groupExperienceName?",
		answer:   "Always.",
		source:   "section 2.6",
		Switch: wordSwitch("groups.experience",
			"Whether created groups show groupExperience and groupExperienceName.",
			func(b *sim.Behavior) *sim.Experience { return &b.Groups.Experience },
			Alternative{"omit", "Never.", Published}),
		Public: publicDefault(string(sim.ExperienceOmit)),
	})
	GroupsCreateExperienceValues = entry("groups.create.experience-values", onCreateGroup, Choice, Entry{
		Question: "What is in groupExperience?",
		answer:   "The group's name, an id of its own, the groupId, and default false.",
		source:   "ours; section 2.6 gives the shape",
	})
	GroupsCreateTimestamp = entry("groups.create.timestamp", onGroupBodies, Published, Entry{
		Question: "How is groupLastUpdatedDateTime written?",
		answer:   "2026-01-15T09:00:00.000Z: milliseconds, UTC.",
		source:   publishedIn(formats),
	})
	GroupsCreateGroupID = entry("groups.create.group-id", onCreateGroup, Published, Entry{
		Question: "What happens to a groupId in the create body?",
		answer:   "It is ignored: the server assigns a UUID.",
		source:   published + "; it has no such member in the body, and a client must not rely on one",
		Switch: wordSwitch("groups.clientGroupId", "Whether a groupId in the create body is honored.",
			func(b *sim.Behavior) *sim.ClientGroupID { return &b.Groups.ClientGroupID },
			Alternative{"honor", "It is taken; one that is taken already is answered with {refused}.", Choice}).
			under(string(sim.ClientGroupIDHonor), sim.GroupIDTaken),
		Permits: true,
		Public: &PublicAnswer{Default: string(sim.ClientGroupIDIgnore), answer: "The body has no such member: it is " +
			"ignored, as any other that the operation doesn't have."},
	})
	GroupsCreateRequired = entry("groups.create.required", onGroupBodies, Published, Entry{
		Question: "Which members of the body of a group are required?",
		answer: "groupName, and not blank; else {refused}. So is a groupId of more than 1,000 characters, where it " +
			"is honored.",
		source: published + "; the limit of a groupId is ours",
	})
	GroupsCreateNUL = entry("groups.create.nul", onGroupBodies, Choice, Entry{
		Question: "May groupName have the character NUL?",
		answer:   "No: it is answered as a blank one.",
		source:   "ours; the code is published",
		Unshown:  "nobody would see the character in a golden exchange",
	})
	GroupsCreateNameLimit = entry("groups.create.name-limit", onGroupBodies, Published, Entry{
		Question: "How long may groupName be?",
		answer:   "50 characters; a longer one is answered with {refused}.",
		Switch: numberSwitch("groups.nameLimit", "How many characters a groupName may have.",
			func(b *sim.Behavior) *int { return &b.Groups.NameLimit }, sim.MaxText, "That many characters."),
		Permits: true,
	})
	GroupsCreateDescriptionLimit = entry("groups.create.description-limit", onGroupBodies, Published, Entry{
		Question: "How long may groupDescription be?",
		answer:   "450 characters; a longer one is answered with {refused}.",
		Switch: numberSwitch("groups.descriptionLimit", "How many characters a groupDescription may have.",
			func(b *sim.Behavior) *int { return &b.Groups.DescriptionLimit }, sim.MaxText, "That many characters."),
		Permits: true,
	})
	GroupsCreateTypes = entry("groups.create.types", onCreateGroup, Choice, Entry{
		Question: "May the body have groupType and groupPlatform?",
		answer: "Yes: EXPERIENCE_GROUP and RETAIL_BANKING, which are the defaults, too; another value is answered " +
			"with {refused}.",
		source: "ours; the values, the defaults and the code are published",
		Public: publicAnswer(
			"Yes: EXPERIENCE_GROUP and RETAIL_BANKING, which are the defaults, too; another value is answered "+
				"with {refused}.",
			Published, published+"; that another value is refused is ours"),
		Permits: true,
	})
	GroupsCreateNoDescription = entry("groups.create.no-description", onCreateGroup, Choice, Entry{
		Question: "What is the groupDescription of a group that was created without one?",
		answer:   "An empty text.",
		source:   "ours; section 2.6 has the member in the answer",
		Public: publicAnswer("It has none: the answer leaves the member out.", Choice,
			"ours; the published answer need not have the member"),
	})
	GroupsCreateDuplicateName = entry("groups.create.duplicate-name", onGroupBodies, Published, Entry{
		Question: "What is answered to a name that another active group of the institution has?",
		source:   publishedIn(errorCodes),
		Switch: wordSwitch("groups.duplicateName",
			"Whether two active groups may have the same name.",
			func(b *sim.Behavior) *sim.DuplicateName { return &b.Groups.DuplicateName },
			Alternative{"allow", "The groups have the same name.", Choice}).
			under(string(sim.DuplicateNameReject), sim.GroupExists),
	})
	GroupsCreateNameCase = entry("groups.create.name-case", onGroupBodies, Choice, Entry{
		Question: "How are names compared?",
		answer:   "Exactly.",
		Switch: wordSwitch("groups.nameCase", "How names of groups are compared.",
			func(b *sim.Behavior) *sim.NameCase { return &b.Groups.NameCase },
			Alternative{"insensitive", "Without regard to case and to blanks around them.", Choice}).
			under(string(sim.NameCaseInsensitive), sim.GroupExistsInOtherCase),
		Permits: true,
		Public:  publicDefault("insensitive"),
	})
	GroupsCreateBody = entry("groups.create.body", onGroupBodies, Published, Entry{
		Question: "What is answered to a body that isn't JSON, or has a member of another type?",
		source:   publishedIn(errorCodes) + "; that it is for a body that can't be read, too, is ours",
	})
	GroupsListAnswer = entry("groups.list.answer", onListGroups, Documented, Entry{
		Question: "What does the list of groups answer?",
		answer:   "200 with links, content and page, and the documented members in each.",
		source:   "sections 2.6 and 4.6",
	})
	GroupsStatusValues = entry("groups.status-values", onActiveGroups, Published, Entry{
		Question: "Which values can groupStatus have?",
		answer: "ACTIVE and DELETED. No answer has DELETED: requests do not find a group that a scenario marks so, " +
			"and its name is free.",
		source: publishedIn("POST /v3/groups", "updateExperienceGroupV3", "GET /v3/groups") +
			"; section 2.6 shows ACTIVE; that its name is free is ours",
	})
	GroupsListPaging = entry("groups.list.paging", onLists, Published, Entry{
		Question: "How is a page asked for?",
		answer:   "By page, from 0 on and by default 0, and size.",
		source:   published + "; Spring Data reads the two so",
	})
	GroupsListDefaultSize = entry("groups.list.default-size", onLists, Published, Entry{
		Question: "How many elements are on a page if the request has no size?",
		answer:   "20.",
		Switch: numberSwitch("groups.defaultPageSize",
			"How many elements a page has if the request doesn't say.",
			func(b *sim.Behavior) *int { return &b.Groups.DefaultPageSize }, maxNumber, "That many."),
	})
	GroupsListMaxSize = entry("groups.list.max-size", onLists, Choice, Entry{
		Question: "How large may size be?",
		answer:   "2000; a larger one counts as 2000, with a lint in the journal.",
		source:   "ours; Spring Data caps it, too",
		Switch: numberSwitch("groups.maxPageSize", "The largest page size.",
			func(b *sim.Behavior) *int { return &b.Groups.MaxPageSize },
			maxNumber, "Up to that number."),
		Permits: true,
	})
	GroupsListFallback = entry("groups.list.fallback", onLists, Convention, Entry{
		Question: "What do page and size mean where they are no number of 32 bits, or below 0 and 1?",
		answer:   "The default.",
		source:   "Spring Data",
		Permits:  true,
	})
	GroupsListPastTheEnd = entry("groups.list.past-the-end", onLists, Convention, Entry{
		Question: "What is answered for a page past the end?",
		answer:   "200 with an empty content.",
		source:   "Spring Data",
		Permits:  true,
	})
	GroupsListSort = entry("groups.list.sort", onListGroups, Published, Entry{
		Question: "How is a list sorted?",
		answer: sortParameter + ". Texts are compared by code point, with ignorecase in lower case; ties are in " +
			"order of creation.",
		source: published + "; " + springSort + ", and the order of texts and ties is ours",
	})
	GroupsListSortProperties = entry("groups.list.sort-properties", onListGroups, Choice, Entry{
		Question: "By which properties can a list of groups be sorted?",
		answer:   "By groupId, groupName, groupType.groupTypeName, and the other members that it shows.",
		source:   "ours; the first three are published",
		Switch: namesSwitch("groups.sortProperties",
			"How groups can be sorted.",
			func(b *sim.Behavior) *[]string { return &b.Groups.SortProperties }, sim.GroupProperties,
			Alternative{"<names>", "By these; another one is unknown.", Choice}),
		Public: publicAnswer("By groupId, groupName and groupType.groupTypeName.", Published, published),
	})
	GroupsListPageable = entry("groups.list.pageable", onLists, Choice, Entry{
		Question: "May page, size and sort be members of an object pageable?",
		answer:   "No: such parameters are ignored.",
		source:   "ours; the published parameters are at the top",
		Permits:  true,
		Public: publicAnswer(
			"Yes, with a lint in the journal: pageable[page] and pageable.page stand for page, and so on, "+
				"where that isn't given.",
			Choice, "ours; it is for clients of versions up to 1.8, which had the object"),
	})
	GroupsListSortMembers = entry("groups.list.sort-members", onListGroups, Choice, Entry{
		Question: "May a list be sorted by the other members that it shows, groupType and noOfParticipants?",
		answer:   "Yes, with a lint in the journal.",
		source:   "ours; section 2.6 has the members",
		Permits:  true,
		Public: publicAnswer("No: each is an unknown property, unless a scenario lists it in groups.sortProperties.",
			Published, published),
	})
	GroupsListOrder = entry("groups.list.order", onListGroups, Convention, Entry{
		Question: "In what order is an unsorted list?",
		answer:   "In order of creation.",
		source:   "Spring Data",
	})
	GroupsListUnknownSort = entry("groups.list.unknown-sort", onLists, Choice, Entry{
		Question: "What is answered to a sort property that the list doesn't have?",
		source:   "ours; section 4.6 has the status",
		Switch: wordSwitch("groups.unknownSort", "Whether an unknown sort property is refused.",
			func(b *sim.Behavior) *sim.UnknownSort { return &b.Groups.UnknownSort },
			Alternative{"ignore", "It is ignored.", Choice}).
			under(string(sim.UnknownSortError), sim.SortPropertyUnknown),
		Permits: true,
	})
	GroupsListLinks = entry("groups.list.links", onLists, Published, Entry{
		Question: "What links does a list have?",
		answer: "first, prev, self, next and last, with absolute addresses on the base URL that the caller used, " +
			"keeping size, sort and groupId. prev is on every page but page 0, next where there is such a page, and " +
			"page 0 of a single page has only self. An element of a list of groups or of errors has an empty array, " +
			"a job of a list its own address as self.",
		source: publishedIn(formats) + "; section 2.6 gives the shape, Spring HATEOAS has the same links",
	})
	GroupsAuth = entry("groups.auth", onGroups, Choice, Entry{
		Question: "Are credentials needed?",
		answer:   "No.",
		source:   "ours; sections 4.5 and 4.6 show none, and what they show succeeds; published says required",
		Switch: wordSwitch("groups.auth",
			"Whether an access token is needed. A sent one must be valid.",
			func(b *sim.Behavior) *sim.Presence { return &b.Groups.Auth },
			Alternative{"required", "A bearer token; without one 401 2003.", Published}).
			under(string(sim.Required), TokenMissing),
		Permits: true,
		Public: &PublicAnswer{Default: string(sim.Required),
			source: publishedIn(requestHeaders, errorCodes)},
	})
	GroupsAuthFailure = entry("groups.auth-failure", onGroups, Published, Entry{
		Question: "What is answered where there is an Authorization header, but no valid bearer token in it?",
		answer:   "401 2003.",
		source:   publishedIn(errorCodes) + "; section 4.6 has the status",
	})
	GroupsInstitution = entry("groups.institution", onGroups, Choice, Entry{
		Question: "To which institution does a request belong?",
		answer: "To the token's; without a token to that of the header institutionId (an unknown one is answered " +
			"with {refused}); without that to the scenario's first.",
		Public: publicAnswer("To the token's; without a token to the scenario's first.", Choice, "ours; for jobs it is published"),
	})
	GroupsTransactionID = entry("groups.transaction-id", onGroups, Choice, Entry{
		Question: "What is answered without the header transactionId?",
		source:   "ours; sections 4.5 and 4.6 require the header, and version 1.3 of the description has another code",
		Public: publicAnswer("{request-id-missing}, and the same to one that is no UUID.", Published,
			publishedIn(version13)+"; version 1.11 has no code for it"),
	})
	GroupsTransactionIDReuse = entry("groups.transaction-id-reuse", onGroups, Choice, Entry{
		Question: "What is answered to a transactionId that was used before?",
		answer:   "What is answered to a new one; the journal has a lint.",
		source:   "ours; section 4.5 asks for a new one for each request",
		Switch: wordSwitch("groups.transactionIdReuse", "What is answered to a transactionId that was used before.",
			func(b *sim.Behavior) *sim.TransactionIDReuse { return &b.Groups.TransactionIDReuse },
			Alternative{"replay", "What was answered to the first request with it, its method and its path, without " +
				"another effect, if the operation changes groups and accepted that; for 24 hours of the bank's clock, " +
				"the newest 1,000 answers.", Choice},
			Alternative{"reject", "{refused}, if the first request was accepted; the last 100,000 are remembered.",
				Choice}).
			under(string(sim.TransactionIDReuseReject), sim.RequestIDReused),
		Permits: true,
	})
	GroupsErrorBody = codeMessageEntry("groups.error-body", onGroups, Documented, "section 7.2")
)
