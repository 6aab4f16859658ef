package explore

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// members maps the names of the values in a request or a row to the values, such as disclosures[0].paperWaiver to true.
// Values are in JSON, except for parameters of requests. An empty object or list is a value.
type members map[string]string

// membersOf returns the members of a JSON value.
func membersOf(value any) members {
	m := members{}
	m.add("", value)
	return m
}

func (m members) add(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for member, inner := range value {
			m.add(strings.TrimPrefix(name+"."+member, "."), inner)
		}
		if len(value) > 0 {
			return
		}
	case []any:
		for i, element := range value {
			m.add(fmt.Sprintf("%s[%d]", name, i), element)
		}
		if len(value) > 0 {
			return
		}
	}
	m[name] = encode(value)
}

// text returns the value of a name for a message, or "nothing".
func (m members) text(name string) string { return shorten(cmp.Or(m[name], "nothing")) }

// differing returns the names whose values differ, sorted.
func differing(one, other members) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(one)), maps.Keys(other))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		value, ok := one[name]
		otherValue, otherOK := other[name]
		return ok == otherOK && value == otherValue
	})
}

// hash identifies the request of an operation by the members that don't vary.
func (m members) hash(operation string, varying varyingMembers) string {
	fixed := maps.Clone(m)
	maps.DeleteFunc(fixed, func(name, _ string) bool { return varying[member{operation, name}] })
	sum := sha256.Sum256([]byte(encode(fixed)))
	return fmt.Sprintf("%x", sum[:8])
}

// requestMembers returns what a call asks for: path, query.size, header.fiid, body.groupName. Ids, times and tokens are
// replaced by placeholders, and the id of the request is left out, because they differ from call to call.
func requestMembers(op *contract.Operation, r *journal.Request) members {
	m := members{"path": finalNumber().ReplaceAllString(normalize(r.Path), "/(an id)")}
	m.addValues("query.", r.Query.Values())
	for _, name := range op.ParameterNames("header") {
		if value := r.Headers.Get(name); value != "" && !strings.EqualFold(name, op.Family.RequestID) {
			m["header."+name] = normalize(value)
		}
	}
	m.addBody(r)
	return m
}

func (m members) addValues(prefix string, values url.Values) {
	for name, texts := range values {
		m[prefix+name] = normalize(strings.Join(texts, ", "))
	}
}

// addBody adds the members of a body, or the whole body if it has no members.
func (m members) addBody(r *journal.Request) {
	contentType := r.Headers.Get("Content-Type")
	parts, isMultipart, _ := strictjson.Parts([]byte(r.Body), contentType)
	var value any
	switch {
	case r.Body == "":
	case isMultipart: // clients draw the boundary
		for name, part := range parts {
			m["body."+name] = normalize(string(part.Content))
			m["file."+name] = part.FileName
		}
	case json.Unmarshal([]byte(r.Body), &value) == nil:
		m.add("body", normalizeValue(value, nil))
	case redact.IsForm(contentType):
		form, _ := url.ParseQuery(r.Body) // what can be read of it
		m.addValues("body.", form)
	default:
		m["body"] = normalize(r.Body)
	}
}

// encode returns a value in JSON, with the members of objects sorted by name.
func encode(value any) string { return string(strictjson.MustEncode(value)) }
