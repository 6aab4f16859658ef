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
	Operations []*Operation // those of the interface's document in its order, each followed by those beside it
	Families   []*Family

	// DisclosureTime is the layout of institutionUserDisclosureStatusUpdateDateTime in answers of e-statement operations.
	DisclosureTime string
	// ShortOfLifetime is how many seconds less than the lifetime of a token an answer says that the token has left.
	ShortOfLifetime int
	// BareTokens says whether alert operations take an access token without the word Bearer.
	BareTokens bool

	byName   map[string]*Operation
	prefixes []prefix // the longest first
}

// prefix is what the paths of a family begin with.
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

// AllOperations returns the operations in both dialects, those of the document first.
func AllOperations() []*Operation { return slices.Concat(Document().Operations, Public().Operations) }

func newInterface(i Interface) *Interface {
	i.byName = map[string]*Operation{}
	for _, op := range i.Operations {
		i.byName[op.Name] = op
	}
	slices.SortStableFunc(i.prefixes, func(a, b prefix) int { return cmp.Compare(len(b.path), len(a.path)) })
	return &i
}

// Operation returns an operation by its name, or nil if there is none.
func (i *Interface) Operation(name string) *Operation { return i.byName[name] }

// FamilyOfError returns the family whose error body the entries of a refusal cite, or nil if they cite none.
func (i *Interface) FamilyOfError(entries []string) *Family {
	for _, f := range i.Families {
		if slices.Contains(entries, f.ErrorRests[0].ID) {
			return f
		}
	}
	return nil
}

// NearestFamily returns the family that a path without an operation belongs to, and whether the path begins like those
// of the family. A path that begins like no other gets the error body that most families have.
func NearestFamily(path string) (f *Family, begins bool) {
	for _, i := range Interfaces() {
		for _, p := range i.prefixes {
			if strings.HasPrefix(path, p.path) {
				return p.family, true
			}
		}
	}
	return groups, false
}

// DocumentPrefix is what all paths of the interface's document begin with.
const DocumentPrefix = "/digitalbanking/"

// DialectOf returns the dialect of a path.
func DialectOf(path string) sim.Dialect {
	if strings.HasPrefix(path, DocumentPrefix) {
		return sim.DialectDocument
	}
	return sim.DialectPublic
}

// AnsweredIn returns the dialect in which a request is answered: the dialect of its path, unless the behaviour forces one.
func AnsweredIn(b *sim.Behavior, path sim.Dialect) sim.Dialect {
	if b.ForcedDialect == sim.DialectByPath {
		return path
	}
	return b.ForcedDialect
}
