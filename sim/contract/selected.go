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
