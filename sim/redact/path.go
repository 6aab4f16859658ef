package redact

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// maxHidden is how many parts of a path, a query, a form or a fault header get a fingerprint of their own (choice). What
// comes after them gets one together, so that a request of many small parts costs no more than another one.
const maxHidden = 200

// template is the path of an operation by its segments. A variable is the empty segment.
type template []string

// The paths of all operations, in the dialects that they are spoken in, and the words in them, in lower case.
var templates, words = declaredPaths()

func declaredPaths() (paths []template, words names) {
	words = names{}
	for _, op := range contract.AllSpoken() {
		segments := strings.Split(op.Path, "/")[1:]
		for i, segment := range segments {
			if strings.HasPrefix(segment, "{") {
				segments[i] = ""
				continue
			}
			words[strings.ToLower(segment)] = true
		}
		paths = append(paths, segments)
	}
	return paths, words
}

// fits reports whether a path is one of the operation's.
func (t template) fits(path string) bool {
	rest, ok := strings.CutPrefix(path, "/")
	for i, want := range t {
		segment, after, more := strings.Cut(rest, "/")
		if !ok || segment == "" || want != "" && segment != want || more != (i < len(t)-1) {
			return false
		}
		rest = after
	}
	return ok
}

// IsPathOf reports whether a path, as it was sent, without the base URL, is one of an operation's, in any dialect.
func IsPathOf(op *contract.Operation, path string) bool {
	return slices.ContainsFunc(contract.Dialects, func(d sim.Dialect) bool {
		at := slices.Index(contract.AllSpoken(), op.In(d))
		return at >= 0 && templates[at].fits(path)
	})
}

// shown has, by the name of an operation, the values that the variables in its path may show, by the index of their
// segments, counted from the end, which both dialects share. An operation that may show all is not in it.
var shown = limitedPaths()

func limitedPaths() map[string]map[int]*regexp.Regexp {
	limited := map[string]map[int]*regexp.Regexp{}
	for _, op := range contract.Operations {
		for _, p := range op.Parameters {
			if p.Shown == nil {
				continue
			}
			if limited[op.Name] == nil {
				limited[op.Name] = map[int]*regexp.Regexp{}
			}
			segments := strings.Split(op.Path, "/")
			limited[op.Name][len(segments)-slices.Index(segments, "{"+p.Name+"}")] = p.Shown
		}
	}
	return limited
}

// PathOf returns what may be kept of a path that is an operation's, given as it was sent, without the base URL.
func PathOf(operation, path string) string {
	limits := shown[operation]
	if limits == nil {
		return path
	}
	segments := strings.Split(path, "/")
	for fromEnd, values := range limits {
		at := len(segments) - fromEnd
		if at >= 0 && !values.MatchString(segments[at]) {
			text, err := url.PathUnescape(segments[at])
			if err != nil {
				text = segments[at]
			}
			segments[at] = Text(text)
		}
	}
	return strings.Join(segments, "/")
}

// Path returns what may be kept of the path of a request, given as it was sent, without the base URL. The path of an
// operation is kept, with those of its variables that may be shown. Of any other path only the segments are kept that occur in the paths of
// operations, or are one slip away from such a word: the others may be anything, such as a token that was pasted into the
// URL.
func Path(path string) string {
	if i := slices.IndexFunc(templates, func(t template) bool { return t.fits(path) }); i >= 0 {
		return PathOf(contract.AllSpoken()[i].Name, path)
	}
	segments := strings.SplitN(path, "/", maxHidden+1)
	for i, segment := range segments {
		text, err := url.PathUnescape(segment)
		if err != nil {
			text = segment
		}
		if !isWord(text) {
			segments[i] = Text(text)
		}
	}
	return strings.Join(segments, "/")
}

// isWord reports whether a segment is a word of the interface's paths, or differs from one by a single character, which
// is no room for a secret: a misspelt word can still be read where it matters.
func isWord(segment string) bool {
	lower := strings.ToLower(segment)
	if words[lower] {
		return true
	}
	for word := range words {
		if d := len(lower) - len(word); -1 <= d && d <= 1 && phrase.Edits([]rune(lower), []rune(word)) <= 1 {
			return true
		}
	}
	return false
}

// methods are those of HTTP.
var methods = names{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true, http.MethodPatch: true,
	http.MethodDelete: true, http.MethodConnect: true, http.MethodOptions: true, http.MethodTrace: true,
}

// Method returns what may be kept of the method of a request: a method of HTTP, in any case.
func Method(method string) string {
	if methods[method] || len(method) <= len(http.MethodConnect) && methods[strings.ToUpper(method)] {
		return method
	}
	return Text(method)
}
