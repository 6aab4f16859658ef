package bankapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// unknownPath refuses a request whose path is no operation's. It names the operation that is meant and the mistake in
// the URL. If no operation fits, it offers a stub.
func (h *Handler) unknownPath(req *request) error {
	method, path := req.Method, req.below.Path
	if method == http.MethodHead {
		method = http.MethodGet // HEAD is answered as GET is, also by a stub
	}
	shown := wording.Shorten(fault.PathPattern(req.path()))
	text := fmt.Sprintf(
		"%s is not simulated: add a fault with method: %s, path: %s and the answer to have it answered by a stub",
		shown, wording.Shorten(method), shown)
	if op, mistake := misaddressed(method, req.prefix+path); op != nil {
		text = fmt.Sprintf(
			"%s is not simulated: did you mean %s, %s %s? %s", shown, op.Name, op.Method, op.Path, mistake)
	} else if op := nearOperation(method, path); op != nil {
		text = fmt.Sprintf("%s is not simulated: did you mean %s, %s %s?", shown, op.Name, op.Method, op.Path)
	} else if op, mistake := misaddressed(anyMethod, req.prefix+path); op != nil {
		text = fmt.Sprintf("%s is not simulated: did you mean %s, which takes %s and not %s? %s",
			shown, op.Path, methodsAt(op), wording.Shorten(method), mistake)
	}
	return sim.Refuse(contract.PathUnknown, "%s", cmp.Or(h.aboutControl(req), text))
}

// aboutControl returns what to tell a client that calls the control API here, or "" for any other request.
func (h *Handler) aboutControl(req *request) string {
	if h.Control == nil {
		return ""
	}
	return h.Control(slashes().ReplaceAllString(req.below.Path, "/"))
}

// slashes matches slashes in a row. A base URL with a slash at its end leads to them.
var slashes = lazy.Regexp("/+")

// anyMethod stands for all methods.
const anyMethod = ""

// Bounds of the search for a mistake in a base URL (choice). A longer path has another mistake.
const (
	maxSegments = 20 // of a path that is looked at
	maxSurplus  = 3  // segments that a base URL may have too much
)

// misaddressed returns the operation of a path that becomes an operation's if the base URL is corrected, and the
// mistake in the base URL. It returns nil if no correction helps.
func misaddressed(method, path string) (op *contract.Operation, mistake string) {
	if strings.Count(path, "/") > maxSegments {
		return nil, ""
	}
	segments := slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
	if len(segments) > 2 && slices.Contains([]string{"sandboxes", "sandbox"}, strings.ToLower(segments[0])) {
		root := "/" + strings.Join(segments[:2], "/")
		if segments[0] != "sandboxes" {
			mistake = fmt.Sprintf("The base URL of a sandbox has the path /sandboxes/%s.", wording.Shorten(segments[1]))
		}
		path, segments = strings.TrimPrefix(path, root), segments[2:]
	}
	clean := "/" + strings.Join(segments, "/")
	for _, candidate := range []string{strings.TrimRight(path, "/"), path, clean} {
		if op := operationAt(method, candidate); op != nil {
			return op, cmp.Or(mistake, aboutEmptyVariable(op, candidate), aboutSpelling(path, clean))
		}
	}
	whole := strings.TrimSuffix(contract.DocumentPrefix, "/")
	if op := operationAt(method, whole+clean); op != nil {
		return op, fmt.Sprintf("The base URL lacks %s, with which the paths of the interface's document begin.", whole)
	}
	for i := 1; i < min(len(segments), maxSurplus+1); i++ {
		if op := operationAt(method, "/"+strings.Join(segments[i:], "/")); op != nil {
			return op, fmt.Sprintf("The base URL has /%s too much.", wording.Shorten(strings.Join(segments[:i], "/")))
		}
	}
	return nil, ""
}

// operationAt returns the operation with a method and a path in any case, or nil. Variables of the path may be empty.
func operationAt(method, path string) *contract.Operation {
	segments := strings.Split(path, "/")
	for _, op := range contract.AllOperations() {
		if op.Method != method && method != anyMethod {
			continue
		}
		same := func(known, segment string) bool {
			return strings.HasPrefix(known, "{") || strings.EqualFold(known, segment)
		}
		if slices.EqualFunc(strings.Split(op.Path, "/"), segments, same) {
			return op
		}
	}
	return nil
}

