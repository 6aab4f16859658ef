package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// newDrift returns a drift of an exchange that concerns an entry of the ledger.
func newDrift(e fixtures.Exchange, entry *contract.Entry, message string) Drift {
	return Drift{Exchange: e.Name, Entry: entry.ID, Basis: entry.Basis, Source: entry.Source, Message: message}
}

// entryOfAnswer returns the entry that decided the answer.
func entryOfAnswer(e fixtures.Exchange) *contract.Entry {
	return mustFind(append(slices.Clone(e.Entries), e.Shows...)[0])
}

// compare returns in what the service's answer differs from the simulator's: status, headers, and the shape of the
// body. Values count only where they are fixed.
func compare(e fixtures.Exchange, s *substitution, got answer) []Drift {
	if got.status != e.Answer.Status {
		entry := entryOfAnswer(e)
		if got.status < 300 && e.Answer.Status < 300 {
			entry = answerOf(e.Operation())
		}
		return []Drift{newDrift(e, entry, fmt.Sprintf("the simulator says %d here on basis %s; the service answered %d",
			e.Answer.Status, entry.Basis, got.status))}
	}
	var drifts []Drift
	for _, name := range slices.Sorted(maps.Keys(e.Answer.Headers)) {
		if want := e.Answer.Headers[name]; !sameHeader(name, want, s, got.header) {
			entry := entryOfHeader(e, name)
			drifts = append(drifts, newDrift(e, entry, fmt.Sprintf("%s: the simulator says %s here on basis %s; the service answered %s",
				name, want, entry.Basis, shownHeader(got.header.Values(name)))))
		}
	}
	for _, d := range differences(e, s, got.body) {
		entry := entryOfBody(e, d.path)
		drifts = append(drifts, newDrift(e, entry, fmt.Sprintf("%s: the simulator says %s here on basis %s; the service answered %s",
			d.path, d.want, entry.Basis, d.got)))
	}
	return drifts
}

// sameHeader compares a header as far as it is fixed: a challenge by its scheme, a media type without parameters.
func sameHeader(name, want string, s *substitution, header http.Header) bool {
	got := strings.Join(header.Values(name), ", ")
	switch strings.ToLower(name) {
	case "www-authenticate":
		scheme := func(challenge string) string { word, _, _ := strings.Cut(challenge, " "); return strings.ToLower(word) }
		return scheme(got) == scheme(want)
	case "content-type":
		media, _, err := mime.ParseMediaType(got)
		return err == nil && media == want
	case "allow":
		return slices.Equal(sortedList(got), sortedList(want))
	case "cache-control", "pragma":
		return slices.Contains(sortedList(strings.ToLower(got)), want)
	case "transactionid", "correlationid":
		return got == s.ids[want]
	}
	return got == want
}

func sortedList(text string) []string {
	var all []string
	for item := range strings.SplitSeq(text, ",") {
		all = append(all, strings.TrimSpace(item))
	}
	slices.Sort(all)
	return all
}

func shownHeader(values []string) string {
	if len(values) == 0 {
		return "without it"
	}
	return strings.Join(values, ", ")
}

func entryOfHeader(e fixtures.Exchange, name string) *contract.Entry {
	switch strings.ToLower(name) {
	case "www-authenticate":
		return mustFind("everywhere.challenge")
	case "transactionid", "correlationid":
		return mustFind("everywhere.request-id")
	case "cache-control", "pragma":
		return mustFind("tokens.no-store")
	case "content-type":
		return mustFind("everywhere.json")
	}
	return entryOfAnswer(e)
}

// entriesOfBodies are the entries that the bodies of accepted requests rest on.
var entriesOfBodies = map[string]string{
	"estatements.getDisclosures": "estatements.disclosures.answer",
	"tokens.issue":               "tokens.issue.answer",
	"tokens.revoke":              "revoke.response",
	"groups.create":              "groups.create.answer",
	"groups.list":                "groups.list.answer",
	"alerts.createPreference":    "alerts.create.body",
}

