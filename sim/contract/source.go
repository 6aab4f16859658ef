package contract

import (
	"cmp"
	"slices"
	"strings"
)

// PublishedSource is how the source of a published entry begins. The places that say it follow.
const PublishedSource = "public API description"

// OwnSource is how the source of a choice begins.
const OwnSource = "ours"

// published is the source of an entry if the description of its operations says it.
const published = PublishedSource + ": " + string(itsOperations)

// Place is a place of the public API description.
type Place string

// The places that are about several operations.
const (
	requestHeaders Place = "request headers"
	userContext    Place = "user context" // says which user a request is for
	errorBodies    Place = "error bodies"
	errorCodes     Place = "error codes" // gives each code's status and meaning
	scopesOfTokens Place = "scopes"
	formats        Place = "formats" // of times, ids, tokens and pages
	repetition     Place = "repeating a request"
	release161     Place = "release notes 1.6.1"
	version13      Place = "version 1.3" // of the description, an earlier one
	collections    Place = "request collections"
	clientSDK      Place = "SDK of 1.6"
)

// itsOperations stands for the places of the operations that an entry concerns.
const itsOperations Place = "{operations}"

// place returns the place of the operation in the public API description: its id there, or method and path if the id is
// not known.
func (op *Operation) place() Place {
	return Place(cmp.Or(op.PublishedID, op.Method+" "+barePath(op.Path)))
}

// Places returns the places of the public API description that sources may name.
func Places() []Place {
	all := []Place{
		requestHeaders, userContext, errorBodies, errorCodes, scopesOfTokens, formats, repetition, release161,
		version13, collections, clientSDK,
	}
	for _, op := range operations {
		all = append(all, op.place())
	}
	slices.Sort(all)
	return all
}

// publishedIn returns the source of an entry that places of the public API description say.
func publishedIn(said ...Place) string { return PublishedSource + ": " + joinPlaces(said) }

func joinPlaces(all []Place) string {
	texts := make([]string, len(all))
	for i, place := range all {
		texts[i] = string(place)
	}
	return strings.Join(texts, " and ")
}

// withPlaces fills the places of an entry's operations into a source.
func withPlaces(source string, operations []string) string {
	var said []Place
	for _, name := range operations {
		said = append(said, Document().Operation(name).place())
	}
	return strings.ReplaceAll(source, string(itsOperations), joinPlaces(said))
}

// usualSource returns the source that entries with a basis have unless they name another one.
func usualSource(basis Basis) string {
	switch basis {
	case Published:
		return published
	case Choice:
		return OwnSource
	default:
		return ""
	}
}
