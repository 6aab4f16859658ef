package explore

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// request is what a call asks for, member by member, without what differs from call to call: the id of the request, tokens, times,
// and the ids that the bank has generated.
type request struct {
	operation, dialect string
	members            []member // by their names
}

// member is a part of a request.
type member struct {
	name  string // path, query.size, header.fiid, body.groupName, body
	value string // of a part of the body in JSON
}

// newRequest returns the request of an exchange. The names replace generated ids.
func newRequest(x *journal.Exchange, ids *ids) request {
	r := request{operation: x.Operation, dialect: x.Dialect}
	if x.Request.Method == http.MethodHead { // where others are GET
		r.add("method", x.Request.Method)
	}
	r.add("path", ids.inPath(x))
	for _, name := range slices.Sorted(maps.Keys(x.Request.Query)) {
		r.add("query."+name, steady(ids.inText(strings.Join(x.Request.Query[name], ", "))))
	}
	if op, ok := contract.FindIn(x.Operation, sim.Dialect(x.Dialect)); ok {
		for _, p := range op.Parameters {
			if p.In != "header" || strings.EqualFold(p.Name, op.Family.RequestID) {
				continue
			}
			if value := x.Request.Headers.Get(p.Name); value != "" {
				r.add("header."+p.Name, steady(ids.inText(value)))
			}
		}
	}
	r.body(x, ids)
	slices.SortStableFunc(r.members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	return r
}

func (r *request) add(name, value string) { r.members = append(r.members, member{name, value}) }

// body adds the members of the body, or the whole where it has none.
func (r *request) body(x *journal.Exchange, ids *ids) {
	text, kind := x.Request.Body, x.Request.Headers.Get("Content-Type")
	if text == "" {
		return
	}
	if _, params, err := mime.ParseMediaType(kind); err == nil && params["boundary"] != "" { // which clients draw
		if !r.parts(multipart.NewReader(strings.NewReader(text), params["boundary"]), ids) {
			r.add("body", ids.inText(strings.ReplaceAll(text, params["boundary"], "boundary")))
		}
		return
	}
	if value, ok := decode(text); ok && !x.Request.BodyTruncated {
		r.json("body", value, ids)
		return
	}
	if form, err := form(text, kind); err == nil {
		for _, name := range slices.Sorted(maps.Keys(form)) {
			r.add("body."+name, encode(ids.inValue(strings.Join(form[name], ", "))))
		}
		return
	}
	r.add("body", ids.inText(text))
}

// parts adds the parts of a multipart body, each as a member; of a file its name and its content. It adds none if they can't be read.
func (r *request) parts(reader *multipart.Reader, ids *ids) bool {
	found := request{}
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			r.members = append(r.members, found.members...)
			return true
		}
		if err != nil {
			return false
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return false
		}
		name := part.FormName()
		if file := part.FileName(); file != "" {
			found.add("file."+name, encode(ids.inValue(file)))
			found.add("content."+name, string(content))
			continue
		}
		found.add("body."+name, encode(ids.inValue(string(content))))
	}
}

// form reads a body that is a form.
func form(text, contentType string) (url.Values, error) {
	if !redact.IsForm(contentType) {
		return nil, errors.New("it is no form")
	}
	return url.ParseQuery(text)
}

// json adds a value of a JSON body.
func (r *request) json(name string, value any, ids *ids) {
	object, ok := value.(map[string]any)
	if !ok || len(object) == 0 {
		r.add(name, encode(ids.inValue(value)))
		return
	}
	for _, of := range slices.Sorted(maps.Keys(object)) {
		if strings.ContainsAny(of, ".[]") { // which the names of members here are made of
			r.json(fmt.Sprintf("%s[%q]", name, of), object[of], ids)
			continue
		}
		r.json(name+"."+of, object[of], ids)
	}
}

// decode reads a JSON value and keeps its numbers exact; ok is false for any other text.
func decode(text string) (value any, ok bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil || decoder.More() {
		return nil, false
	}
	return value, true
}

// encode writes a value that decode has read, with the members of objects by their names.
func encode(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // what was read can be written
	return strings.TrimSuffix(b.String(), "\n")
}

// aTime matches a point in time, to the minute at least.
var aTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d`)

const someTime = "(a time)"

// steady returns a text, or what stands for a time.
func steady(text string) string {
	if aTime.MatchString(text) {
		return someTime
	}
	return text
}

// key identifies the request, without the members that vary, as of an operation.
func (r request) key(varying map[string]bool) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\n%s\n", r.operation, r.dialect)
	for _, m := range r.members {
		if !varying[r.operation+" "+m.name] {
			_, _ = fmt.Fprintf(h, "%s\n%d\n%s\n", m.name, len(m.value), m.value)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// differs returns the first member in which two requests of an operation differ, with its values; empty: there is none.
func (r request) differs(other request) (name, value, otherValue string) {
	i, j := 0, 0
	for i < len(r.members) || j < len(other.members) {
		switch {
		case j == len(other.members) || i < len(r.members) && r.members[i].name < other.members[j].name:
			return r.members[i].name, r.members[i].value, absent
		case i == len(r.members) || other.members[j].name < r.members[i].name:
			return other.members[j].name, absent, other.members[j].value
		case r.members[i].value != other.members[j].value:
			return r.members[i].name, r.members[i].value, other.members[j].value
		}
		i, j = i+1, j+1
	}
	return "", "", ""
}

// absent stands for the value of a member that is not there.
const absent = "nothing"

// value returns the value of a member; ok is false where there is none.
func (r request) value(name string) (string, bool) {
	for _, m := range r.members {
		if m.name == name {
			return m.value, true
		}
	}
	return "", false
}

// requestID returns the header that identifies the request; empty: there is none.
func requestID(x *journal.Exchange) string {
	op, ok := contract.FindIn(x.Operation, sim.Dialect(x.Dialect))
	if !ok {
		return ""
	}
	return x.Request.Headers.Get(op.Family.RequestID)
}
