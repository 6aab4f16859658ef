package match

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Requests are the requests that an expectation or the condition of a fault is about. A regular expression and null
// are as in conditions.
type Requests struct {
	Operations []*contract.Operation // in each dialect that the requests may be answered in
	Outside    bool                  // whether the requests may also have a path that no operation has
	AnyPath    bool                  // whether a request to an operation may have its path of the other dialect
	OwnBody    bool                  // whether the body may have members that no operation has

	Method, Path  string
	Header, Query map[string]*string
	Body          map[string]any

	// Values returns the values that the bank has for a member or a parameter whose values the contract leaves to the
	// bank, such as alertTypeName. It may be nil.
	Values func(name string) []string
}

// Mistake is a reason why no request can fulfil the conditions, or why nobody can mean them.
type Mistake struct {
	Field []string // the condition: body, groupName
	Text  string   // what is wrong, and what was meant

	isRefutedBy func(got any) bool // nil if any value refutes the mistake
}

// IsRefutedBy reports whether a request has what the mistake says that requests don't have.
func (c *Conditions[R]) IsRefutedBy(m Mistake, request R) bool {
	field := strings.Join(m.Field, ".")
	return slices.ContainsFunc(c.All, func(one Condition[R]) bool {
		if one.Field != field && !strings.HasPrefix(one.Field, field+".") {
			return false
		}
		got := one.Got(request)
		return got != nil && (m.isRefutedBy == nil || m.isRefutedBy(got))
	})
}

// Mistakes compares the conditions with the contract. A client may send any header, any parameter and,
// with OwnBody, any member: a name that the contract doesn't have is a mistake only if it is a slip of one that it has.
func (r Requests) Mistakes() []Mistake {
	all := append(r.checkPath(), r.checkMethod()...)
	isOut := func(op *contract.Operation) bool { return !r.mayBe(op) }
	r.Operations = slices.DeleteFunc(slices.Clone(r.Operations), isOut)
	all = append(all, r.checkHeaders()...)
	return slices.Concat(all, r.checkQuery(), r.checkBody())
}

// isLiteral reports whether an expected text is a value to be equal to.
func isLiteral(text string) bool { return text != "" && !strings.HasPrefix(text, expressionMark) }

// mayBe reports whether a request with the method and the path can be one to the operation.
func (r Requests) mayBe(op *contract.Operation) bool {
	return (!isLiteral(r.Path) || r.hasPath(op)) && r.hasMethod(methodsOf(op))
}

func methodsOf(op *contract.Operation) []string {
	if op.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{op.Method}
}

// hasMethod reports whether one of some methods is as expected. A mistake in a regular expression is not reported here.
func (r Requests) hasMethod(methods []string) bool {
	var c Conditions[string]
	c.Text("method", r.Method, strings.EqualFold, func(method string) string { return method })
	return r.Method == "" || c.Mistakes != nil || slices.ContainsFunc(methods, c.Fulfilled)
}

// methods are the methods of HTTP (RFC 9110 9, RFC 5789).
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"}

func (r Requests) checkMethod() []Mistake {
	known, problem := methods, phrase.DidYouMean(r.Method, methods, "the methods are")
	if !r.Outside {
		known = nil
		for _, op := range r.Operations {
			known = append(known, methodsOf(op)...)
		}
		problem = ": " + r.have(known)
	}
	if r.hasMethod(known) {
		return nil
	}
	problem = "method is " + phrase.Quote(r.Method) + problem
	return []Mistake{{[]string{"method"}, problem, equals(strings.ToUpper(r.Method))}}
}

func equals(value any) func(any) bool { return func(got any) bool { return got == value } }

// have says what the operations have.
func (r Requests) have(names []string) string {
	have := "the operations have "
	if r.isForOne() {
		have = r.Operations[0].Name + " has "
	}
	if len(names) == 0 {
		return have + "none"
	}
	sorted := slices.Sorted(slices.Values(names))
	return have + phrase.Names(slices.Compact(sorted))
}

// isForOne reports whether the requests are to one operation, in any dialect.
func (r Requests) isForOne() bool {
	isOther := func(op *contract.Operation) bool { return op.Name != r.Operations[0].Name }
	return len(r.Operations) > 0 && !slices.ContainsFunc(r.Operations, isOther)
}

// hasPath reports whether the operation has the path of the requests.
func (r Requests) hasPath(op *contract.Operation) bool {
	return slices.ContainsFunc(contract.Interfaces(), func(i *contract.Interface) bool {
		return (r.AnyPath || i.Dialect == op.Dialect) && Covers(i.Operation(op.Name).Path, r.Path)
	})
}

