package explore

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// Patterns of texts that differ from run to run.
var (
	// drawnID matches UUIDs and fingerprints of tokens.
	drawnID     = lazy.Regexp(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|tok_[0-9a-f]{12}`)
	timeText    = lazy.Regexp(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d`)
	finalNumber = lazy.Regexp(`/\d+$`) // such as the drawn number of an alert preference
)

// normalize returns a text with placeholders for times, and for what the bank draws.
func normalize(text string) string {
	if timeText().MatchString(text) {
		return "(a time)"
	}
	return drawnID().ReplaceAllString(text, "(an id)")
}

// ignoredMembers don't count when rows are compared: drawn numbers, tokens that a refresh replaces, and what a running
// job changes.
var ignoredMembers = []string{
	"alertPrefId", "accessToken", "refreshToken",
	"jobStatus", "jobDetails", "totalRecordsCount", "successRecordsCount", "failedRecordsCount", "errors",
	"groupParticipantCount",
}

// normalizeValue returns a JSON value without ignored members. Its texts are normalized, or replaced by their names.
func normalizeValue(value any, names map[string]string) any {
	switch value := value.(type) {
	case string:
		if name, ok := names[value]; ok {
			return name
		}
		return normalize(value)
	case []any:
		elements := make([]any, len(value))
		for i, element := range value {
			elements[i] = normalizeValue(element, names)
		}
		return elements
	case map[string]any:
		object := make(map[string]any, len(value))
		for name, inner := range value {
			if !slices.Contains(ignoredMembers, name) {
				object[name] = normalizeValue(inner, names)
			}
		}
		return object
	}
	return value
}
