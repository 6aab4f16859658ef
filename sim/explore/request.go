package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// request is what a call asks for, by member: path, query.size, header.fiid, body.groupName. What differs from call to call is left
// out or replaced: the id of the request, times, ids and tokens.
type request = leaves

func newRequest(x *journal.Exchange) request {
	r := request{"path": aNumber.ReplaceAllString(steady(x.Request.Path), "/(an id)")}
	for name, values := range x.Request.Query {
		r["query."+name] = steady(strings.Join(values, ", "))
	}
	if op, ok := contract.FindIn(x.Operation, sim.Dialect(x.Dialect)); ok {
		for _, p := range op.Parameters {
			value := x.Request.Headers.Get(p.Name)
			if p.In == "header" && value != "" && !strings.EqualFold(p.Name, op.Family.RequestID) {
				r["header."+p.Name] = steady(value)
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
