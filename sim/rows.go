package sim

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// StoredRow is a row of a world as a store keeps it.
type StoredRow struct {
	Table string
	Key   string // unique in its table
	Value []byte // JSON
	// Removed says that the row isn't there any more. Of the value, only what the key consists of counts then.
	Removed bool `json:",omitzero"`
}

// StoredMeta is what a store keeps of a world besides its rows and its behaviour, which is the scenario's.
type StoredMeta struct {
	Seed       uint64 `json:"seed"`
	Random     []byte `json:"random"` // the state of the random source
	Sequence   uint64 `json:"sequence"`
	AlertID    int64  `json:"alertId"`
	Home       string `json:"home"`
	Given      int    `json:"given"`
	TokensLeft int    `json:"tokensLeft"`
}

// Meta returns what a store keeps of the world besides its rows.
func (w *World) Meta() StoredMeta {
	random, err := w.random.pcg.MarshalBinary()
	if err != nil {
		panic("sim: a random source that can't be written: " + err.Error())
	}
	return StoredMeta{w.seed, random, w.sequence, w.alertID, w.home, w.given, w.tokensLeft}
}

// RestoreWorld returns the world that a store has kept.
func RestoreWorld(meta StoredMeta, behavior Behavior, rows iter.Seq[StoredRow]) (*World, error) {
	w := NewWorld(meta.Seed, behavior)
	return w, w.apply(meta, rows, true)
}

// Apply changes the world as another one was changed that was equal before: these rows were put and removed in that.
func (w *World) Apply(meta StoredMeta, rows iter.Seq[StoredRow]) error {
	return w.apply(meta, rows, false)
}

// apply is Apply, also to a world that has no rows: to look for old ones would make the start of a large bank a quarter slower.
func (w *World) apply(meta StoredMeta, rows iter.Seq[StoredRow], empty bool) error {
	var pcg rand.PCG
	if err := pcg.UnmarshalBinary(meta.Random); err != nil {
		return fmt.Errorf("the state of the random source: %w", err)
	}
	for row := range rows {
		t, ok := storedTables[row.Table]
		if !ok {
			return fmt.Errorf("there is no table %q", row.Table)
		}
		if err := t.apply(w, row, empty); err != nil {
			return fmt.Errorf("row %q of table %s: %w", row.Key, row.Table, err)
		}
	}
	w.seed, w.random, w.sequence, w.alertID, w.home = meta.Seed, random{pcg}, meta.Sequence, meta.AlertID, meta.Home
	w.given, w.tokensLeft = meta.Given, meta.TokensLeft
	return nil
}

