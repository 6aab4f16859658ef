package bankapi

import (
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// userStatusTime is the format of times in the status of a user (published), for times in UTC.
const userStatusTime = "2006-01-02T15:04:05-07:00"

// commonStatus is what the status of any user has. Flags that are false are left out (published).
type commonStatus struct {
	InstitutionUserID string         `json:"institutionUserId"`
	Active            bool           `json:"active,omitzero"`
	OnHold            bool           `json:"onHold,omitzero"`
	Locked            bool           `json:"locked,omitzero"`
	Reset             bool           `json:"reset,omitzero"`
	Registered        bool           `json:"registered,omitzero"`
	Approved          bool           `json:"approved,omitzero"`
	Rejected          bool           `json:"rejected,omitzero"`
	AdditionalInfo    userStatusInfo `json:"additionalInfo"`
}

type userStatusInfo struct {
	FailedLogins         int    `json:"failedLoginCount"`
	FailedPasswordResets int    `json:"failedPasswordResetCount"`
	LastLogin            string `json:"lastLoginDateTime,omitzero"`
	HeldAt               string `json:"holdDateTime,omitzero"`
	HoldReason           string `json:"holdReason,omitzero"`
	HeldBy               string `json:"holdInitiatedBy,omitzero"`
}

// userStatus is the status of the user that a request asks for.
type userStatus struct {
	commonStatus
	ParentInstitutionUserID string         `json:"parentInstitutionUserId,omitzero"`
	SubUsers                []commonStatus `json:"subUsers,omitzero"`
}

// getUserStatus reads the status of a user by one of its ids (published).
func getUserStatus(c *call) (answer, error) {
	caller, err := c.identifiedBearer()
	if err != nil {
		return answer{}, err
	}
	kind, err := c.parameter("userIdType")
	if err != nil {
		return answer{}, err
	}
	if !slices.Contains(sim.UserIDTypes, kind) {
		return answer{}, sim.Refuse(contract.ParameterMalformed, "query parameter userIdType must be one of %s",
			strings.Join(sim.UserIDTypes, ", "))
	}
	id := c.pathVar("institutionUserId")
	if (kind == sim.InstitutionUserIDType || kind == sim.CustomerIDType) && !userID().MatchString(id) {
		return answer{}, sim.Refuse(sim.UserIDMalformed,
			"the path must have an %s, which is of 32 hexadecimal digits", kind)
	}
	user, err := c.World.UserByID(caller, kind, id)
	if err != nil {
		return answer{}, err
	}
	status := userStatus{commonStatus: newCommonStatus(user)}
	if parent, ok := c.World.Parent(user); ok {
		status.ParentInstitutionUserID = parent.InstitutionUserID()
	}
	for sub := range c.World.SubUsers(user) {
		status.SubUsers = append(status.SubUsers, newCommonStatus(sub))
	}
	return c.answer(status, status), nil
}

var userStatusEvidence = []condition{
	{contract.UsersSubUsers, when(func(s userStatus) bool {
		return s.SubUsers != nil || s.ParentInstitutionUserID != ""
	})},
}

var userID = lazy.Regexp(`^[0-9A-Fa-f]{32}$`)

func newCommonStatus(u *sim.User) commonStatus {
	var s sim.UserStatus
	if u.Status != nil {
		s = *u.Status
	}
	status := commonStatus{
		InstitutionUserID: u.InstitutionUserID(),
		Active:            u.Active, OnHold: s.OnHold, Locked: s.Locked, Reset: s.Reset,
		Registered: s.Registered, Approved: s.Approved, Rejected: s.Rejected,
		AdditionalInfo: userStatusInfo{
			FailedLogins:         s.FailedLogins,
			FailedPasswordResets: s.FailedPasswordResets,
			LastLogin:            userTime(s.LastLogin),
		},
	}
	if s.OnHold {
		info := &status.AdditionalInfo
		info.HeldAt, info.HoldReason, info.HeldBy = userTime(s.HeldAt), s.HoldReason, s.HeldBy
	}
	return status
}

func userTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(userStatusTime)
}
