package fault

import "reflect"

// ruleBytes is about how many bytes a rule takes without its texts.
const ruleBytes = 1 << 10

// RuleBytes returns about how many bytes the rules of the set take.
func (s *Set) RuleBytes() (all int) {
	for _, c := range s.rules {
		all += ruleBytes + c.bytes
	}
	return all
}

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
