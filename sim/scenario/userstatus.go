package scenario

import (
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// status returns what is known of a user besides whether it is active; nil: nothing.
func (u user) status() *sim.UserStatus {
	s := sim.UserStatus{InstitutionUserID: u.InstitutionUser, CustomerID: u.CustomerID, ParentHostUserID: u.Parent}
	if w := u.Status; w != nil {
		s.OnHold, s.Locked, s.Reset, s.Registered, s.Approved, s.Rejected = w.OnHold, w.Locked, w.Reset, w.Registered, w.Approved, w.Rejected
		s.FailedLogins, s.FailedPasswordResets = w.FailedLogins, w.FailedPasswordResets
		s.LastLogin, s.HeldAt, s.HoldReason, s.HeldBy = w.LastLogin.optional(), w.HeldAt.optional(), w.HoldReason, w.HeldBy
	}
	if s == (sim.UserStatus{}) {
		return nil
	}
	return &s
}

// optional returns the value of a checked timestamp, or nil if it was left out.
func (t timestamp) optional() *time.Time {
	if parsed, err := t.parse(); err == nil {
		return &parsed
	}
	return nil
}

// userStatus checks what a user's status says.
func (c *checker) userStatus(at place, u user) {
	c.unique(c.userIDs["institutionUserId"], "institutionUserId", u.InstitutionUser, at)
	c.unique(c.userIDs["customerId"], "customerId", u.CustomerID, at)
	if u.Status == nil {
		return
	}
	here := at.key("status")
	parsed(c, here, "lastLoginDateTime", u.Status.LastLogin)
	parsed(c, here, "holdDateTime", u.Status.HeldAt)
	for _, key := range []string{"holdDateTime", "holdReason", "holdInitiatedBy"} {
		if !u.Status.OnHold && valueOf(here.node, key) != nil {
			c.add(here.key(key), "%s of a user that is not on hold: add onHold: true, or remove it", key)
		}
	}
}

// parents checks the primary users of sub-users.
func (c *checker) parents(at place, i institution) {
	known, isUser := ids(at.key("users"), "hostUserId")
	subs := map[string]bool{}
	for _, u := range i.Users {
		subs[u.HostUserID] = u.Parent != ""
	}
	for n, u := range i.Users {
		here := at.key("users").item(n).key("parentHostUserId")
		switch {
		case u.Parent == "":
		case !isUser[u.Parent] && !i.Generate.gives(u.Parent):
			c.refersToNothing(here, "user", "hostUserId", u.Parent, known)
		case subs[u.Parent]:
			c.add(here, "the parent of a sub-user must be a primary user, without a parentHostUserId: write another one, or remove its parentHostUserId")
		}
	}
}

// userStatus writes what is known of a user besides whether it is active.
func (s *saver) userStatus(indent int, u *sim.User) {
	if u.Status == nil {
		return
	}
	text := func(key, value string) {
		if value != "" {
			s.line(indent, "%s: %s", key, quoted(value))
		}
	}
	text("institutionUserId", u.Status.InstitutionUserID)
	text("customerId", u.Status.CustomerID)
	text("parentHostUserId", u.Status.ParentHostUserID)
	if m := statusMembers(u.Status); len(m) > 0 {
		s.line(indent, "status: %s", flow(m))
	}
}

func statusMembers(s *sim.UserStatus) members {
	var m members
	add := func(key string, value any, said bool) {
		if said {
			m = append(m, member{key, value})
		}
	}
	for name, set := range s.Flags() {
		add(name, true, set)
	}
	add("failedLoginCount", s.FailedLogins, s.FailedLogins != 0)
	add("failedPasswordResetCount", s.FailedPasswordResets, s.FailedPasswordResets != 0)
	if s.LastLogin != nil {
		add("lastLoginDateTime", literal(moment(*s.LastLogin)), true)
	}
	if s.HeldAt != nil {
		add("holdDateTime", literal(moment(*s.HeldAt)), true)
	}
	add("holdReason", s.HoldReason, s.HoldReason != "")
	add("holdInitiatedBy", s.HeldBy, s.HeldBy != "")
	return m
}