func (r Requests) checkPath() []Mistake {
	if !isLiteral(r.Path) {
		return nil
	}
	problem := ""
	meant := r.nearPath()
	switch {
	case strings.ContainsAny(r.Path, "#{} "):
		problem = `write it as it was sent, escaped and without variables, or as an expression: "~^/v3/groups/"`
	case meant != r.Path:
		problem = "did you mean " + phrase.Quote(meant) + "?"
		if strings.Contains(r.Path, "?") {
			problem += " Give the query as query."
		}
	case !r.Outside && !slices.ContainsFunc(r.Operations, r.hasPath):
		var paths []string
		for _, op := range r.Operations {
			paths = append(paths, op.Path)
		}
		problem = r.have(paths)
	}
	if problem == "" {
		return nil
	}
	return []Mistake{{[]string{"path"}, "path is " + phrase.Quote(r.Path) + ": " + problem, equals(r.Path)}}
}

// nearPath returns the path that is meant: without base URL and query, and with the slips of an operation's path
// mended.
func (r Requests) nearPath() string {
	path, _, _ := strings.Cut(r.Path, "?")
	if _, address, isURL := strings.Cut(path, "://"); isURL {
		_, path, _ = strings.Cut(address, "/")
	}
	if slices.ContainsFunc(r.Operations, r.hasPath) {
		return path
	}
	given := slices.DeleteFunc(strings.Split(path, "/"), func(segment string) bool { return segment == "" })
	if len(given) > 2 && given[0] == "sandboxes" {
		given = given[2:]
	}
	for _, prefix := range []string{"", contract.DocumentPrefix} {
		parts := append(strings.FieldsFunc(prefix, func(c rune) bool { return c == '/' }), given...)
		for _, op := range r.Operations {
			if near, ok := nearSegments(strings.Split(op.Path, "/")[1:], parts); ok {
				return "/" + strings.Join(near, "/")
			}
		}
	}
	if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "/sandboxes/") {
		return path // the app's own
	}
	return "/" + strings.Join(given, "/")
}

// nearSegments returns the segments of a path with each slip of a known segment mended. ok is false if a segment
// differs by more than a slip.
func nearSegments(known, given []string) (near []string, ok bool) {
	if len(known) != len(given) {
		return nil, false
	}
	for i, segment := range known {
		if strings.HasPrefix(segment, "{") {
			segment = given[i]
		} else if _, isSlip := phrase.Slip(given[i], known[i:i+1]); !isSlip {
			return nil, false
		}
		near = append(near, segment)
	}
	return near, true
}

// headerName is what a header can be called (RFC 9110 5.6.2).
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// IsHeaderName reports whether a header can have a name.
func IsHeaderName(name string) bool { return headerName.MatchString(name) }

// removed are the headers that net/http takes out of a request.
var removed = []string{"host", "trailer", "transfer-encoding"}

func (r Requests) checkHeaders() (all []Mistake) {
	known := append(contract.RequestHeaders(), contract.FaultHeader, contract.SandboxHeader)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		lower, quoted, problem := strings.ToLower(name), phrase.Quote(name), ""
		near, isSlip := phrase.Slip(name, known)
		switch {
		case isSlip && strings.EqualFold(near, name):
		case isSlip && !strings.HasPrefix(lower, "x-"):
			problem = "unknown header " + quoted + ": did you mean " + phrase.Quote(near) + "?"
		case !IsHeaderName(name):
			problem = quoted + " can't be the name of a header: use letters, digits and dashes"
		case slices.Contains(removed, lower):
			problem = "header " + quoted + " can't be compared: it belongs to the connection"
		}
		if problem != "" {
			all = append(all, Mistake{Field: []string{"header", name}, Text: problem})
		}
	}
	return all
}

func (r Requests) checkQuery() (all []Mistake) {
	types := map[string][]typed{}
	for _, op := range r.Operations {
		for _, p := range op.Parameters {
			if p.In == "query" {
				types[p.Name] = append(types[p.Name], typed{Type: p.Type})
			}
		}
	}
	known := slices.Sorted(maps.Keys(types))
	ofOthers := contract.QueryParameters(contract.AllOperations())
	for _, name := range slices.Sorted(maps.Keys(r.Query)) {
		at, text, problem := []string{"query", name}, r.Query[name], ""
		near, isSlip := phrase.Slip(name, known)
		isName := func(header string) bool { return strings.EqualFold(header, name) }
		switch {
		case len(r.Operations) == 0: // the path is the app's own
		case types[name] != nil:
			if text != nil {
				all = append(all, r.checkText(at, *text, types[name])...)
			}
		case isSlip:
			problem = "did you mean " + phrase.Quote(near) + "?"
		case slices.ContainsFunc(contract.RequestHeaders(), isName):
			problem = "it is a header"
		case slices.Contains(ofOthers, name):
			problem = r.have(known)
		}
		if problem != "" {
			problem = "unknown query parameter " + phrase.Quote(name) + ": " + problem
			all = append(all, Mistake{Field: at, Text: problem})
		}
	}
	return all
}

// typed is the type of a value. Where a form has the value, it is a text.
type typed struct {
	contract.Type
	isText bool
}

