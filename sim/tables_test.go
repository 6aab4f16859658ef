package sim

import (
	"encoding/json"
	"fmt"
	"iter"
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
	form() reflect.Type
	roundTrip(t *testing.T)
	compareEachMember(t *testing.T)
}

// form returns the type of the stored form of rows.
func (s *tableSpec[R]) form() reflect.Type {
	form := reflect.TypeOf(s.pack(filled[R](0)))
	if form.Kind() == reflect.Pointer {
		return form.Elem()
	}
	return form
}

// filled returns a row with all members, down to a depth.
func filled[R any](depth int) *R {
	row := new(R)
	fill(reflect.ValueOf(row).Elem(), depth)
	switch r := any(row).(type) {
	case *Token:
		r.grant, r.added = &Grant{InstitutionID: "1", SharedKey: "app", HostUserID: "2", Sequence: 3}, depth > 0
	case *Group:
		r.folded, r.participants = fold(r.Name), participantsOf([]string{"a", "b"}[:min(depth, 2)])
	}
	return row
}

// roundTrip stores a row with all members, and one with as few as there can be, and reads them.
func (s *tableSpec[R]) roundTrip(t *testing.T) {
	for _, depth := range []int{10, 0} {
		row := filled[R](depth)
		stored := s.storedRow(row)
		read, err := s.unpack(stored.Value)
		require.NoError(t, err)
		require.True(t, s.same(row, read), "%s", stored.Value)
		if _, isGroup := any(row).(*Group); !isGroup { // its participants are a tree
			require.Equal(t, row, read, "%s", stored.Value)
		}
		require.Equal(t, stored, s.storedRow(read))

		var key R
		require.NoError(t, s.key(&key).parse(stored.Key))
		require.Equal(t, s.key(row), s.key(&key), "a key names its row")
		require.Error(t, s.key(&key).parse(stored.Key+"\x00more"))
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

// compareEachMember checks that rows with another value of any member are not the same.
func (s *tableSpec[R]) compareEachMember(t *testing.T) {
	row := filled[R](10)
	require.True(t, s.same(row, filled[R](10)))
	for i := range reflect.TypeFor[R]().NumField() {
		if field := reflect.TypeFor[R]().Field(i); field.IsExported() {
			changed := filled[R](10)
			reflect.ValueOf(changed).Elem().Field(i).SetZero()
			require.False(t, s.same(row, changed), field.Name)
		}
	}
}

func TestRowsAreComparedWhole(t *testing.T) {
	for _, table := range tables {
		t.Run(table.tableName(), table.(testedTable).compareEachMember)
	}
}

// Each member of a row is stored, and each key can be read.
func TestRowsAreStoredWhole(t *testing.T) {
	for _, table := range tables {
		t.Run(table.tableName(), table.(testedTable).roundTrip)
	}
}

// storedApart are the members of rows without a tag: the stored form has them, or they follow from the others.
var storedApart = []string{"Group.folded", "Group.participants", "Group.encoded", "Token.grant", "Token.added"}

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
		for f := range fields(form) {
			name := form.Name() + "." + f.Name
			if slices.Contains(storedApart, name) {
				continue
			}
			if !f.Anonymous {
				assert.True(t, f.IsExported(), "%s is not stored", name)
				assert.Regexp(t, `^[a-z][A-Za-z]*,omitzero$`, f.Tag.Get("json"), name)
			}
			check(f.Type)
		}
	}
	for _, table := range tables {
		check(table.(testedTable).form())
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

	require.Len(t, golden.Rows, len(tables))
	assertSet(t, reflect.ValueOf(golden.Meta), "meta")
	for i, table := range tables {
		row := golden.Rows[i]
		require.Equal(t, table.tableName(), row.Table, "the file has a row of each table")
		form := reflect.New(table.(testedTable).form())
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
