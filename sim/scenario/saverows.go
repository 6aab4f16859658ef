package scenario

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

func (s *saver) user(u *sim.User) user {
	written := user{
		HostUserID:       u.HostUserID,
		Username:         u.Username,
		Password:         u.Password,
		Active:           omitDefault(u.Active, true),
		Disclosures:      disclosuresOf(u.Disclosures, false),
		AlertPreferences: s.alertPreferences(u.InstitutionID, u.HostUserID),
	}
	if u.NoDestinations {
		written.Destinations = noDestinations
	}
	for a := range s.World.Accounts(u.InstitutionID, u.HostUserID) {
		if !s.addRow() {
			break
		}
		written.Accounts = append(written.Accounts, account{
			AccountID:          a.AccountID,
			ActivateEstatement: a.ActivateEstatement,
			Disclosures:        disclosuresOf(a.Disclosures, a.ActivateEstatement),
			UpdateFails:        a.UpdateFails,
		})
	}
	status := orDefault(u.Status, sim.UserStatus{})
	written.InstitutionUser, status.InstitutionUserID = status.InstitutionUserID, ""
	written.CustomerID, status.CustomerID = status.CustomerID, ""
	written.Parent, status.ParentHostUserID = status.ParentHostUserID, ""
	written.Status = omitDefault(status, sim.UserStatus{})
	return written
}

func disclosuresOf(rows []sim.Disclosure, paperWaiver bool) (written []disclosure) {
	for _, d := range rows {
		written = append(written, disclosure{
			Status:       d.Status,
			Name:         d.Name,
			StatusUpdate: moment(d.StatusUpdate),
			PaperWaiver:  omitDefault(d.PaperWaiver, paperWaiver),
		})
	}
	return written
}

// generateOf returns the block that generates the same users as at the start. It generates no groups: they have drawn
// ids and are written out. It returns nil if a generated user is missing, as in a snapshot of another scenario.
func (s *saver) generateOf(institutionID string) *generateBlock {
	f := s.From.generated[institutionID]
	if f.Users == 0 {
		return nil
	}
	for n := range f.Users {
		if _, there := s.World.User(institutionID, generatedUserID(n+1)); !there {
			return nil
		}
	}
	f.Groups = 0
	return f.pinned(s.From.document, s.From.Start)
}

// asGenerated reports whether a generated user, with all accounts, is as at the start.
func (s *saver) asGenerated(u *sim.User) bool {
	for range s.World.AlertPreferences(u.InstitutionID, u.HostUserID) {
		return false
	}
	was, there := s.From.World.User(u.InstitutionID, u.HostUserID)
	accounts := func(w *sim.World) []*sim.Account { return slices.Collect(w.Accounts(u.InstitutionID, u.HostUserID)) }
	return there && reflect.DeepEqual(was, u) && reflect.DeepEqual(accounts(s.From.World), accounts(s.World))
}

// alertTypes adds the alert types of an institution, its preferences and its disclosures.
func (s *saver) alertTypes(to *institution, i *sim.Institution) {
	for _, t := range i.AlertTypes {
		to.AlertTypeRows = append(to.AlertTypeRows, alertType(t))
	}
	for _, d := range i.Disclosures {
		to.Disclosures = append(to.Disclosures, customDisclosure(d))
	}
	for _, d := range i.AlertPreferences {
		to.AlertDefaults = append(to.AlertDefaults, alertDefault{
			ID:             d.ID,
			TypeName:       d.AlertTypeName,
			ChannelName:    d.ChannelTypeName,
			AlertOpted:     omitDefault(d.AlertOpted, true),
			AdditionalInfo: decodedInfo(d.AdditionalInfo),
		})
	}
}

// decodedInfo is the inverse of [additionalInfo].
func decodedInfo(encoded *string) map[string]any {
	if encoded == nil {
		return nil
	}
	info, _ := decodeJSON([]byte(*encoded)).(map[string]any)
	return info
}

