package fault

import "reflect"

// MaxBytes is how many bytes of texts the rules of a set hold: bodies, headers and conditions (choice).
const MaxBytes = 8 << 20

// bytes returns how many bytes of texts the rule holds, without its name: a set may give it one.
func (r Rule) bytes() int {
	r.Name = ""
	return textBytes(reflect.ValueOf(r))
}

// textBytes returns the length of all texts in a value, the names of members included.
func textBytes(v reflect.Value) (sum int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return textBytes(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			sum += textBytes(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			sum += textBytes(v.Index(i))
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			sum += textBytes(entries.Key()) + textBytes(entries.Value())
		}
	}
	return sum
}
