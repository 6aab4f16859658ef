package redact

import (
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// knownNames are the names that the contract has, in lower case: of parameters, and of the members of requests and answers.
// Any other name of a parameter may be a secret: of a token that is pasted into a URL, the padding looks like a value.
var knownNames = declaredNames()

func declaredNames() names {
	known := names{}
	add := func(object *contract.Object) {
		if object != nil {
			object.Walk(func(of contract.Member) { known[strings.ToLower(of.Name)] = true })
		}
	}
	for _, op := range contract.AllSpoken() {
		for _, p := range op.Parameters {
			known[strings.ToLower(p.Name)] = true
		}
		add(op.Request)
		add(op.Family.ErrorBody)
		for _, answer := range op.Answers {
			add(answer.Body)
		}
	}
	return known
}

// Name returns what may be kept of the name of a parameter or a form's member: one that the contract has, in any case.
func Name(name string) string {
	if knownNames[strings.ToLower(name)] {
		return name
	}
	return Text(name)
}

// Query returns what may be kept of a query, as it was sent.
func Query(query string) string {
	return redactPairs(query, plainParameters.has)
}

// Parameter returns what may be kept of the value of a query parameter.
func Parameter(name, value string) string {
	if plainParameters[name] {
		return value
	}
	return Text(value)
}

// redactPairs redacts a query or a form: the value of a pair becomes a fingerprint, unless its name is plain, and so
// does a name that the contract doesn't have. A part without "=" may be all value, so its name is hidden too, and so is a
// part that net/url doesn't read as a single pair.
func redactPairs(text string, plain func(name string) bool) string {
	if arePlain(text, plain) {
		return text
	}
	pairs := strings.SplitN(text, "&", maxHidden+1)
	for i, pair := range pairs {
		if i == maxHidden {
			pairs[i] = Text(pair)
			break
		}
		pairs[i] = redactPair(pair, plain)
	}
	return strings.Join(pairs, "&")
}

// arePlain reports whether all pairs stay as they are. It allocates nothing, because those of most queries do. Names with escapes
// and more pairs than may have a fingerprint each are left to redactPair.
func arePlain(text string, plain func(name string) bool) bool {
	for count := 1; text != ""; count++ {
		pair, rest, _ := strings.Cut(text, "&")
		name, _, _ := strings.Cut(pair, "=")
		if count > maxHidden || strings.ContainsAny(name, "%+") || strings.Contains(pair, ";") || !plain(name) {
			return false
		}
		text = rest
	}
	return true
}

func redactPair(pair string, plain func(string) bool) string {
	rawName, rawValue, isPair := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(rawName)
	switch {
	case err != nil || strings.Contains(rawName, ";"):
		return Text(pair)
	case plain(name) && !strings.Contains(pair, ";"):
		return pair
	case !isPair:
		return Text(name)
	}
	value, err := url.QueryUnescape(rawValue)
	if err != nil {
		value = rawValue
	}
	if kept := Name(name); kept != name {
		rawName = kept
	}
	return rawName + "=" + Text(value)
}
