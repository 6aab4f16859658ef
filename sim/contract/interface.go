package contract

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Interface is the interface in one dialect. It never changes.
type Interface struct {
	Dialect    sim.Dialect
	Operations []*Operation // in the order of the list operations
	Families   []*Family

	// DisclosureTime is the layout of institutionUserDisclosureStatusUpdateDateTime in answers of e-statement
	// operations.
	DisclosureTime string
	// ShortOfLifetime is how many seconds an answer subtracts from the lifetime of a token that it issues.
	ShortOfLifetime int
	// BareTokens says whether alert operations take an access token without the word Bearer.
	BareTokens bool

	byName   map[string]*Operation
	prefixes []prefix // the longest first
}

// prefix is the beginning of the paths of a family.
type prefix struct {
	path   string
	family *Family
}

// Document returns the interface as its document describes it.
var Document = sync.OnceValue(func() *Interface {
	var prefixes []prefix
	for _, f := range families {
		prefixes = append(prefixes, prefix{f.Prefix, f})
	}
	return newInterface(Interface{
		Dialect:        sim.DialectDocument,
		Operations:     operations,
		Families:       families,
		DisclosureTime: "2006-01-02T15:04:05.000-07:00",
		BareTokens:     true,
		prefixes:       prefixes,
	})
})

// In returns the interface in a dialect.
func In(d sim.Dialect) *Interface {
	if d == sim.DialectPublic {
		return Public()
	}
	return Document()
}

// Interfaces returns the interface in both dialects, the document's first.
func Interfaces() []*Interface { return []*Interface{Document(), Public()} }

// AllOperations returns the operations in both dialects, the document's first.
func AllOperations() []*Operation { return slices.Concat(Document().Operations, Public().Operations) }

// newInterface returns the interface with its indexes. It asks for all refusals, and panics if one is missing.
func newInterface(i Interface) *Interface {
	i.byName = map[string]*Operation{}
	for _, op := range i.Operations {
		i.byName[op.Name] = op
		op.Refusals()
		op.Conditions()
	}
	slices.SortStableFunc(i.prefixes, func(a, b prefix) int { return cmp.Compare(len(b.path), len(a.path)) })
	return &i
}

// Operation returns an operation by its name, or nil if there is no such operation.
func (i *Interface) Operation(name string) *Operation { return i.byName[name] }

// FamilyOfError returns the family whose error body is one of the entries of a refusal, or nil if no entry is about an
// error body.
func (i *Interface) FamilyOfError(entries []string) *Family {
	for _, f := range i.Families {
		if slices.Contains(entries, f.ErrorCites[0].ID) {
			return f
		}
	}
	return nil
}

// NearestFamily returns the family for a path without an operation, and whether the path has a prefix of that family. A
// path with no known prefix gets groups, because most families have its error body.
func NearestFamily(path string) (f *Family, hasPrefix bool) {
	for _, i := range Interfaces() {
		for _, p := range i.prefixes {
			if strings.HasPrefix(path, p.path) {
				return p.family, true
			}
		}
	}
	return groups, false
}

// DocumentPrefix begins all paths of the interface's document.
const DocumentPrefix = "/digitalbanking/"

// DialectOf returns the dialect of a path.
func DialectOf(path string) sim.Dialect {
	if strings.HasPrefix(path, DocumentPrefix) {
		return sim.DialectDocument
	}
	return sim.DialectPublic
}

// AnsweredIn returns the dialect of the answer to a request: the dialect of its path, unless the behaviour forces one.
func AnsweredIn(b *sim.Behavior, path sim.Dialect) sim.Dialect {
	if b.ForcedDialect == sim.DialectByPath {
		return path
	}
	return b.ForcedDialect
}
