package explore

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// newRequest returns what a call asks for, by member: path, query.size, header.fiid, body.groupName. What differs from call to call is
// left out or replaced: the id of the request, times, ids and tokens.
func newRequest(x *journal.Exchange) leaves {
	r := leaves{"path": aNumber.ReplaceAllString(steady(x.Request.Path), "/(an id)")}
	for name, values := range x.Request.Query {
		r["query."+name] = steady(strings.Join(values, ", "))
	}
	if op := contract.In(sim.Dialect(x.Dialect)).Operation(x.Operation); op != nil {
		for _, name := range op.ParameterNames("header") {
			if value := x.Request.Headers.Get(name); value != "" && !strings.EqualFold(name, op.Family.RequestID) {
				r["header."+name] = steady(value)
			}
		}
	}
	r.addBody(&x.Request)
	return r
}

// addBody adds the members of a body, or the whole where it has none.
func (l leaves) addBody(r *journal.Request) {
	kind := r.Headers.Get("Content-Type")
	_, params, _ := mime.ParseMediaType(kind)
	var value any
	switch {
	case r.Body == "":
	case params["boundary"] != "": // which clients draw
		l.addParts(multipart.NewReader(strings.NewReader(r.Body), params["boundary"]))
	case json.Unmarshal([]byte(r.Body), &value) == nil:
		l.add("body", steadyValue(value, nil))
	case redact.IsForm(kind):
		form, _ := url.ParseQuery(r.Body) // what can be read of it
		for name, values := range form {
			l["body."+name] = steady(strings.Join(values, ", "))
		}
	default:
		l["body"] = steady(r.Body)
	}
}

// addParts adds the parts of a multipart body, as far as they can be read, each as a member; of a file its name, too.
func (l leaves) addParts(r *multipart.Reader) {
	for part, err := r.NextPart(); err == nil; part, err = r.NextPart() {
		content, _ := io.ReadAll(part)
		l["body."+part.FormName()] = steady(string(content))
		if name := part.FileName(); name != "" {
			l["file."+part.FormName()] = steady(name)
		}
	}
}

// key identifies the request, without the members that vary, as of an operation.
func (l leaves) key(operation string, varying varying) string {
	kept := maps.Clone(l)
	maps.DeleteFunc(kept, func(name, _ string) bool { return varying.has(operation, name) })
	sum := sha256.Sum256([]byte(encode(kept)))
	return hex.EncodeToString(sum[:8])
}

// leaves are the values in a request or a row that are no objects and no lists, by the names that lead to them, such as
// disclosures[0].paperWaiver: in JSON, but for parameters of requests. Empty objects and lists count as values.
type leaves map[string]string

func leavesOf(value any) leaves {
	l := leaves{}
	l.add("", value)
	return l
}

func (l leaves) add(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for member, inner := range value {
			l.add(strings.TrimPrefix(name+"."+member, "."), inner)
		}
		if len(value) > 0 {
			return
		}
	case []any:
		for i, element := range value {
			l.add(fmt.Sprintf("%s[%d]", name, i), element)
		}
		if len(value) > 0 {
			return
		}
	}
	l[name] = encode(value)
}

// value returns a value, or what stands for one that is not there.
func (l leaves) value(name string) string { return short(cmp.Or(l[name], "nothing")) }

// apart returns the names of the values in which two of them differ, sorted.
func apart(one, other leaves) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(one)), maps.Keys(other))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		value, ok := one[name]
		otherValue, otherOK := other[name]
		return ok == otherOK && value == otherValue
	})
}

// encode writes a value in JSON, with the members of objects by their names.
func encode(value any) string { return string(wire.MustEncode(value)) }

// What the bank draws, or depends on the time: ids, which are UUIDs, fingerprints of tokens, and times, to the minute at least.
var (
	drawn   = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|tok_[0-9a-f]{12}`)
	aTime   = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d`)
	aNumber = regexp.MustCompile(`/\d+$`) // such as that of an alert preference, which is drawn as well
)

// steady returns a text with placeholders for what is drawn and for times.
func steady(text string) string {
	if aTime.MatchString(text) {
		return "(a time)"
	}
	return drawn.ReplaceAllString(text, "(an id)")
}

// unjudged are the members that don't count: numbers that are drawn, tokens, which a refresh replaces, and what a job changes in
// its time.
var unjudged = []string{
	"alertPrefId", "accessToken", "refreshToken",
	"jobStatus", "jobDetails", "totalRecordsCount", "successRecordsCount", "failedRecordsCount", "errors", "groupParticipantCount",
}

// steadyValue returns a JSON value without the members that don't count, and with placeholders for what is drawn, for times and for
// texts that have names.
func steadyValue(value any, names map[string]string) any {
	switch value := value.(type) {
	case string:
		if name, ok := names[value]; ok {
			return name
		}
		return steady(value)
	case []any:
		kept := make([]any, len(value))
		for i, element := range value {
			kept[i] = steadyValue(element, names)
		}
		return kept
	case map[string]any:
		kept := make(map[string]any, len(value))
		for name, inner := range value {
			if !slices.Contains(unjudged, name) {
				kept[name] = steadyValue(inner, names)
			}
		}
		return kept
	}
	return value
}

// short returns a text that isn't too long to be read.
func short(text string) string {
	const longest = 200
	if characters := []rune(text); len(characters) > longest {
		return string(characters[:longest]) + "…"
	}
	return text
}
