package controlapi

import (
	"context"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// stateCalls returns the calls that show what a bank holds.
func (c control) stateCalls() []Call {
	return []Call{
		inSandbox(c, "GET", "/state", "getState",
			"The world at one moment, by institution. Secrets are left out, or are fingerprints.", c.getState).
			large(reflect.TypeFor[api.State]()).
			answers(yamlMedia, AboutScenario),
		inSandbox(c, "GET", "/users", "listUsers", "The users to test with. "+
			"Says what each is good for. It has the secrets that the sandbox's scenario gave.", c.listUsers).
			large(reflect.TypeFor[api.Users]()),
		inSandbox(c, "GET", "/diff", "getDiff",
			"The rows that differ from another moment. The start, or a snapshot.", c.getDiff).
			large(reflect.TypeFor[api.Diff]()),
		inSandbox(c, "GET", "/keys", "getKeys",
			"The key that signs id_tokens. It is a JSON Web Key Set (RFC 7517). It needs no token.", c.getKeys).
			public(),
	}
}

// UserFilter is the input of a call about some users.
type UserFilter struct {
	Institution string `query:"institution" doc:"Only this institution."`
	User        string `query:"user" doc:"Only this user, and the tokens that reach the user. It needs institution."`
	Text        string `query:"text" doc:"Only rows that have this text in their ids, names or descriptions, in any case."`
}

// check refuses a user without an institution (400), and rows that don't exist (404).
func (f UserFilter) check(w *sim.World) error {
	if f.User != "" && f.Institution == "" {
		return refuse(http.StatusBadRequest,
			"user needs institution: the same hostUserId may be that of users of several institutions")
	}
	if f.Institution == "" {
		return nil
	}
	if f.User == "" {
		_, err := institutionOf(w, f.Institution)
		return err
	}
	return checkUser(w, f.Institution, f.User)
}

// checkUser refuses (404) an institution and a user that the bank doesn't have.
func checkUser(w *sim.World, institution, user string) error {
	if _, err := institutionOf(w, institution); err != nil {
		return err
	}
	if _, ok := w.User(institution, user); !ok {
		return refuse(http.StatusNotFound, "institution %s has no user %s%s", wording.Quote(institution),
			wording.Quote(user), wording.DidYouMean(user, firstUsers(w, institution), "it has"))
	}
	return nil
}

// firstUsers returns the hostUserIds of the first users of an institution.
func firstUsers(w *sim.World, institutionID string) (ids []string) {
	for u := range w.Users(institutionID) {
		if ids = append(ids, u.HostUserID); len(ids) == maxUsers {
			break
		}
	}
	return ids
}

// institutions yields the institutions that are asked for.
func (f UserFilter) institutions(w *sim.World) iter.Seq[*sim.Institution] {
	if i, ok := w.Institution(f.Institution); ok {
		return slices.Values([]*sim.Institution{i})
	}
	return w.Institutions()
}

// hasUser reports whether a user is asked for.
func (f UserFilter) hasUser(w *sim.World, u *sim.User) bool {
	if f.User != "" {
		return u.HostUserID == f.User
	}
	for a := range w.Accounts(u.InstitutionID, u.HostUserID) {
		if f.has(a.AccountID) {
			return true
		}
	}
	return f.has(u.HostUserID, u.Username)
}

// has reports whether one of the texts has the text that is asked for, in any case.
func (f UserFilter) has(texts ...string) bool {
	wanted := strings.ToLower(f.Text)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), wanted) })
}

type stateInput struct {
	SandboxPath
	UserFilter
	Limit  *int   `query:"limit" minimum:"0" maximum:"1000" doc:"The maximum number of rows of each kind in each institution. Default: all."`
	Format string `query:"format" enum:"json,scenario" doc:"As a scenario, the YAML loads to an equal bank. It has the secrets that the sandbox's scenario gave."`
}

