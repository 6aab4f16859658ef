package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

func channel(name string) sim.AlertContent {
	return sim.AlertContent{Details: &sim.AlertDetails{ChannelTypeName: &name}}
}

func TestAlertPreferenceIDs(t *testing.T) {
	w := newBank(t)
	first, err := w.CreateAlertPreference("02688", "1001", channel("EMAIL"))
	require.NoError(t, err)
	second, err := w.CreateAlertPreference("02688", "1001", channel("EMAIL"))
	require.NoError(t, err)
	assert.Equal(t, int64(1), first.AlertPrefID)
	assert.Equal(t, int64(2), second.AlertPrefID, "the same preference twice is two preferences")

	w.AddAlertPreference(sim.AlertPreference{InstitutionID: "02688", HostUserID: "1002", AlertPrefID: 500})
	next, err := w.CreateAlertPreference("02688", "1001", sim.AlertContent{})
	require.NoError(t, err)
	assert.Equal(t, int64(501), next.AlertPrefID)
	var ids []int64
	for p := range w.AlertPreferences("02688", "1001") {
		ids = append(ids, p.AlertPrefID)
	}
	assert.Equal(t, []int64{1, 2, 501}, ids)
}

func TestAlertPreferencesRefused(t *testing.T) {
	plain := newBank(t)
	demanding := newBank(t, func(b *sim.Behavior) {
		b.Alerts.RequiredFields = []string{"alertOpted", "alertPreferenceDetails.channelTypeName"}
	})
	lax := newBank(t, func(b *sim.Behavior) { b.Alerts.KnownChannelsOnly = false })
	rejecting := newBank(t, func(b *sim.Behavior) { b.Alerts.Contradiction = sim.ContradictionReject })
	listing := sim.NewWorld(1, sim.DefaultBehavior())
	require.NoError(t, listing.AddInstitution(sim.Institution{InstitutionID: "02688", AlertTypes: []sim.AlertType{
		sim.NewAlertType("LOW_BALANCE"), {Name: "GONE", Channels: sim.AlertChannels, Status: sim.AlertTypeInactive},
		{Name: "BY_MAIL", Channels: []string{"EMAIL"}, Status: sim.AlertTypeActive}}}))
	text, opted := func(s string) *string { return &s }, true
	email := channel("EMAIL")
	emailOpted := sim.AlertContent{AlertOpted: &opted, Details: email.Details}

	tests := map[string]struct {
		world   *sim.World
		content sim.AlertContent
		err     error
	}{
		"nothing":                 {plain, sim.AlertContent{}, nil},
		"known channel":           {plain, email, nil},
		"unknown channel":         {plain, channel("PIGEON"), sim.AlertChannelUnknown},
		"channel in another case": {plain, channel("email"), sim.AlertChannelUnknown},
		"unknown channel, lax":    {lax, channel("PIGEON"), nil},
		"any type":                {plain, sim.AlertContent{Details: &sim.AlertDetails{AlertTypeName: text("X")}}, nil},
		"listed type":             {listing, sim.AlertContent{Details: &sim.AlertDetails{AlertTypeName: text("LOW_BALANCE")}}, nil},
		"type switched off": {listing, sim.AlertContent{Details: &sim.AlertDetails{AlertTypeName: text("GONE")}},
			sim.AlertTypeNotOpted},
		"type for the channel": {listing, sim.AlertContent{Details: &sim.AlertDetails{AlertTypeName: text("BY_MAIL"),
			ChannelTypeName: text("EMAIL")}}, nil},
		"type not for the channel": {listing, sim.AlertContent{Details: &sim.AlertDetails{AlertTypeName: text("BY_MAIL"),
			ChannelTypeName: text("SMS")}}, sim.AlertTypeNotOpted},
		"type not listed": {listing, sim.AlertContent{Details: &sim.AlertDetails{AlertTypeName: text("X")}},
			sim.AlertTypeUnknown},
		"its own institution": {rejecting, sim.AlertContent{Details: &sim.AlertDetails{InstitutionID: text("02688")}}, nil},
		"another institution": {plain, sim.AlertContent{Details: &sim.AlertDetails{InstitutionID: text("1")}}, nil},
		"another institution, rejected": {rejecting, sim.AlertContent{Details: &sim.AlertDetails{InstitutionID: text("1")}},
			sim.AlertOtherInstitution},
		"an empty one contradicts not": {rejecting, sim.AlertContent{Details: &sim.AlertDetails{InstitutionID: text(""),
			InstitutionCustomerID: text("")}}, nil},
		"its own customer": {rejecting, sim.AlertContent{Details: &sim.AlertDetails{InstitutionCustomerID: text("1001")}},
			nil},
		"another customer": {plain, sim.AlertContent{Details: &sim.AlertDetails{InstitutionCustomerID: text("1")}}, nil},
		"another customer, rejected": {rejecting, sim.AlertContent{Details: &sim.AlertDetails{InstitutionCustomerID: text("1")}},
			sim.AlertOtherCustomer},
		"required fields given":         {demanding, emailOpted, nil},
		"required field missing":        {demanding, email, sim.AlertFieldMissing},
		"required nested field missing": {demanding, sim.AlertContent{AlertOpted: &opted}, sim.AlertFieldMissing},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := test.world.Fork().CreateAlertPreference("02688", "1001", test.content)
			assert.ErrorIs(t, err, test.err)
		})
	}
}

func TestAlertScope(t *testing.T) {
	w := newBank(t)
	require.NoError(t, w.AddInstitution(sim.Institution{InstitutionID: "05523"}))
	bound := sim.Caller{InstitutionID: "02688", HostUserID: "1001"}
	tests := map[string]struct {
		caller       sim.Caller
		fiid, userid string
		wantFI, want string
		err          error
	}{
		"as named":              {anybody, "02688", "1001", "02688", "1001", nil},
		"the caller's":          {bound, "", "", "02688", "1001", nil},
		"nobody's":              {sim.Caller{}, "", "", "02688", "", nil},
		"unknown institution":   {sim.Caller{}, "7", "1001", "", "", sim.InstitutionUnknown},
		"another institution":   {anybody, "05523", "1001", "", "", sim.InstitutionUnknown},
		"unknown user":          {anybody, "02688", "7", "", "", sim.UserUnknown},
		"another user's token":  {bound, "02688", "1002", "", "", sim.UserUnknown},
		"a user from elsewhere": {sim.Caller{}, "05523", "1001", "", "", sim.UserUnknown},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			fi, user, err := w.AlertScope(test.caller, test.fiid, test.userid)
			assert.ErrorIs(t, err, test.err)
			assert.Equal(t, test.wantFI, fi)
			assert.Equal(t, test.want, user)
		})
	}
}
