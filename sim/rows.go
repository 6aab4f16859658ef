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
	Value []byte // JSON; nil: the row isn't there any more
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
	var pcg rand.PCG
	if err := pcg.UnmarshalBinary(meta.Random); err != nil {
		return nil, fmt.Errorf("the state of the random source: %w", err)
	}
	for row := range rows {
		t, ok := storedTables[row.Table]
		if !ok {
			return nil, fmt.Errorf("there is no table %q", row.Table)
		}
		if err := t.put(w, row.Value); err != nil {
			return nil, fmt.Errorf("row %q of table %s: %w", row.Key, row.Table, err)
		}
	}
	w.random, w.sequence, w.alertID, w.home = random{pcg}, meta.Sequence, meta.AlertID, meta.Home
	w.given, w.tokensLeft = meta.Given, meta.TokensLeft
	return w, nil
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
	put   func(w *World, value []byte) error
	all   func(w *World) iter.Seq[StoredRow]
	track func(w *World, note func(key string, read func() StoredRow))
}

// storedTables are the tables that a store keeps, by name. Indexes follow from them.
var storedTables = map[string]storedTable{
	"institutions": stored("institutions", func(w *World) *table[*Institution] { return &w.institutions },
		func(i *Institution) string { return i.InstitutionID }, plain, func(w *World, i *Institution) { w.institutions.put(i) }),
	"clients": stored("clients", func(w *World) *table[*Client] { return &w.clients },
		func(c *Client) string { return storedKey(c.InstitutionID, c.SharedKey) }, plain, func(w *World, c *Client) { w.clients.put(c) }),
	"users": stored("users", func(w *World) *table[*User] { return &w.users },
		func(u *User) string { return storedKey(u.InstitutionID, u.HostUserID) }, plain, (*World).putUser),
	"accounts": stored("accounts", func(w *World) *table[*Account] { return &w.accounts },
		func(a *Account) string { return storedKey(a.InstitutionID, a.HostUserID, a.AccountID) }, plain,
		func(w *World, a *Account) { w.accounts.put(a) }),
	"grants": stored("grants", func(w *World) *table[*Grant] { return &w.grants },
		func(g *Grant) string {
			return storedKey(g.InstitutionID, g.SharedKey, g.HostUserID, strconv.FormatUint(g.Sequence, 10))
		},
		func(g *Grant) storedGrant { return storedGrant{g, g.added} },
		func(w *World, s storedGrant) {
			s.Grant.added = s.Added
			w.grants.put(s.Grant)
		}),
	"tokens": stored("tokens", func(w *World) *table[*Token] { return &w.tokens },
		func(t *Token) string { return t.Text },
		func(t *Token) storedToken { return storedToken{t, t.grant, t.added} },
		func(w *World, s storedToken) {
			s.Token.grant, s.Token.added = s.Grant, s.Added
			w.tokens.put(s.Token)
		}),
	"groups": stored("groups", func(w *World) *table[*Group] { return &w.groups },
		func(g *Group) string { return storedKey(g.InstitutionID, g.GroupID) },
		func(g *Group) storedGroup { return storedGroup{g, slices.Collect(g.Participants())} },
		func(w *World, s storedGroup) {
			s.Group.participants = participantsOf(s.Participants)
			w.putGroup(s.Group)
		}),
	"jobs": stored("jobs", func(w *World) *table[*Job] { return &w.jobs.byID },
		func(j *Job) string { return storedKey(j.InstitutionID, j.JobID) }, plain, (*World).putJob),
	"alertPreferences": stored("alertPreferences", func(w *World) *table[*AlertPreference] { return &w.alerts },
		func(p *AlertPreference) string {
			return storedKey(p.InstitutionID, p.HostUserID, strconv.FormatInt(p.AlertPrefID, 10))
		}, plain, func(w *World, p *AlertPreference) { w.alerts.put(p) }),
	"requestIds": stored("requestIds", func(w *World) *table[*usedRequestID] { return &w.requestIDs.byID },
		func(u *usedRequestID) string { return storedKey(u.institutionID, u.id) },
		func(u *usedRequestID) storedRequestID { return storedRequestID{u.institutionID, u.id, u.sequence} },
		func(w *World, s storedRequestID) {
			used := &usedRequestID{s.InstitutionID, s.ID, s.Sequence}
			w.requestIDs.byID.put(used)
			w.requestIDs.byAge.put(used)
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
	storedRequestID struct {
		InstitutionID, ID string
		Sequence          uint64
	}
)

// plain is for rows that are stored as they are.
func plain[R any](row R) R { return row }

// storedKey joins the members of a key.
func storedKey(members ...string) string { return strings.Join(members, "\x00") }

// stored describes a table whose rows R are stored as S.
func stored[R, S any](
	name string, of func(*World) *table[*R], key func(*R) string, pack func(*R) S, put func(*World, S),
) storedTable {
	row := func(r *R) StoredRow {
		value, err := json.Marshal(pack(r))
		if err != nil {
			panic("sim: a row of " + name + " that can't be written: " + err.Error())
		}
		return StoredRow{Table: name, Key: key(r), Value: value}
	}
	return storedTable{
		put: func(w *World, value []byte) error {
			var s S
			err := json.Unmarshal(value, &s)
			if err == nil {
				put(w, s)
			}
			return err
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
					if now, ok := t.get(r); ok {
						return row(now)
					}
					return StoredRow{Table: name, Key: key(r)}
				})
			}
		},
	}
}
