package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// EachMember calls fn for each member of a JSON object, with its path and, if it is a number, true, false or null, its
// text. The path of a member of an object in the object begins with the names of the objects around it:
// alertPreferenceDetails.externalId. EachMember enters an object only if fn returns true for it. It stops where the
// text is no JSON any more.
func EachMember(data []byte, fn func(path, text string) (enter bool)) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if decoder.PeekKind() == '{' {
		eachMember(decoder, "", fn)
	}
}

func eachMember(decoder *jsontext.Decoder, before string, fn func(path, text string) (enter bool)) {
	_, _ = decoder.ReadToken() // the brace
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return
		}
		path, kind := before+name.String(), decoder.PeekKind()
		if kind == '{' || kind == '[' || kind == '"' {
			if fn(path, "") && kind == '{' {
				eachMember(decoder, path+".", fn)
			} else if decoder.SkipValue() != nil {
				return
			}
			continue
		}
		value, err := decoder.ReadValue()
		if err != nil {
			return
		}
		fn(path, string(value))
	}
	_, _ = decoder.ReadToken() // the other brace
}