// methodsAt lists the methods that the path of an operation takes.
func methodsAt(op *contract.Operation) string {
	var methods []string
	for _, other := range contract.In(op.Dialect).Operations {
		if other.Path == op.Path {
			methods = append(methods, other.Methods()...)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// aboutEmptyVariable says which variable of an operation's path is empty, or returns "".
func aboutEmptyVariable(op *contract.Operation, path string) string {
	segments := strings.Split(path, "/")
	for i, known := range strings.Split(op.Path, "/") {
		if strings.HasPrefix(known, "{") && segments[i] == "" {
			return fmt.Sprintf("Its %s is empty in the path.", strings.Trim(known, "{}"))
		}
	}
	return ""
}

// aboutSpelling says how the spelling of a path differs from the path of its operation.
func aboutSpelling(path, clean string) string {
	switch {
	case strings.HasPrefix(path, "//"):
		return "The base URL ends with a slash, so the path begins with two."
	case strings.Contains(path, "//"):
		return "The path has two slashes in a row."
	case path != clean:
		return "The path ends with a slash."
	}
	return "Paths are compared with regard to case."
}

// nearOperation returns the operation whose path differs in one segment by the smallest slip. If no path has a slip, it
// returns an operation of the same family whose path differs in one segment, or nil.
func nearOperation(method, path string) *contract.Operation {
	segments, dialect := strings.Split(path, "/"), contract.DialectOf(path)
	family, begins := contract.NearestFamily(path)
	var nearest, ofFamily *contract.Operation
	fewest := 0 // edits of the nearest
	for _, op := range contract.In(dialect).Operations {
		known := strings.Split(op.Path, "/")
		if op.Method != method || len(known) != len(segments) {
			continue
		}
		var differs []int
		for i, segment := range known {
			if segment != segments[i] && !strings.HasPrefix(segment, "{") {
				differs = append(differs, i)
			}
		}
		if len(differs) != 1 {
			continue
		}
		at := differs[0]
		if _, slip := wording.Slip(segments[at], known[at:at+1]); slip {
			edits := wording.Edits([]rune(segments[at]), []rune(known[at]))
			if nearest == nil || edits < fewest {
				nearest, fewest = op, edits
			}
		}
		if ofFamily == nil && begins && op.Family == family {
			ofFamily = op
		}
	}
	return cmp.Or(nearest, ofFamily)
}

// explain adds to a refusal what has probably caused it, where that can be seen.
func explain(c *call, err error) error {
	var raised *sim.Error
	if !errors.As(err, &raised) {
		return err
	}
	hint := ""
	switch raised.Code {
	case contract.RequestIDMissing:
		hint = c.otherRequestID()
	case sim.InstitutionUnknown, sim.ClientNotOfInstitution:
		hint = c.nearInstitution()
	}
	if hint == "" {
		return err
	}
	explained := *raised
	explained.Message += hint
	return &explained
}

// otherRequestID says that the request has the header that identifies requests to other operations, or returns "".
func (c *call) otherRequestID() string {
	for _, f := range contract.In(c.op.Dialect).Families {
		if !strings.EqualFold(f.RequestID, c.op.Family.RequestID) && c.header(f.RequestID) != "" {
			return fmt.Sprintf("; the request has %s, which is the header of other operations", f.RequestID)
		}
	}
	return ""
}

// nearInstitution asks whether an institution was meant whose id differs in leading zeros from the one in a header.
func (c *call) nearInstitution() string {
	for _, name := range []string{"fiid", institutionHeader} {
		id := c.header(name)
		if id == "" || !c.takesHeader(name) {
			continue
		}
		for i := range c.World.Institutions() {
			same := strings.TrimLeft(i.InstitutionID, "0") == strings.TrimLeft(id, "0")
			if same && i.InstitutionID != id {
				return fmt.Sprintf("; did you mean %s %s?", name, i.InstitutionID)
			}
		}
	}
	return ""
}
