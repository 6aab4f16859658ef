package sim

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testedTable is what the tests need of a table.
type testedTable interface {
	anyTable
	check(t *testing.T, stored StoredRow)
}

// check checks with a stored row of all members that each member is stored, and that rows with another value of any
// member are not the same.
func (s *tableSpec[R]) check(t *testing.T, stored StoredRow) {
	read := func() *R {
		row, err := s.unpack(stored.Value)
		require.NoError(t, err)
		return row
	}
	require.True(t, s.isSame(read(), read()))
	assertSet(t, reflect.ValueOf(s.pack(read())), stored.Table)
	for i := range reflect.TypeFor[R]().NumField() {
		if field := reflect.TypeFor[R]().Field(i); field.IsExported() {
			changed := read()
			reflect.ValueOf(changed).Elem().Field(i).SetZero()
			assert.False(t, s.isSame(read(), changed), "%s.%s", stored.Table, field.Name)
		}
	}
}

// storedApart are the members of rows without a tag: the stored form has them, or they follow from the others.
var storedApart = []string{"Group.folded", "Group.participants", "Group.encoded", "Token.grant", "Token.added"}

// Stores have rows as in testdata/rows-2.json. If this test fails, a world loses some of what is stored. New members
// and new tables are added to the file by hand. The rest of it never changes.
func TestStoredFormsStayAsTheyAre(t *testing.T) {
	file, err := os.ReadFile("testdata/rows-2.json")
	require.NoError(t, err)
	type stored struct {
		Meta StoredMeta  `json:"meta"`
		Rows []StoredRow `json:"rows"`
	}
	var golden stored
	require.NoError(t, json.Unmarshal(file, &golden))

	w, err := RestoreWorld(golden.Meta, &Policies{}, slices.Values(golden.Rows))
	require.NoError(t, err)
	again, err := json.MarshalIndent(stored{w.Meta(), slices.Collect(w.Rows())}, "", "\t")
	require.NoError(t, err)
	require.Equal(t, string(file), string(again)+"\n")

	require.Len(t, golden.Rows, len(tables))
	assertSet(t, reflect.ValueOf(golden.Meta), "meta")
	for i, table := range tables {
		row := golden.Rows[i]
		require.Equal(t, table.tableName(), row.Table, "the file has a row of each table")
		table.(testedTable).check(t, row)

		removed := []StoredRow{{Table: row.Table, Key: row.Key, Removed: true}}
		require.NoError(t, w.Apply(golden.Meta, slices.Values(removed)))
	}
	require.Empty(t, slices.Collect(w.Rows()), "a key is enough to remove a row")
}

// assertSet checks that no member of a value is zero.
func assertSet(t *testing.T, v reflect.Value, path string) {
	assert.False(t, v.IsZero(), "the file lacks %s", path)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			assertSet(t, v.Elem(), path)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			switch name := v.Type().Field(i).Name; {
			case slices.Contains(storedApart, v.Type().Name()+"."+name):
			case v.Type() == reflect.TypeFor[storedToken]() && name == "Grant": // only has the members of a key
				assert.False(t, v.Field(i).IsNil(), "the file lacks %s.Grant", path)
			default:
				assertSet(t, v.Field(i), path+"."+name)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			assertSet(t, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	}
}