// entryOfBody returns the entry that a member of the body rests on, given its path.
func entryOfBody(e fixtures.Exchange, path string) *contract.Entry {
	byMember := map[string]string{
		".institutionUserDisclosureStatusUpdateDateTime": "estatements.disclosures.timestamp",
		".groupLastUpdatedDateTime":                      "groups.create.timestamp",
		".token_type":                                    "tokens.issue.token-type",
		".links":                                         "groups.list.links",
		".rel":                                           "groups.list.links",
		".href":                                          "groups.list.links",
	}
	if id, ok := byMember[path[strings.LastIndex(path, "."):]]; ok {
		return mustFind(id)
	}
	if e.Answer.Status < 300 {
		if id, ok := entriesOfBodies[e.Operation()]; ok {
			return mustFind(id)
		}
		return entryOfAnswer(e)
	}
	if strings.HasSuffix(strings.ToLower(path), "code") {
		return entryOfAnswer(e)
	}
	for _, id := range e.Entries {
		if strings.HasSuffix(id, ".error-body") {
			return mustFind(id)
		}
	}
	return entryOfAnswer(e)
}

// difference is a place in a body where two answers differ.
type difference struct{ path, want, got string }

// differences compares the shape of the service's body with that of the golden one.
func differences(e fixtures.Exchange, s *substitution, body []byte) []difference {
	body = bytes.TrimSpace(body)
	var want, got any
	switch {
	case e.Answer.JSON == nil && len(body) == 0:
		return nil
	case e.Answer.JSON == nil:
		return []difference{{".", "that there is no body", "one"}}
	case len(body) == 0:
		return []difference{{".", "that there is a body", "none"}}
	case json.Unmarshal(body, &got) != nil:
		return []difference{{".", "JSON", "something else"}}
	}
	if json.Unmarshal(s.json(e.Answer.JSON), &want) != nil {
		panic("conformance: the golden answer " + e.Name + " is not JSON")
	}
	return slices.DeleteFunc(shape("", want, got), func(d difference) bool {
		// How many groups there are is the bank's business, unless the page is one past the end.
		return d.path == ".content" && !slices.Contains(e.Entries, "groups.list.past-the-end")
	})
}

// fixed are the members whose values are the same at every service.
var fixed = []string{"code", "errorCode", "errorType", "status", "token_type", "groupType", "groupPlatform", "groupStatus", "size", "number",
	"institutionId", "institutionCustomerId", "accountId", "di_fiid", "alertOpted", "alertTypeName", "channelTypeName"}

// timestamps are how times are written.
var timestamps = []*regexp.Regexp{
	regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$`),
	regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`),
}

// shape compares two JSON values at a path.
func shape(path string, want, got any) []difference {
	if kind(want) != kind(got) {
		return []difference{{orDot(path), kind(want), kind(got)}}
	}
	switch want := want.(type) {
	case map[string]any:
		return shapeOfObjects(path, want, got.(map[string]any))
	case []any:
		got := got.([]any)
		if len(want) == 0 && len(got) > 0 {
			return []difference{{orDot(path), "an empty array", fmt.Sprintf("one of %d", len(got))}}
		}
		for i := range got {
			if found := shape(path, want[0], got[i]); found != nil {
				return found // one of many tells enough
			}
		}
	case string:
		for _, format := range timestamps {
			if format.MatchString(want) && !format.MatchString(got.(string)) {
				return []difference{{path, "a time such as " + want, fmt.Sprintf("%q", got)}}
			}
		}
	}
	return nil
}

func shapeOfObjects(path string, want, got map[string]any) []difference {
	var all []difference
	for _, name := range slices.Sorted(maps.Keys(want)) {
		at := path + "." + name
		value, there := got[name]
		switch {
		case !there:
			all = append(all, difference{at, "that it is there", "without it"})
		case isFixed(name, want[name]) && want[name] != value && kind(want[name]) == kind(value):
			all = append(all, difference{at, fmt.Sprintf("%v", want[name]), fmt.Sprintf("%v", value)})
		case name != "additionalInfo": // the caller's own
			all = append(all, shape(at, want[name], value)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, there := want[name]; !there {
			all = append(all, difference{path + "." + name, "that it is not there", "with it"})
		}
	}
	return all
}

// isFixed tells whether a member's value is the same at every service. A code that no source gives is the simulator's.
func isFixed(name string, value any) bool {
	text, _ := value.(string)
	return slices.Contains(fixed, name) && kind(value) != "an object" && kind(value) != "an array" && !strings.HasPrefix(text, "BANKSIM_")
}

func kind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

func mustFind(id string) *contract.Entry {
	e, ok := contract.FindEntry(id)
	if !ok {
		panic("conformance: the ledger has no entry " + id)
	}
	return e
}

// answerOf returns the entry that decides what an operation answers to a request that it accepts.
func answerOf(operation string) *contract.Entry {
	op, ok := contract.Find(operation)
	if !ok {
		panic("conformance: there is no operation " + operation)
	}
	return op.Uses[0]
}
