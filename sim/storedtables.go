package sim

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// storedTables are the tables that a store keeps, in their order. The indexes of a world follow from them.
var storedTables = []storedTable{
	&tableForm[Institution, storedInstitution]{
		table:  "institutions",
		rows:   func(w *World) *table[*Institution] { return &w.institutions },
		key:    func(i *Institution) rowKey { return rowKey{&i.InstitutionID} },
		pack:   packInstitution,
		unpack: (*storedInstitution).unpack,
	},
	&tableForm[Client, storedClient]{
		table:  "clients",
		rows:   func(w *World) *table[*Client] { return &w.clients },
		key:    func(c *Client) rowKey { return rowKey{&c.InstitutionID, &c.SharedKey} },
		pack:   packClient,
		unpack: (*storedClient).unpack,
	},
	&tableForm[User, storedUser]{
		table:  "users",
		rows:   func(w *World) *table[*User] { return &w.users },
		key:    func(u *User) rowKey { return rowKey{&u.InstitutionID, &u.HostUserID} },
		pack:   packUser,
		unpack: (*storedUser).unpack,
		put:    (*World).putUser,
		remove: (*World).deleteUser,
	},
	&tableForm[Account, storedAccount]{
		table:  "accounts",
		rows:   func(w *World) *table[*Account] { return &w.accounts },
		key:    func(a *Account) rowKey { return rowKey{&a.InstitutionID, &a.HostUserID, &a.AccountID} },
		pack:   packAccount,
		unpack: (*storedAccount).unpack,
	},
	&tableForm[Grant, storedGrant]{
		table:  "grants",
		rows:   func(w *World) *table[*Grant] { return &w.grants },
		key:    func(g *Grant) rowKey { return rowKey{&g.InstitutionID, &g.SharedKey, &g.HostUserID, &g.Sequence} },
		pack:   packGrant,
		unpack: (*storedGrant).unpack,
	},
	&tableForm[Token, storedToken]{
		table:  "tokens",
		rows:   func(w *World) *table[*Token] { return &w.tokens },
		key:    func(t *Token) rowKey { return rowKey{&t.Text} },
		pack:   packToken,
		unpack: (*storedToken).unpack,
	},
	&tableForm[Group, storedGroup]{
		table:  "groups",
		rows:   func(w *World) *table[*Group] { return &w.groups },
		key:    func(g *Group) rowKey { return rowKey{&g.InstitutionID, &g.GroupID} },
		pack:   packGroup,
		unpack: (*storedGroup).unpack,
		put:    (*World).putGroup,
		remove: (*World).deleteGroup,
	},
	&tableForm[Job, storedJob]{
		table:  "jobs",
		rows:   func(w *World) *table[*Job] { return &w.jobs.byID },
		key:    func(j *Job) rowKey { return rowKey{&j.InstitutionID, &j.JobID} },
		pack:   packJob,
		unpack: (*storedJob).unpack,
		put:    (*World).putJob,
		remove: (*World).deleteJob,
	},
	&tableForm[AlertPreference, storedAlertPreference]{
		table:  "alertPreferences",
		rows:   func(w *World) *table[*AlertPreference] { return &w.alerts },
		key:    func(p *AlertPreference) rowKey { return rowKey{&p.InstitutionID, &p.HostUserID, &p.AlertPrefID} },
		pack:   packAlertPreference,
		unpack: (*storedAlertPreference).unpack,
	},
	&tableForm[usedRequestID, storedRequestID]{
		table:  "requestIds",
		rows:   func(w *World) *table[*usedRequestID] { return &w.requestIDs.byID },
		key:    func(u *usedRequestID) rowKey { return rowKey{&u.InstitutionID, &u.ID} },
		pack:   packRequestID,
		unpack: (*storedRequestID).unpack,
		put:    (*World).putRequestID,
		remove: (*World).deleteRequestID,
	},
}

// storedTable is a table that a store keeps.
type storedTable interface {
	// name returns the name of the table in a store.
	name() string
	// apply puts or removes a row. In an empty world it doesn't look for an old row.
	apply(w *World, row StoredRow, empty bool) error
	// yieldRows yields all rows. It returns false if yield did.
	yieldRows(w *World, yield func(StoredRow) bool) bool
	// track makes the table note the rows that are written.
	track(w *World)
	// appendWritten appends each row that was written once, in its present state.
	appendWritten(w *World, to []StoredRow) []StoredRow
}

