package sim

import (
	"reflect"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"
)

// rowOverhead is about how many bytes a row takes in the trees of its table and of each index.
const rowOverhead = 48

// weigher returns the scale of rows R: about how many bytes a row keeps with all that it points to, and with its places
// in so many trees. A new member of a row is weighed without being named.
func weigher[R any](trees int) func(*R) int {
	t := reflect.TypeFor[R]()
	fixed, outside := int(t.Size())+trees*rowOverhead, bytesOutside(t)
	return func(row *R) int { return fixed + outside(reflect.ValueOf(row).Elem()) }
}

// participantBytes is about how many bytes a participant takes in the set of its group.
const participantBytes = 80

// encodedBytes is about how many bytes [Group.Encoded] keeps.
const encodedBytes = 256

// bytesOutside returns the scale of a type: how many bytes a value keeps outside of itself. It panics for a kind of
// type that no row has had so far.
func bytesOutside(t reflect.Type) func(reflect.Value) int {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return nothing
	case t == reflect.TypeFor[idSet]():
		return func(v reflect.Value) int {
			participants := (*btree.BTreeG[string])(v.Elem().UnsafePointer())
			return participants.Len() * participantBytes
		}
	case t == reflect.TypeFor[atomic.Pointer[[]byte]]():
		return func(reflect.Value) int { return encodedBytes }
	}
	switch t.Kind() {
	case reflect.String:
		return reflect.Value.Len
	case reflect.Pointer:
		size, outside := int(t.Elem().Size()), bytesOutside(t.Elem())
		return func(v reflect.Value) int {
			if v.IsNil() {
				return 0
			}
			return size + outside(v.Elem())
		}
	case reflect.Slice:
		size, outside := int(t.Elem().Size()), bytesOutside(t.Elem())
		return func(v reflect.Value) (bytes int) {
			for i := range v.Len() {
				bytes += size + outside(v.Index(i))
			}
			return bytes
		}
	case reflect.Struct:
		return bytesOfMembers(t)
	case reflect.Map, reflect.Array, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		panic("sim: rows with a member of type " + t.String() + " can't be weighed")
	}
	return nothing
}

func bytesOfMembers(t reflect.Type) func(reflect.Value) int {
	type member struct {
		index   int
		outside func(reflect.Value) int
	}
	var members []member
	for i := range t.NumField() {
		if outside := bytesOutside(t.Field(i).Type); t.Field(i).Type.Kind() > reflect.Complex128 {
			members = append(members, member{i, outside})
		}
	}
	return func(v reflect.Value) (bytes int) {
		for _, m := range members {
			bytes += m.outside(v.Field(m.index))
		}
		return bytes
	}
}

func nothing(reflect.Value) int { return 0 }
