package bankapi

import (
	"bytes"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// blankObject is an object with all members of its shape, in their order. Some texts are given by the names of their
// members, an enumeration has its first value, and every other member is blank. The contract has the shape, so no
// struct repeats it. The shape may be null instead.
type blankObject struct {
	shape *contract.Object
	texts map[string]string
}

func blank(shape *contract.Object, texts map[string]string) blankObject {
	return blankObject{shape, texts}
}

// MarshalJSON writes the object.
func (o blankObject) MarshalJSON() ([]byte, error) {
	if o.shape.Null {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o.shape.Members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(strictjson.MustEncode(m.Name))
		b.WriteByte(':')
		b.Write(strictjson.MustEncode(o.value(m)))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (o blankObject) value(m contract.Member) any {
	switch t := m.Type; {
	case t.JSON == "array":
		return []string{}
	case t.Object != nil:
		return blank(t.Object, nil)
	case t.JSON == "boolean":
		return false
	case t.JSON == "integer":
		return 0
	case len(t.Enum) > 0:
		return t.Enum[0]
	}
	return o.texts[m.Name]
}