// storedTableOf returns a table by its name.
func storedTableOf(name string) (storedTable, bool) {
	for _, t := range storedTables {
		if t.name() == name {
			return t, true
		}
	}
	return nil, false
}

// tableForm implements [storedTable] for rows R with the stored form S.
type tableForm[R, S any] struct {
	table  string
	rows   func(*World) *table[*R]
	key    func(*R) rowKey
	pack   func(*R) S
	unpack func(*S) *R
	// put and remove write to the table and to its indexes. They are nil for a table without indexes.
	put, remove func(*World, *R)
}

func (t *tableForm[R, S]) name() string { return t.table }

func (t *tableForm[R, S]) apply(w *World, stored StoredRow, empty bool) error {
	if stored.Removed {
		var r R
		if err := t.key(&r).parse(stored.Key); err != nil {
			return err
		}
		t.removeOld(w, &r)
		return nil
	}
	var s S
	if err := json.Unmarshal(stored.Value, &s); err != nil {
		return err
	}
	r := t.unpack(&s)
	if !empty {
		t.removeOld(w, r)
	}
	if t.put == nil {
		t.rows(w).put(r)
	} else {
		t.put(w, r)
	}
	return nil
}

// removeOld removes the row with a key, if there is one.
func (t *tableForm[R, S]) removeOld(w *World, key *R) {
	old, ok := t.rows(w).get(key)
	switch {
	case !ok:
	case t.remove == nil:
		t.rows(w).delete(old)
	default:
		t.remove(w, old)
	}
}

// row returns a row as a store keeps it.
func (t *tableForm[R, S]) row(r *R) StoredRow {
	s := t.pack(r)
	value, err := json.Marshal(&s)
	if err != nil {
		panic("sim: a row of " + t.table + " that can't be written: " + err.Error())
	}
	return StoredRow{Table: t.table, Key: t.key(r).String(), Value: value}
}

func (t *tableForm[R, S]) yieldRows(w *World, yield func(StoredRow) bool) bool {
	for r := range t.rows(w).all() {
		if !yield(t.row(r)) {
			return false
		}
	}
	return true
}

func (t *tableForm[R, S]) track(w *World) {
	rows := t.rows(w)
	rows.tracked, rows.written = true, nil
}

func (t *tableForm[R, S]) appendWritten(w *World, to []StoredRow) []StoredRow {
	rows := t.rows(w)
	if len(rows.written) == 0 {
		return to
	}
	seen := make(map[string]bool, len(rows.written))
	for _, r := range rows.written {
		key := t.key(r).String()
		if seen[key] {
			continue
		}
		seen[key] = true
		if now, ok := rows.get(r); ok {
			to = append(to, t.row(now))
		} else {
			to = append(to, StoredRow{Table: t.table, Key: key, Removed: true})
		}
	}
	return to
}

// rowKey points to the members of a row that make up its key: strings and whole numbers. The last elements may be nil.
type rowKey [4]any

// Members of a key are separated by a zero byte. A zero byte in a member is escaped.
var (
	keyEscapes   = strings.NewReplacer("\x00", "\x01\x01", "\x01", "\x01\x02")
	keyUnescapes = strings.NewReplacer("\x01\x01", "\x00", "\x01\x02", "\x01")
)

// String returns the key as a store has it.
func (k rowKey) String() string {
	var space [100]byte
	text := space[:0]
	for i, member := range k {
		if member == nil {
			break
		}
		if i > 0 {
			text = append(text, 0)
		}
		switch m := member.(type) {
		case *string:
			text = append(text, keyEscapes.Replace(*m)...)
		case *uint64:
			text = strconv.AppendUint(text, *m, 10)
		case *int64:
			text = strconv.AppendInt(text, *m, 10)
		}
	}
	return string(text)
}

// parse sets the members from a key as a store has it.
func (k rowKey) parse(text string) (err error) {
	members := strings.Split(text, "\x00")
	if n := len(members); n > len(k) || k[n-1] == nil || n < len(k) && k[n] != nil {
		return errors.New("the key has too few or too many members")
	}
	for i, member := range members {
		switch m := k[i].(type) {
		case *string:
			*m = keyUnescapes.Replace(member)
		case *uint64:
			*m, err = strconv.ParseUint(member, 10, 64)
		case *int64:
			*m, err = strconv.ParseInt(member, 10, 64)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
