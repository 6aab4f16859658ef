package sim

import (
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testedForm is what the tests need of a [storedTable].
type testedForm interface {
	storedTable
	form() reflect.Type
	roundTrip(t *testing.T)
}

func (t *tableForm[R, S]) form() reflect.Type { return reflect.TypeFor[S]() }

// roundTrip stores a row with all members, and one with as few as there can be, and reads them.
func (t *tableForm[R, S]) roundTrip(test *testing.T) {
	for _, depth := range []int{10, 0} {
		row := new(R)
		fill(reflect.ValueOf(row).Elem(), depth)
		switch r := any(row).(type) {
		case *Grant:
			r.added = depth > 0
		case *Token:
			r.grant, r.added = &Grant{InstitutionID: "1", SharedKey: "app", HostUserID: "2", Sequence: 3}, depth > 0
		case *Group:
			r.participants = participantsOf([]string{"a", "b"}[:min(depth, 2)])
		}
		s := t.pack(row)
		value, err := json.Marshal(&s)
		require.NoError(test, err)
		var read S
		require.NoError(test, json.Unmarshal(value, &read))
		if g, ok := any(row).(*Group); ok {
			require.True(test, g.equal(any(t.unpack(&read)).(*Group)), "%s", value)
		} else {
			require.Equal(test, row, t.unpack(&read), "%s", value)
		}
		again := t.pack(t.unpack(&read))
		require.Equal(test, s, again)

		var key R
		require.NoError(test, t.key(&key).parse(t.key(row).String()))
		require.Equal(test, t.key(row), t.key(&key), "a key names its row")
		require.Error(test, t.key(&key).parse(t.key(row).String()+"\x00more"))
	}
}

// fill sets all exported members of a value, those in pointers and slices too, down to a depth.
func fill(v reflect.Value, depth int) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 6789, time.UTC)))
		return
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth)
			}
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("a\x00b\x01" + v.Type().Name())
	case reflect.Bool:
		v.SetBool(depth > 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(1 << 60)
	case reflect.Uint64:
		v.SetUint(1 << 63)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), depth-1)
		}
	default:
		panic("a member of type " + v.Type().String())
	}
}

// Each member of a row is stored, and each key can be read.
func TestRowsAreStoredWhole(t *testing.T) {
	for _, table := range storedTables {
		t.Run(table.name(), table.(testedForm).roundTrip)
	}
}

// Each member of a stored form has a name that doesn't follow from Go's, and leaves no trace while it is zero.
func TestStoredMembersHaveNames(t *testing.T) {
	seen := map[reflect.Type]bool{reflect.TypeFor[time.Time](): true}
	var check func(form reflect.Type)
	check = func(form reflect.Type) {
		for form.Kind() == reflect.Pointer || form.Kind() == reflect.Slice {
			form = form.Elem()
		}
		if form.Kind() != reflect.Struct || seen[form] {
			return
		}
		seen[form] = true
		assert.True(t, strings.HasPrefix(form.Name(), "stored"), "%s is part of a stored form", form)
		for f := range fields(form) {
			assert.True(t, f.IsExported() && !f.Anonymous, "%s.%s", form, f.Name)
			assert.Regexp(t, `^[a-z][A-Za-z]*,omitzero$`, f.Tag.Get("json"), "%s.%s", form, f.Name)
			check(f.Type)
		}
	}
	for _, table := range storedTables {
		check(table.(testedForm).form())
	}
	for _, outer := range []reflect.Type{reflect.TypeFor[StoredRow](), reflect.TypeFor[StoredMeta]()} {
		for f := range fields(outer) {
			assert.Regexp(t, `^[a-z]`, f.Tag.Get("json"), "%s.%s", outer, f.Name)
		}
	}
}

// fields yields the fields of a struct.
func fields(form reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range form.NumField() {
			if !yield(form.Field(i)) {
				return
			}
		}
	}
}

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

	require.Len(t, golden.Rows, len(storedTables))
	assertSet(t, reflect.ValueOf(golden.Meta), "meta")
	for i, table := range storedTables {
		row := golden.Rows[i]
		require.Equal(t, table.name(), row.Table, "the file has a row of each table")
		form := reflect.New(table.(testedForm).form())
		require.NoError(t, json.Unmarshal(row.Value, form.Interface()))
		assertSet(t, form.Elem(), row.Table)

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
			assertSet(t, v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			assertSet(t, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	}
}