// Rows yields all rows of the world.
func (w *World) Rows() iter.Seq[StoredRow] {
	return func(yield func(StoredRow) bool) {
		for _, name := range slices.Sorted(maps.Keys(storedTables)) {
			for row := range storedTables[name].all(w) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// Track makes the world note the rows that are put and removed from now on, and returns a function that returns them, each once, as
// they are then.
func (w *World) Track() (written func() []StoredRow) {
	type named struct{ table, key string }
	noted := map[named]func() StoredRow{}
	for name, t := range storedTables {
		t.track(w, func(key string, read func() StoredRow) { noted[named{name, key}] = read })
	}
	return func() []StoredRow {
		rows := make([]StoredRow, 0, len(noted))
		for _, read := range noted {
			rows = append(rows, read())
		}
		return rows
	}
}

// storedTable is how the rows of a table are stored.
type storedTable struct {
	apply func(w *World, row StoredRow, empty bool) error
	all   func(w *World) iter.Seq[StoredRow]
	track func(w *World, note func(key string, read func() StoredRow))
}

// storedTables are the tables that a store keeps, by name. Indexes follow from them.
var storedTables = map[string]storedTable{
	"institutions": storedAlone("institutions", func(w *World) *table[*Institution] { return &w.institutions },
		func(i *Institution) string { return i.InstitutionID }),
	"clients": storedAlone("clients", func(w *World) *table[*Client] { return &w.clients },
		func(c *Client) string { return storedKey(c.InstitutionID, c.SharedKey) }),
	"users": stored("users", func(w *World) *table[*User] { return &w.users },
		func(u *User) string { return storedKey(u.InstitutionID, u.HostUserID) }, plain, plain, (*World).putUser, (*World).deleteUser),
	"accounts": storedAlone("accounts", func(w *World) *table[*Account] { return &w.accounts },
		func(a *Account) string { return storedKey(a.InstitutionID, a.HostUserID, a.AccountID) }),
	"grants": stored("grants", func(w *World) *table[*Grant] { return &w.grants },
		func(g *Grant) string {
			return storedKey(g.InstitutionID, g.SharedKey, g.HostUserID, strconv.FormatUint(g.Sequence, 10))
		},
		func(g *Grant) storedGrant { return storedGrant{g, g.added} },
		func(s storedGrant) *Grant {
			s.Grant.added = s.Added
			return s.Grant
		},
		func(w *World, g *Grant) { w.grants.put(g) }, func(w *World, g *Grant) { w.grants.delete(g) }),
	"tokens": stored("tokens", func(w *World) *table[*Token] { return &w.tokens },
		func(t *Token) string { return t.Text },
		func(t *Token) storedToken { return storedToken{t, t.grant, t.added} },
		func(s storedToken) *Token {
			s.Token.grant, s.Token.added = s.Grant, s.Added
			return s.Token
		},
		func(w *World, t *Token) { w.tokens.put(t) }, func(w *World, t *Token) { w.tokens.delete(t) }),
	"groups": stored("groups", func(w *World) *table[*Group] { return &w.groups },
		func(g *Group) string { return storedKey(g.InstitutionID, g.GroupID) },
		func(g *Group) storedGroup { return storedGroup{g, slices.Collect(g.Participants())} },
		func(s storedGroup) *Group {
			s.Group.participants = participantsOf(s.Participants)
			return s.Group
		},
		(*World).putGroup, (*World).deleteGroup),
	"jobs": stored("jobs", func(w *World) *table[*Job] { return &w.jobs.byID },
		func(j *Job) string { return storedKey(j.InstitutionID, j.JobID) }, plain, plain, (*World).putJob, (*World).deleteJob),
	"alertPreferences": storedAlone("alertPreferences", func(w *World) *table[*AlertPreference] { return &w.alerts },
		func(p *AlertPreference) string {
			return storedKey(p.InstitutionID, p.HostUserID, strconv.FormatInt(p.AlertPrefID, 10))
		}),
	"requestIds": stored("requestIds", func(w *World) *table[*usedRequestID] { return &w.requestIDs.byID },
		func(u *usedRequestID) string { return storedKey(u.InstitutionID, u.ID) }, plain, plain,
		func(w *World, u *usedRequestID) {
			w.requestIDs.byID.put(u)
			w.requestIDs.byAge.put(u)
		},
		func(w *World, u *usedRequestID) {
			w.requestIDs.byID.delete(u)
			w.requestIDs.byAge.delete(u)
		}),
}

// The rows whose unexported members are stored, too.
type (
	storedGrant struct {
		*Grant
		Added bool
	}
	storedToken struct {
		*Token
		Grant *Grant
		Added bool
	}
	storedGroup struct {
		*Group
		Participants []string
	}
)

// plain is for rows that are stored as they are.
func plain[R any](row R) R { return row }

// storedKey joins the members of a key.
func storedKey(members ...string) string { return strings.Join(members, "\x00") }

// storedAlone describes a table that has no indexes, and whose rows are stored as they are.
func storedAlone[R any](name string, of func(*World) *table[*R], key func(*R) string) storedTable {
	return stored(name, of, key, plain, plain,
		func(w *World, r *R) { of(w).put(r) }, func(w *World, r *R) { of(w).delete(r) })
}

// stored describes a table whose rows R are stored as S.
func stored[R, S any](
	name string, of func(*World) *table[*R], key func(*R) string, pack func(*R) S, unpack func(S) *R, put, remove func(*World, *R),
) storedTable {
	row := func(r *R) StoredRow {
		value, err := json.Marshal(pack(r))
		if err != nil {
			panic("sim: a row of " + name + " that can't be written: " + err.Error())
		}
		return StoredRow{Table: name, Key: key(r), Value: value}
	}
	return storedTable{
		apply: func(w *World, stored StoredRow, empty bool) error {
			var s S
			if err := json.Unmarshal(stored.Value, &s); err != nil {
				return err
			}
			r := unpack(s)
			if !empty {
				if old, ok := of(w).get(r); ok {
					remove(w, old)
				}
			}
			if !stored.Removed {
				put(w, r)
			}
			return nil
		},
		all: func(w *World) iter.Seq[StoredRow] {
			return func(yield func(StoredRow) bool) {
				for r := range of(w).all() {
					if !yield(row(r)) {
						return
					}
				}
			}
		},
		track: func(w *World, note func(key string, read func() StoredRow)) {
			t := of(w)
			t.wrote = func(r *R) {
				note(key(r), func() StoredRow {
					now, there := t.get(r)
					if there {
						return row(now)
					}
					gone := row(r)
					gone.Removed = true
					return gone
				})
			}
		},
	}
}
