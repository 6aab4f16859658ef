package contract

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
)

const groupPath = groupsPath + "/{groupId}"

var (
	groupID = inPath("groupId", "The group.")

	unchangedType     = member("groupType", textType("Ignored: it never changes."), cites(GroupsUpdateIgnored))
	unchangedPlatform = member("groupPlatform", textType("Ignored: it never changes."), cites(GroupsUpdateIgnored))
)

// done is the code of an answer that is no error.
const done = "1000"

// GroupsUpdate replaces the name and the description of a group (published).
var GroupsUpdate = groups.operation(Operation{
	Name: "groups.update", Method: http.MethodPut, Path: groupPath,
	PublishedID: "updateExperienceGroupV3",
	Summary:     "Update a group",
	About: "Replaces the name and the description of an active group. Its type, its platform and its " +
		"participants stay.",
	Parameters: []Parameter{groupID, transactionID, namedInstitution},
	Request: sent(
		member("groupId", textType("Ignored: the path names the group."), cites(GroupsUpdateIgnored)),
		groupName, groupDescription, unchangedType, unchangedPlatform),
	Changes: true,
	Answers: []Answer{{Status: 200, About: "The group is updated.", Body: group, Members: GroupsUpdateAnswer}},
	Refuses: refusesGroups.and(refusesBodies...).and(
		MediaTypeUnknown, sim.GroupInvalid, sim.GroupNameTooLong, sim.GroupDescriptionTooLong, sim.GroupUnknown,
		sim.GroupExists, sim.GroupExistsInOtherCase, sim.GroupNameHasNUL,
	),
	Public: &PublicForm{
		Request: sent(groupName, groupDescription, unchangedType, unchangedPlatform),
		Answers: []Answer{
			{Status: 200, About: "The group is updated.", Body: groupInPublic, Members: GroupsUpdateAnswer},
		},
	},
	Uses: []*Entry{
		GroupsUpdateOperation, GroupsUpdateAnswer, GroupsUpdateEffect, GroupsCreateTimestamp, GroupsInstitution,
		GroupsStatusValues, EverywhereRequestID, EverywhereJSON,
	},
})

// GroupsDelete deletes a group (published).
var GroupsDelete = groups.operation(Operation{
	Name: "groups.delete", Method: http.MethodDelete, Path: groupPath,
	PublishedID: "deleteExperienceGroupV3",
	Summary:     "Delete a group",
	About:       "Deletes an active group for good, with its participants and its import jobs.",
	Parameters:  []Parameter{groupID, transactionID, namedInstitution},
	Changes:     true,
	Answers: []Answer{{Status: 200, About: "The group is deleted.", Members: GroupsDeleteAnswer,
		Body: answered("GroupDeleted",
			member("code", oneOf(done), same, cites(GroupsDeleteAnswer)),
			member("message", textType("Names the group."), cites(GroupsDeleteAnswer)))}},
	Refuses: refusesGroups.and(sim.GroupUnknown, sim.GroupBusy),
	Uses: []*Entry{
		GroupsDeleteOperation, GroupsDeleteAnswer, GroupsDeleteEffect, GroupsInstitution, EverywhereRequestID,
		EverywhereJSON,
	},
})

var (
	onUpdateGroup = []string{"groups.update"}
	onDeleteGroup = []string{"groups.delete"}
	onNamedGroup  = []string{"groups.update", "groups.delete", "groups.uploadParticipants"}
)

// The entries about changes of groups.
var (
	GroupsUpdateOperation = operationEntry("groups.update.operation", onUpdateGroup, "updates a group",
		"PUT "+groupPath+" with the members groupName and groupDescription; 200.")
	GroupsUpdateAnswer = entry("groups.update.answer", onUpdateGroup, Published, Entry{
		Question: "What does the answer to an updated group hold?",
		answer:   "The group, as a created one, without groupExperience and groupExperienceName.",
	})
	GroupsUpdateEffect = entry("groups.update.effect", onUpdateGroup, Published, Entry{
		Question: "What does an update change?",
		answer:   "groupName, groupDescription and groupLastUpdatedDateTime. A group may keep its name.",
	})
	GroupsUpdateNoDescription = entry("groups.update.no-description", onUpdateGroup, Published, Entry{
		Question: "What does an update without groupDescription do?",
		answer:   "It removes the description; the answer has an empty text.",
		source:   published + "; section 2.6 has the member in the answer, and the empty text is ours",
		Public: publicAnswer("It removes the description; the answer leaves the member out.", Published,
			published+"; the answer need not have the member, and that it is left out is ours"),
	})
	GroupsUpdateIgnored = entry("groups.update.ignored", onUpdateGroup, Published, Entry{
		Question: "What do groupId, groupType and groupPlatform in the body of an update do?",
		answer:   "Nothing: the path names the group, and the other two never change. There is a lint in the journal.",
		source:   publishedIn(itsOperations, version13) + "; version 1.3 has the groupId",
		Public: publicAnswer(
			"Nothing: groupType and groupPlatform never change, with a lint in the journal, and the body "+
				"has no groupId.",
			Published, published),
		Permits: true,
	})
	GroupsUnknown = entry("groups.unknown", onNamedGroup, Published, Entry{
		Question: "What is answered where groupId in the path names no active group of the institution?",
		answer:   "{refused}, whether it is malformed, unknown or that of a deleted group.",
		source:   publishedIn(errorCodes),
	})
	GroupsDeleteOperation = operationEntry("groups.delete.operation", onDeleteGroup, "deletes a group",
		"DELETE "+groupPath+" without a body; 200.")
	GroupsDeleteAnswer = entry("groups.delete.answer", onDeleteGroup, Published, Entry{
		Question: "What does the answer to a deleted group hold?",
		answer:   "{code string, message string} with the code " + done + "; the message names the groupId.",
	})
	GroupsDeleteEffect = entry("groups.delete.effect", onDeleteGroup, Published, Entry{
		Question: "What does a deletion take along?",
		answer:   "The group's participants and its import jobs, for good; its name is free.",
		source:   published + "; that the name is free is ours",
	})
	GroupsDeleteBusy = entry("groups.delete.busy", onDeleteGroup, Choice, Entry{
		Question: "What is answered to the deletion of a group one of whose jobs is running?",
		source:   "ours; a group must qualify for its deletion, and the rule isn't published",
	})
)
