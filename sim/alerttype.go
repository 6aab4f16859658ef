package sim

import (
	"slices"
	"strings"
)

// The values of statusOptd of an alert type (published).
const (
	AlertTypeActive   = "ACTIVE"
	AlertTypeInactive = "INACTIVE"
)

// AlertTypeStatuses are all statuses of an alert type.
var AlertTypeStatuses = []string{AlertTypeActive, AlertTypeInactive}

// AlertType is a kind of alerts that an institution knows (published).
type AlertType struct {
	ID       int64    `json:"id,omitzero"` // unique in the institution, > 0
	Name     string   `json:"name,omitzero"`
	Channels []string `json:"channels,omitzero"` // the channels that can send it
	Status   string   `json:"status,omitzero"`
	Reason   string   `json:"reason,omitzero"` // for people, or empty
}

// NewAlertType returns an alert type that is active and for all channels. [World.AddInstitution] assigns its id.
func NewAlertType(name string) AlertType {
	return AlertType{Name: name, Channels: AlertChannels, Status: AlertTypeActive}
}

// AlertDefault is an alert preference of an institution, for users without alert preferences of their own (published).
type AlertDefault struct {
	ID              int64   `json:"id,omitzero"` // unique in the institution, > 0
	AlertTypeName   string  `json:"alertTypeName,omitzero"`
	ChannelTypeName string  `json:"channelTypeName,omitzero"`
	AlertOpted      bool    `json:"alertOpted,omitzero"`
	AdditionalInfo  *string `json:"additionalInfo,omitzero"` // the text of a JSON object
}

// AlertTypeNames returns the names of the alert types that the institution knows.
func (i *Institution) AlertTypeNames() []string {
	names := make([]string, len(i.AlertTypes))
	for n, t := range i.AlertTypes {
		names[n] = t.Name
	}
	return names
}

// alertType returns an alert type by its name.
func (i *Institution) alertType(name string) (AlertType, bool) {
	at := slices.IndexFunc(i.AlertTypes, func(t AlertType) bool { return t.Name == name })
	if at < 0 {
		return AlertType{}, false
	}
	return i.AlertTypes[at], true
}

// withIDs returns the rows with an id each. It assigns the missing ids in the order of the rows, above all ids that are
// there.
func withIDs[R any](rows []R, id func(*R) *int64) []R {
	rows = slices.Clone(rows)
	var highest int64
	for i := range rows {
		highest = max(highest, *id(&rows[i]))
	}
	for i := range rows {
		if id := id(&rows[i]); *id == 0 {
			highest++
			*id = highest
		}
	}
	return rows
}

// checkAlertType checks the alert type and the channel of a preference that a caller wants to store. An institution
// without alert types knows each.
func (i *Institution) checkAlertType(d AlertDetails) error {
	if d.AlertTypeName == nil || len(i.AlertTypes) == 0 {
		return nil
	}
	t, known := i.alertType(*d.AlertTypeName)
	switch {
	case !known:
		return Refuse(AlertTypeUnknown, "alertTypeName must be one of %s", strings.Join(i.AlertTypeNames(), ", "))
	case t.Status != AlertTypeActive:
		return refuseOn(i, AlertTypeNotOpted, "alert type %s is not active", t.Name)
	case d.ChannelTypeName != nil && !onlyOf(t.Channels, *d.ChannelTypeName):
		return refuseOn(i, AlertTypeNotOpted, "alert type %s is only for %s", t.Name, strings.Join(t.Channels, ", "))
	}
	return nil
}

// AlertDefaults returns the preferences of an institution that a query asks for, for a user without alert preferences.
// They have no id and no account (published).
func (w *World) AlertDefaults(institutionID string, q AlertQuery) []*AlertPreference {
	i, ok := w.Institution(institutionID)
	if !ok {
		return nil
	}
	all := func(yield func(*AlertPreference) bool) {
		yes := true
		for n := range i.AlertPreferences {
			d := &i.AlertPreferences[n]
			content := AlertContent{AlertOpted: &d.AlertOpted, DefaultPreferences: &yes,
				Details: &AlertDetails{AlertTypeName: &d.AlertTypeName, ChannelTypeName: &d.ChannelTypeName}}
			if !yield(&AlertPreference{InstitutionID: institutionID, AlertContent: content}) {
				return
			}
		}
	}
	return q.page(all)
}

// HasAlertPreferences reports whether a user has alert preferences of its own.
func (w *World) HasAlertPreferences(institutionID, hostUserID string) bool {
	for range w.AlertPreferences(institutionID, hostUserID) {
		return true
	}
	return false
}
