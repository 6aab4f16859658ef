package contract

import (
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

const (
	jobsPath = "/digitalbanking/groups/v3/jobs"
	jobPath  = jobsPath + "/{jobId}"
)

var (
	jobID       = inPath("jobId", "The job.")
	jobsOfGroup = inQuery("groupId", "Only jobs of this group.", false, textType(""))
)

// JobsList lists import jobs (published).
var JobsList = groups.operation(Operation{
	Name: "jobs.list", Method: http.MethodGet, Path: jobsPath,
	PublishedID: "listJobsV3",
	Summary:     "List import jobs",
	About:       "Lists the import jobs of an institution, or of one of its groups, page by page, the newest first.",
	Parameters:  []Parameter{transactionID, namedInstitution, jobsOfGroup, sortOfList, sizeOfList, pageOfList},
	Answers: []Answer{
		{Status: 200, About: "A page of jobs.", Body: pageOf("JobPage", jobOfList), Members: JobsListOperation},
	},
	Errors:  []int{401, 500},
	Refuses: refusesGroups.and(sim.SortPropertyUnknown),
	Uses: slices.Concat([]*Entry{JobsListOperation}, usesOfJobs, []*Entry{
		GroupsListPaging, GroupsListLinks, GroupsInstitution, EverywhereRequestID, EverywhereJSON,
	}),
})

// JobsGet reads an import job (published).
var JobsGet = groups.operation(Operation{
	Name: "jobs.get", Method: http.MethodGet, Path: jobPath,
	PublishedID: "getJobV3",
	Summary:     "An import job",
	About:       "Reads the state of an import job. Clients ask until it is neither CREATED nor PROCESSING.",
	Parameters:  []Parameter{jobID, transactionID, namedInstitution},
	Answers:     []Answer{{Status: 200, About: "The job.", Body: job, Members: JobsGetOperation}},
	Errors:      []int{401, 500},
	Refuses:     refusesGroups.and(sim.JobUnknown),
	Uses: slices.Concat([]*Entry{JobsGetOperation}, usesOfJobs,
		[]*Entry{GroupsInstitution, EverywhereRequestID, EverywhereJSON}),
})

// JobsListErrors lists the errors of an import job (published).
var JobsListErrors = groups.operation(Operation{
	Name: "jobs.listErrors", Method: http.MethodGet, Path: jobPath + "/errors",
	PublishedID: "getJobErrorsV3",
	Summary:     "List the errors of an import job",
	About:       "Lists what is wrong with the rows of a job's file, page by page, in the order of its lines.",
	Parameters:  []Parameter{jobID, transactionID, namedInstitution, sortOfList, sizeOfList, pageOfList},
	Answers: []Answer{{Status: 200, About: "A page of errors.", Members: JobsErrorsOperation,
		Body: pageOf("JobErrorPage", answered("JobError",
			member("lineNbr", integer("Of the file, from 1.", 1), cites(JobsErrorsOperation)),
			member("errorMsg", textType(""), cites(JobsErrorsOperation)),
			member("links", arrayOf(link), written(GroupsListLinks))))}},
	Refuses: refusesGroups.and(sim.JobUnknown, sim.SortPropertyUnknown),
	Uses: []*Entry{
		JobsErrorsOperation, JobsErrorsLines, GroupsListPaging, GroupsListLinks, GroupsInstitution, EverywhereRequestID,
		EverywhereJSON,
	},
})

// job is an import job (published).
var job = answered("Job", allResting(JobsMembers,
	member("jobId", textType("")),
	member("groupId", textType("")),
	member("groupName", textType("The name of the group as it is now.")),
	member("groupType", oneOf(sim.GroupTypeExperience), same),
	member("inputFileName", textType("")),
	member("workingFileName", textType(""), written(JobsWorkingFileName)),
	member("type", oneOf(sim.JobTypes...), same),
	member("totalRecordsCount", integer("Rows of the file, without its header.", 0)),
	member("successRecordsCount", integer("", 0)),
	member("failedRecordsCount", integer("", 0)),
	member("jobStatus", oneOf(sim.JobStatuses...), same),
	member("jobDetails", textType(""), optional),
	member("jobCreatedBy", textType(""), written(JobsCreatedBy)),
	member("createdDateTime", matching("", utcPattern)),
	member("lastUpdatedDateTime", matching("", utcPattern)),
)...)

// jobOfList is a job in a list.
var jobOfList = job.named("JobListItem").with(member("links", arrayOf(link), written(GroupsListLinks)))

// usesOfJobs are the entries behind every job in an answer.
var usesOfJobs = []*Entry{
	JobsMembers, JobsStatusValues, JobsCreatedFor, JobsProcessingFor, JobsEffect, JobsCounts, JobsGroupName,
	JobsWorkingFileName, JobsCreatedBy,
}

var (
	onListJobs  = []string{"jobs.list"}
	onJobErrors = []string{"jobs.listErrors"}
	onNamedJob  = []string{"jobs.get", "jobs.listErrors"}
	onJobs      = []string{"jobs.list", "jobs.get"}
	onImports   = []string{"groups.uploadParticipants", "jobs.list", "jobs.get"}
	onRows      = []string{"groups.uploadParticipants", "jobs.list", "jobs.get", "jobs.listErrors", "groups.list"}
)

// The entries about import jobs.
var (
	JobsListOperation = operationEntry("jobs.list.operation", onListJobs, "lists import jobs",
		"GET "+jobsPath+" with groupId, page, size and sort, all optional; 200 with links, content and page.")
	JobsListOrder = entry("jobs.list.order", onListJobs, Published, Entry{
		Question: "In what order is an unsorted list of jobs?",
		answer:   "The newest comes first.",
		source:   publishedIn(version13),
	})
	JobsListSort = entry("jobs.list.sort", onListJobs, Published, Entry{
		Question: "How is a list of jobs sorted?",
		answer: sortParameter + "; the properties are insertDateTime and, without groupId, group.groupName. Ties are " +
			"in order of creation, with insertDateTime,desc the newest first.",
		source: published + "; " + springSort + ", and the order of ties is ours",
	})
	JobsListUnknownGroup = entry("jobs.list.unknown-group", onListJobs, Choice, Entry{
		Question: "What is answered where groupId in the query names no group?",
		answer:   "200 with an empty content.",
		Permits:  true,
	})
	JobsGetOperation = operationEntry("jobs.get.operation", onNamedJob[:1], "reads an import job",
		"GET "+jobPath+"; 200 with the job.")
	JobsErrorsOperation = operationEntry("jobs.errors.operation", onJobErrors,
		"lists what is wrong with the rows of a job's file",
		"GET "+jobPath+"/errors with page, size and sort, all optional; 200 with links, content and page.")
	JobsErrorsLines = entry("jobs.errors.lines", onJobErrors, Published, Entry{
		Question: "How are the lines of a file counted?",
		answer:   "From 1: the first row of data is line 2.",
	})
	JobsErrorsOrder = entry("jobs.errors.order", onJobErrors, Choice, Entry{
		Question: "In what order is an unsorted list of errors?",
		answer:   "In the order of the lines.",
	})
	JobsErrorsSort = entry("jobs.errors.sort", onJobErrors, Published, Entry{
		Question: "How is a list of errors sorted?",
		answer:   sortParameter + "; the properties are lineNbr and errorMsg. Ties are in the order of the lines.",
		source:   published + "; " + springSort + ", and the order of ties is ours",
	})
	JobsErrorsKept = entry("jobs.errors.kept", onJobErrors, Choice, Entry{
		Question: "How many errors of a job are listed?",
		answer:   "The first 10,000; failedRecordsCount counts all.",
		Unshown:  "a file of 10,000 rows is too large for a golden exchange",
	})
	JobsUnknown = entry("jobs.unknown", onNamedJob, Published, Entry{
		Question: "What is answered where jobId in the path names no job of the institution?",
		answer:   "{refused}, whether it is malformed, unknown or that of a job that went with its group.",
		source: publishedIn(errorCodes, "getJobErrorsV3") + "; getJobV3 lists no such status, so that it answers so, " +
			"and so does a malformed jobId, is ours",
	})
	JobsMembers = entry("jobs.members", onJobs, Published, Entry{
		Question: "Which members does a job have?",
		answer: "jobId, groupId, groupName, groupType, inputFileName, workingFileName, type, totalRecordsCount, " +
			"successRecordsCount, failedRecordsCount, jobStatus, jobDetails, jobCreatedBy, createdDateTime and " +
			"lastUpdatedDateTime; in a list links, too. jobDetails is there with PARTIAL_SUCCESS and FAILED, and " +
			"where a scenario gives it.",
	})
	JobsStatusValues = entry("jobs.status-values", onJobs, Published, Entry{
		Question: "Which values can jobStatus have?",
		answer: "CREATED, PROCESSING, and at the end SUCCESSFUL if no row is in error, PARTIAL_SUCCESS if some are " +
			"good, FAILED if none is, or the first line isn't ParticipantId. CANCELLED and UNKNOWN come from a " +
			"scenario only.",
		source: published + "; that FAILED means that no row is good is ours",
	})
	JobsCreatedFor = entry("jobs.created-for", onImports, Choice, Entry{
		Question: "How long is a job CREATED?",
		answer:   "1 second of the sandbox's clock.",
		source:   "ours; published examples take 5 to 98 seconds in all",
		Switch: lifetimeSwitch("jobs.createdFor", "How long a job is CREATED, on the virtual clock.",
			func(b *sim.Behavior) *time.Duration { return &b.Jobs.CreatedFor }),
	})
	JobsProcessingFor = entry("jobs.processing-for", onImports, Choice, Entry{
		Question: "How long is a job then PROCESSING?",
		answer:   "2 seconds of the sandbox's clock. A job that has ended stays so if the clock is moved back.",
		source:   "ours; published examples take 5 to 98 seconds in all",
		Switch: lifetimeSwitch("jobs.processingFor", "How long a job is then PROCESSING, on the virtual clock.",
			func(b *sim.Behavior) *time.Duration { return &b.Jobs.ProcessingFor }),
	})
	JobsEffect = entry("jobs.effect", onImports, Choice, Entry{
		Question: "When do the participants of the group change?",
		answer:   "All at once, with the final status. groupLastUpdatedDateTime stays.",
	})
	JobsCounts = entry("jobs.counts", onJobs, Choice, Entry{
		Question: "What do the counts of a job say before its end?",
		answer:   "0.",
	})
	JobsGroupName = entry("jobs.group-name", onJobs, Choice, Entry{
		Question: "Which groupName does a job have after its group got another name?",
		answer:   "The present one.",
	})
	JobsWorkingFileName = entry("jobs.working-file-name", onJobs, Published, Entry{
		Question: "What is workingFileName?",
		answer: "INSTITUTION/uploads/INSTITUTION-MILLISECONDS-FILE: the institutionId, the time of the upload " +
			"since 1970, inputFileName.",
	})
	JobsCreatedBy = entry("jobs.created-by", onJobs, Choice, Entry{
		Question: "What is jobCreatedBy?",
		answer: "The institutionId, a dot, and the user name of the token's user, or its hostUserId if it has none; " +
			"for a token without a user the client's shared key; without a token the word anonymous.",
		source: "ours; published shows five digits, a dot and a login name",
	})
	JobsRows = entry("jobs.rows", onRows, Published, Entry{
		Question: "Which rows of a file are in error?",
		answer: "Those with more or fewer columns than one, without an id, with an id of more than 32 characters, of " +
			"another form than printable ASCII without spaces and quotes, or the id of an earlier row.",
		source: publishedIn("getJobErrorsV3", version13) + "; the form of an id is ours",
	})
	JobsHeader = entry("jobs.header", onRows, Choice, Entry{
		Question: "What comes of a file whose first line isn't ParticipantId?",
		answer:   "The job ends FAILED, with one error, on line 1, and counts no rows.",
	})
	JobsGoodRows = entry("jobs.good-rows", onRows, Choice, Entry{
		Question: "What comes of the good rows where others are in error?",
		answer: "They count: with REPLACE they become the membership. Where no row is good, the participants stay " +
			"as they are.",
	})
	JobsNoChange = entry("jobs.no-change", onRows, Choice, Entry{
		Question: "Is it an error to add a participant that the group has or who is no user, or to remove one that " +
			"it doesn't have?",
		answer: "No: such a row is good.",
	})
	JobsUnnamed = entry("jobs.unnamed", onRows, Choice, Entry{
		Question: "What happens to participants that a scenario counts, but doesn't name?",
		answer:   "They stay until a REPLACE; REMOVE can't name them.",
	})
)