// alertPreferences returns the alert preferences of a user, or of no user if the hostUserId is empty.
func (s *saver) alertPreferences(institutionID, hostUserID string) (written []alertPreference) {
	for p := range s.World.AlertPreferences(institutionID, hostUserID) {
		if !s.addRow() {
			break
		}
		given, err := s.From.World.AlertPreference(p.InstitutionID, p.HostUserID, p.AlertPrefID)
		isGiven := err == nil && reflect.DeepEqual(given, p)
		d := cmp.Or(p.Details, &sim.AlertDetails{})
		w := alertPreference{
			AdditionalInfo: decodedInfo(p.AdditionalInfo),
			AlertOpted:     p.AlertOpted,
			Account:        (*alertAccount)(p.Account),
			Details: &alertDetails{
				AlertPrefID:           p.AlertPrefID,
				AlertTypeName:         d.AlertTypeName,
				ChannelTypeName:       d.ChannelTypeName,
				ExternalID:            d.ExternalID,
				InstitutionCustomerID: d.InstitutionCustomerID,
				InstitutionID:         d.InstitutionID,
			},
			AllowCallback:      p.AllowCallback,
			DefaultPreferences: p.DefaultPreferences,
		}
		if a := p.Account; a != nil && a.CardNumber != nil && !isGiven {
			w.Account = &alertAccount{AccountExternalID: a.AccountExternalID, AccountID: a.AccountID}
			s.secretsLost++
		}
		if !isGiven && p.AdditionalInfo != nil {
			if hidden := string(redact.RequestBody([]byte(*p.AdditionalInfo), "")); hidden != *p.AdditionalInfo {
				w.AdditionalInfo = decodedInfo(&hidden)
				s.secretsLost++
			}
		}
		written = append(written, w)
	}
	return written
}

// groups returns the groups in the order of their creation, with their participants and their jobs.
func (s *saver) groups(institutionID string) (written []group) {
	groups := slices.SortedFunc(
		s.World.Groups(institutionID), func(a, b *sim.Group) int { return cmp.Compare(a.Sequence, b.Sequence) },
	)
	jobs := map[string][]*sim.Job{}
	jobOrder := func(a, b *sim.Job) int { return cmp.Compare(a.Sequence, b.Sequence) }
	for _, j := range slices.SortedFunc(s.World.Jobs(institutionID), jobOrder) {
		jobs[j.GroupID] = append(jobs[j.GroupID], j)
	}
	for _, g := range groups {
		if !s.addRow() {
			break
		}
		w := group{
			GroupID:        g.GroupID,
			ExperienceID:   g.ExperienceID,
			ExperienceName: g.ExperienceName,
			Name:           g.Name,
			Description:    g.Description,
			Status:         g.Status,
			LastUpdated:    moment(g.LastUpdated),

			ParticipantCount: omitDefault(g.ParticipantCount, 0),
			Participants:     slices.Collect(g.Participants()),
		}
		for _, j := range jobs[g.GroupID] {
			w.Jobs = append(w.Jobs, newJob(j))
		}
		written = append(written, w)
	}
	return written
}

// newJob returns a job as a scenario has it. A running job has its result and the time when it ends.
func newJob(j *sim.Job) job {
	w := job{
		JobID:       j.JobID,
		Type:        j.Type,
		FileName:    j.FileName,
		CreatedBy:   j.CreatedBy,
		Status:      j.Status,
		Details:     j.Details,
		Total:       j.Total,
		Succeeded:   j.Succeeded,
		Failed:      j.Failed,
		Created:     moment(j.Created),
		LastUpdated: moment(j.Updated),
	}
	for _, e := range j.Errors {
		w.Errors = append(w.Errors, jobError(e))
	}
	if work := j.Work; work != nil {
		w.ProcessedAt, w.EndsAt = moment(work.Begins), moment(work.Ends)
		w.Imports = work.Participants
	}
	return w
}