func (r Requests) checkBody() []Mistake {
	var bodies []typed
	for _, op := range r.Operations {
		if op.Request != nil {
			isForm := op.Form != nil || op.Multipart != nil
			bodies = append(bodies, typed{contract.Type{JSON: "object", Object: op.Request}, isForm})
		}
	}
	switch {
	case r.Body == nil || len(r.Operations) == 0:
		return nil
	case len(bodies) > 0:
		return r.checkMembers([]string{"body"}, r.Body, bodies)
	}
	return []Mistake{{Field: []string{"body"}, Text: "leave body out: " + r.have(nil)}}
}

// checkMembers checks the members of an object that has one of some types.
func (r Requests) checkMembers(at []string, members map[string]any, types []typed) (all []Mistake) {
	if slices.ContainsFunc(types, func(t typed) bool { return t.Object.IsFree() }) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		path := append(slices.Clone(at), name)
		var of []typed
		var known []string
		for _, t := range types {
			known = append(known, t.Object.Names()...)
			if m, ok := t.Object.Member(name); ok {
				of = append(of, typed{m.Type, t.isText})
			}
		}
		meant := r.meantMember(name)
		shown := phrase.Quote(strings.Join(path[1:], "."))
		unknown := Mistake{Field: path, Text: "unknown member " + shown + " of the body: "}
		switch {
		case of != nil:
			all = append(all, r.checkValue(path, members[name], of)...)
			continue
		case meant != nil:
			unknown.Text += "did you mean " + nested(meant) + "?"
		case r.OwnBody:
			continue
		default:
			unknown.Text += r.have(known) + "; to look for one of the app's own, give path instead of operation"
		}
		all = append(all, unknown)
	}
	return all
}

// meantMember returns the names that lead to the member whose name, or path, another name is a slip of. It returns nil
// if no operation has such a member.
func (r Requests) meantMember(name string) []string {
	paths := map[string][]string{} // by the last name, and by all names
	for _, op := range r.Operations {
		if op.Request != nil {
			op.Request.WalkPaths(func(path []string) {
				paths[path[len(path)-1]], paths[strings.Join(path, ".")] = path, path
			})
		}
	}
	near, _ := phrase.Slip(name, slices.Sorted(maps.Keys(paths)))
	return paths[near]
}

// nested returns a JSON object with a member at a path.
func nested(path []string) string {
	text := "…"
	for _, name := range slices.Backward(path) {
		text = "{" + string(wire.MustEncode(name)) + ": " + text + "}"
	}
	return text
}

// checkValue checks the value of a member that has one of some types.
func (r Requests) checkValue(at []string, value any, types []typed) []Mistake {
	text, isText := value.(string)
	if value == nil || isText && !isLiteral(text) {
		return nil
	}
	fitting := func(value any) []typed {
		return slices.DeleteFunc(slices.Clone(types), func(t typed) bool { return !t.takes(value) })
	}
	switch found := fitting(value); {
	case len(found) == 0: // the value itself may be a secret
		problem := fmt.Sprintf("%s is %s, not %s", strings.Join(at, "."), Kind(value), withArticle(types[0].JSON))
		isLike := func(got any) bool { return Kind(got) == Kind(value) && len(fitting(got)) == 0 }
		return []Mistake{{at, problem, isLike}}
	case isText:
		return r.checkText(at, text, found)
	default:
		members, _ := value.(map[string]any)
		return r.checkMembers(at, members, found)
	}
}

// takes reports whether a value of the type can be equal to a literal.
func (t typed) takes(literal any) bool {
	number, isNumber := literal.(json.Number)
	if isNumber && t.JSON == "integer" {
		_, err := number.Int64()
		return err == nil
	}
	kind := Kind(literal)
	return kind == withArticle(t.JSON) || t.isText && (kind == "a string" || kind == "an array")
}

// checkText checks a text that is the value of a member or of a parameter. A value outside of a list is a mistake if it
// is a slip of one in the list: a client may also send what the bank then refuses.
func (r Requests) checkText(at []string, text string, types []typed) []Mistake {
	var known []string
	if r.Values != nil {
		known = r.Values(at[len(at)-1])
	}
	for _, t := range types {
		known = append(known, t.Enum...)
	}
	near, isSlip := phrase.Slip(text, known)
	if !isLiteral(text) || !isSlip || slices.Contains(known, text) {
		return nil
	}
	problem := fmt.Sprintf("%s is %s: did you mean %s?", strings.Join(at, "."), phrase.Quote(text), phrase.Quote(near))
	return []Mistake{{at, problem, equals(text)}}
}

// withArticle returns the name of a type of JSON with its article.
func withArticle(name string) string {
	if strings.ContainsAny(name[:1], "aio") {
		return "an " + name
	}
	return "a " + name
}

// Kind returns the type of a JSON value with its article, such as a string.
func Kind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	}
	return "a number"
}
