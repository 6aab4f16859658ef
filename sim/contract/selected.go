package contract

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// switchedRule is a rule whose refusal rests on an entry with a switch.
type switchedRule struct {
	entry *Entry
	rule  sim.Code
}

// refusesUnder has the values of the entry's switch under which a rule refuses requests, for each rule that doesn't under
// every value. A value in angle brackets is that of the alternative.
var refusesUnder = map[switchedRule][]string{
	{EverywhereFaultHeader, FaultMalformed}: {"true"},
	{EverywhereStrict, Strictness}:          {"true"},
	{EverywhereCORS, OriginRefused}:         {"<origins>"},

	{EstatementsCorrelationID, RequestIDMissing}:   {string(sim.CorrelationIDRequired), string(sim.CorrelationIDUUID)},
	{EstatementsCorrelationID, RequestIDMalformed}: {string(sim.CorrelationIDUUID)},

	{RevokeUnknownToken, sim.RevocationOfNothing}: {string(sim.UnknownTokenError)},

	{GroupsAuth, TokenMissing}:                       {string(sim.Required)},
	{GroupsTransactionIDReuse, sim.RequestIDReused}:  {string(sim.TransactionIDReuseReject)},
	{GroupsCreateGroupID, sim.GroupIDTaken}:          {string(sim.ClientGroupIDHonor)},
	{GroupsCreateDuplicateName, sim.GroupExists}:     {string(sim.DuplicateNameReject)},
	{GroupsListUnknownSort, sim.SortPropertyUnknown}: {string(sim.UnknownSortError)},

	{AlertsAuth, TokenMissing}:                       {string(sim.Required)},
	{AlertsHeaders, HeaderMissing}:                   {string(sim.Required)},
	{AlertsHeaders, RequestIDMissing}:                {string(sim.Required)},
	{AlertsRequiredMembers, sim.AlertFieldMissing}:   {"<names>"},
	{AlertsChannels, sim.AlertChannelUnknown}:        {"true"},
	{AlertsContradiction, sim.AlertOtherInstitution}: {string(sim.ContradictionReject)},
	{AlertsContradiction, sim.AlertOtherCustomer}:    {string(sim.ContradictionReject)},
}

// AppliesUnder reports whether the rule refuses requests under a behaviour.
func (r Refusal) AppliesUnder(b *sim.Behavior) bool {
	values, some := refusesUnder[switchedRule{r.Entry, r.Rule}]
	return !some || slices.Contains(values, r.Entry.Switch.selected(b))
}

// selected returns the default of the switch, or the value of the alternative that a behaviour selects.
func (s *Switch) selected(b *sim.Behavior) string {
	if a := s.chosen(b); a != nil {
		return a.Value
	}
	return s.Default
}

// RequiredUnder reports whether the operation needs a parameter under a behaviour.
func (op *Operation) RequiredUnder(b *sim.Behavior, p Parameter) bool {
	if p.Name == hostUserID.Name && b.Estatements.User == sim.EstatementUserAny {
		return false // loginId or the token may name the user as well
	}
	return p.Required && op.Family.Refusal(op.refusesWithout(p)).AppliesUnder(b)
}

// refusesWithout returns the rule that refuses requests without a required parameter.
func (op *Operation) refusesWithout(p Parameter) sim.Code {
	switch {
	case p.In == "path":
		return PathUnknown
	case p.In == "query":
		return ParameterMissing
	case p.Name == op.Family.RequestID:
		return RequestIDMissing
	case slices.Contains(op.Refuses, HeaderMissing):
		return HeaderMissing
	}
	return InstitutionMissing
}

// SecurityUnder returns which credentials the operation takes under a behaviour.
func (op *Operation) SecurityUnder(b *sim.Behavior) Security {
	switch {
	case op.Security == Basic:
		return Basic
	case op.Family.Refusal(TokenMissing).AppliesUnder(b):
		return Bearer
	}
	return OptionalBearer
}

// SentUnder reports whether answers have the header under a behaviour.
func (h Header) SentUnder(b *sim.Behavior) bool {
	return h.Entry.Switch == nil || h.Entry.Switch.Kind != Flag || h.Entry.Switch.Value(b) == "true"
}
