package scenario

import (
	"cmp"

	"github.com/digitalbanking-sim/banksim/sim"
)

// apply returns the default behaviour with the switches that the scenario sets.
func (b behavior) apply() sim.Behavior {
	s := sim.DefaultBehavior()
	s.Strict = orDefault(b.Strict, s.Strict)
	s.Tokens = sim.TokenBehavior{
		AccessLifetime:  b.Tokens.AccessLifetime.or(s.Tokens.AccessLifetime),
		RefreshLifetime: b.Tokens.RefreshLifetime.or(s.Tokens.RefreshLifetime),
		RevokeResponse:  cmp.Or(b.Tokens.RevokeResponse, s.Tokens.RevokeResponse),
		UnknownToken:    cmp.Or(b.Tokens.UnknownToken, s.Tokens.UnknownToken),
	}
	s.Estatements = sim.EstatementBehavior{
		BearerFailureStatus: cmp.Or(b.Estatements.BearerFailureStatus, s.Estatements.BearerFailureStatus),
		CorrelationID:       cmp.Or(b.Estatements.CorrelationID, s.Estatements.CorrelationID),
		UpdateAccountStatus: cmp.Or(b.Estatements.UpdateAccountStatus, s.Estatements.UpdateAccountStatus),
	}
	s.Groups = sim.GroupBehavior{
		Auth:               cmp.Or(b.Groups.Auth, s.Groups.Auth),
		CreateStatus:       cmp.Or(b.Groups.CreateStatus, s.Groups.CreateStatus),
		NameLimit:          cmp.Or(b.Groups.NameLimit, s.Groups.NameLimit),
		DescriptionLimit:   cmp.Or(b.Groups.DescriptionLimit, s.Groups.DescriptionLimit),
		ClientGroupID:      cmp.Or(b.Groups.ClientGroupID, s.Groups.ClientGroupID),
		DuplicateName:      cmp.Or(b.Groups.DuplicateName, s.Groups.DuplicateName),
		Experience:         cmp.Or(b.Groups.Experience, s.Groups.Experience),
		TransactionIDReuse: cmp.Or(b.Groups.TransactionIDReuse, s.Groups.TransactionIDReuse),
		DefaultPageSize:    cmp.Or(b.Groups.DefaultPageSize, s.Groups.DefaultPageSize),
		MaxPageSize:        cmp.Or(b.Groups.MaxPageSize, s.Groups.MaxPageSize),
		UnknownSort:        cmp.Or(b.Groups.UnknownSort, s.Groups.UnknownSort),
	}
	s.Alerts = sim.AlertBehavior{
		CreateStatus:      cmp.Or(b.Alerts.CreateStatus, s.Alerts.CreateStatus),
		Auth:              cmp.Or(b.Alerts.Auth, s.Alerts.Auth),
		Headers:           cmp.Or(b.Alerts.Headers, s.Alerts.Headers),
		KnownChannelsOnly: orDefault(b.Alerts.KnownChannelsOnly, s.Alerts.KnownChannelsOnly),
	}
	s.Headers.Exchange = orDefault(b.Headers.Exchange, s.Headers.Exchange)
	s.FaultHeader = orDefault(b.FaultHeader, s.FaultHeader)
	for _, field := range b.Alerts.RequiredFields {
		s.Alerts.RequiredFields = append(s.Alerts.RequiredFields, string(field))
	}
	return s
}

// orDefault returns what a member of a document says, or its default where the document leaves it out.
func orDefault[T any](member *T, otherwise T) T {
	if member == nil {
		return otherwise
	}
	return *member
}
