package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// newFullBank returns a world with rows of all tables, in which most members are set.
func newFullBank(t *testing.T) *sim.World {
	t.Helper()
	w := sim.NewWorld(7, policies(sim.DefaultBehavior()))
	text, yes, no, at := "text", true, false, start.Add(time.Nanosecond)
	require.NoError(t, w.AddInstitution(sim.Institution{
		InstitutionID: "02688", Multistatement: true,
		AlertTypes: []sim.AlertType{
			sim.NewAlertType("LOW"),
			{Name: "HIGH", Channels: []string{}, Status: sim.AlertTypeInactive},
		},
		AlertPreferences: []sim.AlertDefault{{AlertTypeName: "LOW", ChannelTypeName: "SMS", AdditionalInfo: &text}},
		Disclosures:      []sim.CustomDisclosure{{Name: "custom", Data: "<&>", DataType: "RAW"}},
	}))
	require.NoError(t, w.AddInstitution(sim.Institution{InstitutionID: "1", AlertTypes: []sim.AlertType{}}))
	require.NoError(t, w.AddClient(sim.Client{
		InstitutionID: "02688", SharedKey: "app\x00", SecretKey: "s", Scopes: []string{"a"},
		Codes: &sim.CodePolicy{Scopes: []string{"a"}, RedirectURI: "https://localhost", AppID: "app", Consent: true},
	}))
	answers := []sim.Disclosure{{Name: "OLS", Status: sim.Accepted, StatusUpdate: at, PaperWaiver: true}, {}}
	require.NoError(t, w.AddUser(sim.User{
		InstitutionID: "02688", HostUserID: "10\x0001", Username: "avery", Password: "demo", Active: true,
		Disclosures: answers, Status: &sim.UserStatus{OnHold: true, FailedLogins: 2, HeldAt: &at, HeldBy: "x"},
	}))
	require.NoError(t, w.AddUser(sim.User{InstitutionID: "02688", HostUserID: "1002", NoDestinations: true}))
	require.NoError(t, w.AddAccount(sim.Account{
		InstitutionID: "02688", HostUserID: "10\x0001", AccountID: "\x01checking",
		ActivateEstatement: true, Disclosures: answers, UpdateFails: true,
	}))
	require.NoError(t, w.AddGrantUntil(sim.Grant{
		InstitutionID: "02688", SharedKey: "app\x00",
		AccessToken: "given", Scopes: "a", AccessRevoked: true, RefreshToken: "refresh",
	}, start, at, at))
	require.NoError(t, w.AddGroup(document(w),
		&sim.Group{InstitutionID: "02688", Name: "Gone", Status: sim.GroupStatusDeleted}))
	owls := &sim.Group{InstitutionID: "02688", GroupID: "g", Name: "Owls", ParticipantCount: 7}
	require.NoError(t, w.AddGroup(document(w), owls, "a", "b"))
	w.Open()

	caller := sim.Caller{InstitutionID: "02688", SharedKey: "other"}
	user, _ := w.User("02688", "10\x0001")
	_, _, err := w.CreateCode(document(w), caller, sim.CodeRequest{
		ClientID: "app\x00", Scopes: "a", Username: "avery", InstitutionUserID: user.InstitutionUserID(),
		OpenIDRequest: sim.OpenIDRequest{Nonce: "n", AuthTime: 5},
	}, start)
	require.NoError(t, err)
	_, err = w.IssueTokens(document(w), "02688", "app\x00", byPassword, start)
	require.NoError(t, err)
	upload(t, w, "g", "REPLACE", "ParticipantId\n1001\n1001\n7", start)
	w.EndJobs(start.Add(time.Hour))
	upload(t, w, "g", "REMOVE", "ParticipantId\n7\n\n", start)
	for _, content := range []sim.AlertContent{{}, {
		AdditionalInfo: &text, AlertOpted: &no, AllowCallback: &yes, DefaultPreferences: &no,
		Account: &sim.AlertAccount{CardNumber: &text}, Details: &sim.AlertDetails{ExternalID: &text},
	}} {
		_, err = w.CreateAlertPreference(document(w), "02688", "10\x0001", content)
		require.NoError(t, err)
	}
	require.NoError(t, w.UseRequestID("02688", "t-1"))
	return w
}

