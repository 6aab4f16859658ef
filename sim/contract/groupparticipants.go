package contract

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
)

const participantsPath = groupPath + "/participants"

// GroupsUploadParticipants starts an import job (published).
var GroupsUploadParticipants = groups.operation(Operation{
	Name: "groups.uploadParticipants", Method: http.MethodPut, Path: participantsPath,
	PublishedID: "uploadExperienceGroupParticipantsV3",
	Summary:     "Import participants into a group",
	About: "Starts a job that adds the participants of a file to a group, removes them, or makes them all that it " +
		"has. The job checks the rows of the file; what it comes to is read by the operations of jobs.",
	Parameters: []Parameter{groupID, transactionID, namedInstitution},
	Multipart:  GroupsUploadOperation,
	Request: sent(
		member("type", Type{JSON: "string", Enum: sim.JobTypes, EnumCites: GroupsUploadType}, required,
			cites(GroupsUploadOperation)),
		member("fileName", Type{JSON: "string", About: "The CSV file: a line ParticipantId, then a line for each " +
			"participant.",
			FileTypes: []string{"text/csv", "application/vnd.ms-excel"}}, required, cites(GroupsUploadOperation))),
	Changes: true,
	Answers: []Answer{{Status: 200, About: "The job is started.", Members: GroupsUploadAnswer,
		Body: answered("ImportStarted",
			member("code", oneOf(done), same, cites(GroupsUploadAnswer)),
			member("message", textType("Names the file, the group and the job."), cites(GroupsUploadAnswer)),
			member("jobId", matching("", uuidPattern), cites(GroupsUploadAnswer)),
			member("jobStatus", oneOf(sim.JobStatusCreated), same, cites(GroupsUploadAnswer)))}},
	Refuses: refusesGroups.and(NotMultipart, PartsMalformed, PartMissing, sim.JobTypeUnknown, FileTypeUnknown,
		sim.UploadEmpty, sim.GroupUnknown, sim.JobRunning),
	Uses: []*Entry{
		GroupsUploadOperation, GroupsUploadAnswer, GroupsInstitution, JobsCreatedFor, JobsProcessingFor, JobsEffect,
		EverywhereRequestID,
	},
})

var onUpload = []string{"groups.uploadParticipants"}

// The entries about imports of participants.
var (
	GroupsUploadOperation = operationEntry("groups.upload.operation", onUpload, "changes the participants of a group",
		"PUT "+participantsPath+" with a multipart body whose parts are type and fileName, a CSV file. It starts an "+
			"import job; 200.")
	GroupsUploadAnswer = entry("groups.upload.answer", onUpload, Published, Entry{
		Question: "What does the answer to an upload hold?",
		answer: "code " + done + ", a message that names the file, the groupId and the jobId, the jobId, and " +
			"jobStatus CREATED.",
	})
	GroupsUploadSize = entry("groups.upload.size", onUpload, Published, Entry{
		Question: "How large may the body of an upload be?",
		answer:   "10 MiB; a larger one is refused as any body that is too large.",
		Switch: numberSwitch("limits.uploadKiB", "How large an upload of participants may be.",
			func(b *sim.Behavior) *int { return &b.Limits.UploadKiB }, maxNumber, "That many KiB."),
		Unshown: "a body of ten megabytes is too large for a golden exchange",
	})
	GroupsUploadContentType = refusalEntry("groups.upload.content-type", onUpload, Published,
		"to an upload whose Content-Type is neither multipart/form-data nor multipart/mixed")
	GroupsUploadParts = refusalEntry("groups.upload.parts", onUpload, Published,
		"to an upload without the part type or the part fileName")
	GroupsUploadMalformed = entry("groups.upload.malformed", onUpload, Choice, Entry{
		Question: "What is answered to an upload whose parts can't be read?",
		answer: "{refused}: parts that are cut off or given twice, a file without a filename, one of more than 255 " +
			"bytes.",
	})
	GroupsUploadType = entry("groups.upload.type", onUpload, Published, Entry{
		Question: "Which values may the part type have?",
		answer:   "ADD, REMOVE and REPLACE; another one is answered with {refused}.",
	})
	GroupsUploadTypeCase = entry("groups.upload.type-case", onUpload, Published, Entry{
		Question: "May the part type be in lower case?",
		answer:   "Yes.",
		Permits:  true,
	})
	GroupsUploadFileType = entry("groups.upload.file-type", onUpload, Choice, Entry{
		Question: "Which content types may the file have?",
		answer:   "text/csv and application/vnd.ms-excel; another one, or none, is answered with {refused}.",
		source:   "ours; the two types and the code are published",
	})
	GroupsUploadEmpty       = refusalEntry("groups.upload.empty", onUpload, Published, "to a file without content")
	GroupsUploadUnknownPart = entry("groups.upload.unknown-part", onUpload, Choice, Entry{
		Question: "What happens to parts that the operation doesn't have?",
		answer:   "They are ignored, with a lint in the journal.",
		Permits:  true,
	})
	GroupsUploadBusy = refusalEntry("groups.upload.busy", onUpload, Published,
		"to an upload while a job of the group is running")
)
