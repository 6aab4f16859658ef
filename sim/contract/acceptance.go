package contract

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The values of the switch. Accept turns the refusals of an entry off. The other value turns them on again, where an
// extended scenario has Accept.
const (
	Accept   = "accept"
	refuse   = "refuse"
	refusals = "refusals" // the key
)

// acceptance is what the bank does where a scenario accepts what an entry refuses.
type acceptance struct {
	entry *Entry
	rules []sim.Code // that no longer refuse
	does  string
}

// acceptances are all entries whose refusals a scenario can turn off: their basis is choice, or not every tenant
// enforces them, and the operation can go on without them.
var acceptances = []acceptance{
	{TokensIssueTransactionID, refusesRequestIDs, withoutRequestID},
	{CodesTransactionID, refusesRequestIDs, withoutRequestID},
	{EstatementsUserMissing, list[sim.Code]{ParametersExclude}, hostUserIDCounts},
	{EstatementsOtherUser, list[sim.Code]{sim.TokenOfAnotherUser}, namedUserCounts},
	{EstatementsCharacters, list[sim.Code]{CharacterRefused}, anyCharacter},
	{GroupsTransactionID, refusesRequestIDs, withoutRequestID},
	{GroupsInstitution, list[sim.Code]{sim.InstitutionUnknown}, "An unknown institutionId counts as left out."},
	{GroupsCreateTypes, list[sim.Code]{sim.GroupTypeUnknown}, "Other values are ignored."},
	{GroupsUploadFileType, list[sim.Code]{FileTypeUnknown}, "The file is read, whatever type it has."},
	{AlertsUser, list[sim.Code]{sim.UserUnknown, ParametersExclude},
		"A username or an institutionUserId counts as userid, of two parameters hostUserId, and of two values the " +
			"first."},
	{AlertsListParameters, list[sim.Code]{ParameterRepeated},
		"Of a parameter that is given twice the first value counts."},
	{DisclosuresTransactionID, refusesRequestIDs, withoutRequestID},
	{DisclosuresUser, list[sim.Code]{ParametersExclude, ParameterRepeated},
		"Of two parameters hostUserId counts, and of two values the first."},
	{DisclosuresOtherUser, list[sim.Code]{sim.TokenOfAnotherUser}, namedUserCounts},
	{UsersTransactionID, refusesRequestIDs, withoutRequestID},
	{EverywhereRepeatedParameter, list[sim.Code]{ParameterRepeated}, "In e-statements the first value counts."},
	{EverywhereCharacters, list[sim.Code]{CharacterRefused}, anyCharacter},
	{EverywhereHeaderSize, list[sim.Code]{HeaderTooLong}, "Headers may have 32 KiB together."},
}

var refusesRequestIDs = list[sim.Code]{RequestIDMissing, RequestIDMalformed}

const (
	withoutRequestID = "It may be left out, or be any text."
	anyCharacter     = "Any character is accepted."
	namedUserCounts  = "The user that is named counts."
	hostUserIDCounts = "hostUserId counts."
)

// EverywhereRefusals is about the refusals that a scenario can turn off.
var EverywhereRefusals = entry("everywhere.refusals", everyOperation, Choice, Entry{
	Question: "Can a bank accept what an entry refuses?",
	answer:   "No: it refuses.",
	Switch: choicesSwitch(refusals, "Entries whose refusals don't apply: the request is accepted, with a lint.",
		func(b *sim.Behavior) *map[string]string { return &b.Refusals }, acceptable(), []string{Accept, refuse},
		Alternative{"<entries>", "Yes, what these refuse, with a lint in the journal.", Choice}),
	Permits: true,
	Unshown: "an answer cites it only where a scenario accepts what the answer's request lacks",
})

// acceptable returns the ids of the entries whose refusals a scenario can turn off.
func acceptable() (ids []string) {
	for _, a := range acceptances {
		ids = append(ids, a.entry.ID)
	}
	return ids
}

// refusalSetting returns the setting of an entry without a switch of its own: whether a scenario accepts what the entry
// refuses. It returns nil if no scenario can.
func (e *Entry) refusalSetting(p *sim.Policy) *Setting {
	for _, a := range acceptances {
		switch {
		case a.entry != e:
		case p.Refusals[e.ID] == Accept:
			refused := Alternative{refuse, e.Answer(p.Dialect), e.BasisIn(p.Dialect)}
			return &Setting{refusals + "." + e.ID, Accept, refuse, []Alternative{refused}}
		default:
			return &Setting{refusals + "." + e.ID, refuse, refuse, []Alternative{{Accept, a.does, Choice}}}
		}
	}
	return nil
}

// IsAccepted reports whether a policy accepts what the refusal is about.
func (r Refusal) IsAccepted(p *sim.Policy) bool {
	if p.Refusals[r.Entry.ID] != Accept {
		return false
	}
	return slices.ContainsFunc(acceptances, func(a acceptance) bool {
		return a.entry == r.Entry && slices.Contains(a.rules, r.Rule)
	})
}

// WhyRefused says why no scenario can accept what an entry refuses.
func WhyRefused(e *Entry) string {
	switch {
	case e.Switch != nil:
		return "behavior." + e.Switch.Key + " decides it"
	case e.Basis == Documented:
		return "the interface's document has it"
	}
	for _, op := range AllOperations() {
		all := slices.Concat(op.Refusals(), op.Conditions())
		if slices.ContainsFunc(all, func(r Refusal) bool { return r.Entry == e }) {
			return "the operation can't go on after it"
		}
	}
	return "it refuses no request"
}
