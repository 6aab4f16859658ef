package contract

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The public interface is the interface of the document with some changes. Families and operations declare what differs
// in them. Entries say what they answer in the public dialect. Four changes hold for all operations:
//   - The path lacks the prefix /digitalbanking and the segment of the family after it (see barePath).
//   - A UUID identifies each request.
//   - An access token that may be left out in the document is required. So no header has to name the institution.
//   - Some switches have another default.
//
// The source is the public API description.

// PublicFamily is what differs in a family in the public dialect. A field that is set replaces the same field of the
// family.
type PublicFamily struct {
	RequestID  string
	Refusals   []Refusal // replace those by the same rules, or are additional ones
	ErrorBody  *Object
	ErrorCites []*Entry
}

// PublicForm is what differs in an operation in the public dialect. A field that is set replaces the same field of the
// operation.
type PublicForm struct {
	About      string
	Parameters []Parameter
	Request    *Object
	FormOnly   bool
	Answers    []Answer
	Refuses    []sim.Code
}

// Public returns the interface as the public API description describes it.
var Public = sync.OnceValue(func() *Interface {
	i := Interface{Dialect: sim.DialectPublic, DisclosureTime: "2006-01-02T15:04:05-07:00", ShortOfLifetime: 1}
	inPublic := map[*Family]*Family{}
	for _, f := range families {
		inPublic[f] = publicFamily(f)
		i.Families = append(i.Families, inPublic[f])
	}
	for _, of := range operations {
		op := publicOperation(of, inPublic[of.Family])
		i.Operations = append(i.Operations, op)
		start, _, _ := strings.Cut(op.Path, "{")
		i.prefixes = append(i.prefixes, prefix{start, op.Family})
	}
	return newInterface(i)
})

// publicFamily returns a family in the public dialect.
func publicFamily(of *Family) *Family {
	f, public := *of, cmp.Or(of.Public, &PublicFamily{})
	f.Dialect = sim.DialectPublic
	f.RequestID, f.ErrorBody = cmp.Or(public.RequestID, f.RequestID), cmp.Or(public.ErrorBody, f.ErrorBody)
	f.Refusals = slices.Clone(f.Refusals)
	for _, r := range public.Refusals {
		if at := slices.IndexFunc(f.Refusals, func(old Refusal) bool { return old.Rule == r.Rule }); at >= 0 {
			f.Refusals[at] = r // in the order of the checks
		} else {
			f.Refusals = append(f.Refusals, r)
		}
	}
	f.ErrorCites = append(replaced(f.ErrorCites, public.ErrorCites), EverywhereDialect)
	f.RequestIDs = f.requestIDs()
	return &f
}

// publicOperation returns an operation in the public dialect. f is its family in that dialect.
func publicOperation(of *Operation, f *Family) *Operation {
	op, public := *of, cmp.Or(of.Public, &PublicForm{})
	op.Dialect, op.ID, op.Family = sim.DialectPublic, "public"+capitalized(of.ID), f
	op.Path = barePath(of.Path)
	op.Cites = []*Entry{EverywherePublicPaths}
	op.Documented = nil
	op.About, op.Request = cmp.Or(public.About, of.About), cmp.Or(public.Request, of.Request)
	op.FormOnly = of.FormOnly || public.FormOnly
	op.Parameters = f.identifiedByUUID(replaced(of.Parameters, public.Parameters))
	op.Refuses = replaced(of.Refuses, public.Refuses)
	if of.Security == OptionalBearer {
		op.Security = Bearer
		isInstitution := func(p Parameter) bool { return p.Name == namedInstitution.Name }
		op.Parameters = slices.DeleteFunc(op.Parameters, isInstitution)
		op.Refuses = except(op.Refuses, sim.InstitutionUnknown)
	}
	op.Answers = answersIn(sim.DialectPublic, replaced(of.Answers, public.Answers))
	op.Errors = slices.Clone(of.Errors)
	if of.Family.Unauthorized != nil { // its switch replaces the status 401
		op.Errors = slices.DeleteFunc(op.Errors, func(status int) bool { return status == http.StatusUnauthorized })
	}
	if !slices.Contains(op.Refuses, RequestIDMalformed) {
		op.Refuses = append(op.Refuses, RequestIDMalformed)
	}
	op.Uses = append(slices.Clone(of.Uses), EverywhereDialect)
	return &op
}

// replaced returns a copy of the public list, or of the document's if the public one is nil.
func replaced[E any](document, public []E) []E {
	if public != nil {
		document = public
	}
	return slices.Clone(document)
}

// oauthSegment is the one segment after the prefix that public paths keep.
const oauthSegment = "oauth2"

// barePath returns the public path for a path of the document. Release 1.6.1 dropped the prefix and the segment of the
// family after it (published).
func barePath(path string) string {
	rest := strings.TrimPrefix(path, DocumentPrefix)
	segment, bare, _ := strings.Cut(rest, "/")
	if segment == oauthSegment {
		return "/" + rest
	}
	return "/" + bare
}

// UUID matches a UUID in either case of its letters.
var UUID = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
