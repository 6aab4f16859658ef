package sim

import (
	"iter"
	"slices"
)

// AlertPreference returns an alert preference of a user of an institution (published). It refuses with
// AlertPreferenceUnknown.
func (w *World) AlertPreference(institutionID, hostUserID string, id int64) (*AlertPreference, error) {
	key := &AlertPreference{InstitutionID: institutionID, HostUserID: hostUserID, AlertPrefID: id}
	p, ok := tablesOf(w).alerts.get(key)
	if !ok {
		return nil, Refuse(AlertPreferenceUnknown, "the user has no alert preference with alertPrefId %d", id)
	}
	return p, nil
}

// UpdateAlertPreference replaces the content of an alert preference (published). The sentID is the id in the body, or 0
// if the body has no id. UpdateAlertPreference refuses with AlertPreferenceUnknown, AlertPreferenceOther, or as
// [World.CreateAlertPreference] does, but not with AlertWithoutDestinations.
func (w *World) UpdateAlertPreference(
	p *Policy, institutionID, hostUserID string, id, sentID int64, content AlertContent,
) (*AlertPreference, error) {
	old, err := w.AlertPreference(institutionID, hostUserID, id)
	if err != nil {
		return nil, err
	}
	if sentID != 0 && sentID != id {
		return nil, refuseOn(old, AlertPreferenceOther,
			"alertPrefId %d in the body is not that of the path, %d", sentID, id)
	}
	changed := *old
	changed.AlertContent = content
	if err := w.checkAlert(p, changed); err != nil {
		return nil, err
	}
	return w.AddAlertPreference(changed), nil
}

// DeleteAlertPreference deletes an alert preference (published). It refuses with AlertPreferenceUnknown.
func (w *World) DeleteAlertPreference(institutionID, hostUserID string, id int64) error {
	p, err := w.AlertPreference(institutionID, hostUserID, id)
	if err != nil {
		return err
	}
	tablesOf(w).alerts.delete(p)
	return nil
}

// AlertQuery asks for alert preferences of a user. An empty member asks for all.
type AlertQuery struct {
	AccountExternalID string
	AccountID         string
	ExternalID        string
	Types             []string
	Page, Size        int // from 0
}

// ListAlertPreferences returns the alert preferences of a user that a query asks for, by id (published).
func (w *World) ListAlertPreferences(institutionID, hostUserID string, q AlertQuery) []*AlertPreference {
	return q.page(w.AlertPreferences(institutionID, hostUserID))
}

// page returns the page of preferences that the query asks for.
func (q AlertQuery) page(all iter.Seq[*AlertPreference]) []*AlertPreference {
	var found []*AlertPreference
	skip := q.Page * q.Size
	for p := range all {
		switch {
		case !q.finds(p):
		case skip > 0:
			skip--
		default:
			found = append(found, p)
		}
		if len(found) == q.Size {
			break
		}
	}
	return found
}

func (q AlertQuery) finds(p *AlertPreference) bool {
	account, details := p.objects()
	matches := func(asked string, text *string) bool { return asked == "" || text != nil && *text == asked }
	return matches(q.AccountExternalID, account.AccountExternalID) && matches(q.AccountID, account.AccountID) &&
		matches(q.ExternalID, details.ExternalID) &&
		(len(q.Types) == 0 || details.AlertTypeName != nil && slices.Contains(q.Types, *details.AlertTypeName))
}