func TestRestoredWorldIsEqual(t *testing.T) {
	w := newFullBank(t)
	rows := slices.Collect(w.Rows())
	tables := map[string]bool{}
	for _, row := range rows {
		tables[row.Table] = true
	}
	assert.Len(t, tables, 10)
	restored, err := sim.RestoreWorld(w.Meta(), w.Policies(), slices.Values(rows))
	require.NoError(t, err)
	assert.True(t, restored.Equal(w))
	assert.Equal(t, w.Meta(), restored.Meta())
	assert.Equal(t, w.Added(), restored.Added())
	assert.Equal(t, rows, slices.Collect(restored.Rows()))
	assert.True(t, restored.Due(start.Add(time.Hour)))
	token, _ := restored.Token("given")
	assert.True(t, token.IsListed())

	for _, row := range rows { // also into a world that has them
		row.Value = nil
		row.Removed = true
		require.NoError(t, restored.Apply(w.Meta(), slices.Values([]sim.StoredRow{row})), "%q", row)
	}
	assert.Empty(t, slices.Collect(restored.Rows()))
	assert.False(t, restored.Due(start.Add(time.Hour)))
	for range 2 {
		require.NoError(t, restored.Apply(w.Meta(), slices.Values(rows)))
		assert.True(t, restored.Equal(w))
		assert.Equal(t, w.Added(), restored.Added())
	}
}

func TestDamagedRowsAreRefused(t *testing.T) {
	for _, row := range []sim.StoredRow{
		{Table: "cheques", Key: "1"},
		{Table: "users", Key: "02688\x001", Value: []byte("{")},
		{Table: "users", Key: "02688", Removed: true},
		{Table: "alertPreferences", Key: "02688\x001\x00first", Removed: true},
	} {
		w := newFullBank(t)
		assert.Error(t, w.Apply(w.Meta(), slices.Values([]sim.StoredRow{row})), "%q", row)
	}
}

// A change's rows come in the order of the tables and of the first writes, each once, in its last state.
func TestTrackedRows(t *testing.T) {
	w := newFullBank(t)
	written := w.Track()
	assert.Empty(t, written())
	require.NoError(t, w.DeleteAlertPreference("02688", "10\x0001", 1))
	b, a := newGroup(t, w, "B"), newGroup(t, w, "A")
	_, err := w.UpdateGroup(document(w), "02688", b, sim.NewGroup{Name: "C"}, start)
	require.NoError(t, err)
	require.NoError(t, w.DeleteGroup("02688", a))
	require.NoError(t, w.ConfigureMultistatement("1", true))
	require.Error(t, w.DeleteGroup("02688", a))

	rows := written()
	require.Len(t, rows, 4)
	assert.JSONEq(t, `{"institutionId": "1", "multistatement": true, "alertTypes": []}`, string(rows[0].Value))
	assert.Contains(t, string(rows[1].Value), `"name":"C"`)
	rows[0].Value, rows[1].Value = nil, nil
	assert.Equal(t, []sim.StoredRow{
		{Table: "institutions", Key: "1"},
		{Table: "groups", Key: "02688\x00" + b},
		{Table: "groups", Key: "02688\x00" + a, Removed: true},
		{Table: "alertPreferences", Key: "02688\x0010\x01\x0101\x001", Removed: true},
	}, rows)
	assert.Len(t, written(), 4, "it may be asked again")
}

func TestTrackIsCheap(t *testing.T) {
	w := newBank(t)
	allocations := testing.AllocsPerRun(100, func() { w.Track()() })
	assert.LessOrEqual(t, allocations, 1.0, "a change that writes nothing")
}
