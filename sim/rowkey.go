package sim

import (
	"errors"
	"strconv"
	"strings"
)

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