// getState answers with a part of an [api.State], or with a scenario that loads to an equal bank. A large bank has a
// hundred thousand users and a state of many megabytes; the console asks for a part of it.
func (c control) getState(ctx context.Context, b bank, in *stateInput) (stream, error) {
	if in.Format == "scenario" {
		if in.UserFilter != (UserFilter{}) || in.Limit != nil {
			return nil, refuse(http.StatusBadRequest,
				"a scenario has the whole state: leave out institution, user, text and limit")
		}
		var source []byte
		err := c.alone(ctx, func() (err error) {
			source, err = scenario.Save(b.now.Bank()) // Save refuses a world that is too large for a scenario
			return err
		})
		if err != nil {
			return nil, err
		}
		return largeText(yamlMedia, source), nil
	}
	world := b.now.World
	if err := in.check(world); err != nil {
		return nil, err
	}
	return largeJSON(func(w *strictjson.Writer) {
		w.Object(func() {
			strictjson.WriteList(w, "institutions", in.institutions(world), func(i *sim.Institution) {
				w.Object(func() {
					rows := &rowWriter{w, in.Limit, map[string]int{}}
					rows.writeInstitution(world, i, in.UserFilter, b.now.Now)
				})
			})
		})
	}), nil
}

// rowWriter writes lists of rows, each up to a limit, and counts the rows that match.
type rowWriter struct {
	*strictjson.Writer
	limit  *int           // of each list, or nil
	counts map[string]int // how many rows match, by the name of the list
}

// writeRows writes a list of the rows that match. Nil matches all.
func writeRows[T any](w *rowWriter, name string, all iter.Seq[T], matches func(T) bool, write func(T)) {
	count := 0
	matching := func(yield func(T) bool) {
		for row := range all {
			if matches != nil && !matches(row) {
				continue
			}
			if count++; (w.limit == nil || count <= *w.limit) && !yield(row) {
				return
			}
		}
	}
	strictjson.WriteList(w.Writer, name, matching, write)
	w.counts[name] = count
}

// writeInstitution writes the members of an [api.Institution]. For one user, it has the tokens that reach
// the user, and no groups, jobs and common preferences.
func (w *rowWriter) writeInstitution(world *sim.World, i *sim.Institution, f UserFilter, now time.Time) {
	id := i.InstitutionID
	isWhole := f.User == ""
	w.Members(newInstitutionRow(i))
	writeRows(w, "clients", world.Clients(id), nil, func(c *sim.Client) { w.Value(c.SharedKey) })
	writeRows(w, "users", world.Users(id), func(u *sim.User) bool { return f.hasUser(world, u) },
		func(u *sim.User) { w.Value(newUserState(world, u)) })
	writeRows(w, "tokens", world.Grants(id), func(g *sim.Grant) bool {
		return (isWhole || g.HostUserID == "" || g.HostUserID == f.User) &&
			f.has(g.SharedKey, g.HostUserID, g.GrantType,
				redact.Fingerprint(g.AccessToken), redact.Fingerprint(g.RefreshToken))
	}, func(g *sim.Grant) {
		grant := newGrantState(world, g)
		if w.limit != nil {
			grant.Row = g.Row()
		}
		w.Value(grant)
	})
	writeRows(w, "groups", world.Groups(id), func(g *sim.Group) bool {
		return isWhole && f.has(g.GroupID, g.Name, g.Description)
	}, func(g *sim.Group) {
		w.Object(func() {
			w.Members(newGroupRow(g))
			strictjson.WriteList(w.Writer, "participants", g.Participants(), func(id string) { w.Value(id) })
		})
	})
	writeRows(w, "jobs", world.Jobs(id),
		func(j *sim.Job) bool { return isWhole && f.has(j.JobID, j.GroupID, j.FileName) },
		func(j *sim.Job) { w.Value(newJobState(j.At(now))) })
	writeRows(w, "alertPreferences", world.AlertPreferences(id, ""), func(*sim.AlertPreference) bool { return isWhole },
		func(p *sim.AlertPreference) { w.Value(newAlertPreference(p)) })
	if w.limit != nil {
		w.Member("counts", w.counts)
	}
}

// getKeys answers with the key that signs id_tokens. It needs no token, because apps check id_tokens.
func (c control) getKeys(ctx context.Context, b bank, in *SandboxPath) (sandbox.KeySet, error) {
	return sandbox.KeySetOf(b.now.World), nil
}
