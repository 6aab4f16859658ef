package explanation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// newVerification returns an expectation that the exchange meets: of its operation, its answer's status, its parameters and its
// body. It has no header, for these differ from one run to the next, and nothing that the journal has only a fingerprint of,
// for that differs from one simulator to the next.
func newVerification(x journal.Exchange) journal.Expectation {
	want := journal.Expectation{Operation: x.Operation, Status: x.Response.Status, Query: map[string]*string{}}
	if x.Operation == "" {
		want.Method, want.Path = exact(x.Request.Method), exact(x.Request.Path)
	}
	for name, values := range x.Request.Query {
		if len(values) == 0 || redact.Name(name) != name || redact.Parameter(name, values[0]) != values[0] {
			continue
		}
		value := exact(values[0])
		want.Query[name] = &value
	}
	if content := knownContent(x); len(content) > 0 {
		want.Body = wire.MustEncode(content)
	}
	return want
}

// exact returns an expected text that is met by the text alone: one that begins with ~ would be a regular expression.
func exact(text string) string {
	if !strings.HasPrefix(text, "~") {
		return text
	}
	return "~^" + regexp.QuoteMeta(text) + "$"
}

// knownContent returns the members of the body whose values the journal has.
func knownContent(x journal.Exchange) map[string]any {
	if x.Request.BodyTruncated || x.Request.Body == "" {
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(x.Request.Body))
	decoder.UseNumber()
	var content map[string]any
	if err := decoder.Decode(&content); err == nil {
		return known(content, nil).(map[string]any)
	}
	if !redact.IsForm(http.Header(x.Request.Headers).Get("Content-Type")) {
		return nil
	}
	form, _ := url.ParseQuery(x.Request.Body)
	content = map[string]any{}
	for name, values := range form {
		if len(values) == 1 {
			content[name] = values[0]
		}
	}
	return known(content, nil).(map[string]any)
}

// known returns a JSON value without members that the journal has only fingerprints of, and with texts that are met by
// themselves alone.
func known(value any, path []string) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range value {
			if at := append(slices.Clone(path), name); redact.Member(at, member) == "" {
				kept[name] = known(member, at)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, element := range value {
			kept[i] = known(element, path)
		}
		return kept
	case string:
		return exact(value)
	}
	return value
}

// verifyGo returns a call of the test kit that verifies the same.
func verifyGo(want journal.Expectation) string {
	var fields []string
	add := func(name, value string) { fields = append(fields, name+": "+value) }
	if want.Operation != "" {
		add("Operation", strconv.Quote(want.Operation))
	}
	if want.Status != 0 {
		add("Status", strconv.Itoa(want.Status))
	}
	if want.Method != "" {
		add("Method", strconv.Quote(want.Method))
	}
	if want.Path != "" {
		add("Path", goString(want.Path))
	}
	if len(want.Query) > 0 {
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(want.Query)) {
			pairs = append(pairs, fmt.Sprintf("%s: testkit.Text(%s)", strconv.Quote(name), goString(*want.Query[name])))
		}
		add("Query", "map[string]*string{"+strings.Join(pairs, ", ")+"}")
	}
	if want.Body != nil {
		add("Body", goString(string(bytes.TrimSpace(want.Body))))
	}
	return "bank.Verify(testkit.Expect{" + strings.Join(fields, ", ") + "})"
}
