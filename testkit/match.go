package testkit

import "github.com/digitalbanking-sim/banksim/sim/fault"

// Absent is the value of a header, a query parameter or a member that a request must not have, in an [Expect] or a
// [Match].
const Absent = "(absent)"

// Match describes the requests that a fault fires for. All that is set has to hold. A text that begins with "~" is a
// regular expression (RE2, unanchored), and [Absent] stands for absence.
type Match struct {
	InstitutionID string            // that the request belongs to, by its access token or header
	HostUserID    string            // that the request is about, by parameter, header or access token
	Header        map[string]string // any of the name's values
	Query         map[string]string // any of the name's values
	Body          map[string]any    // members that the JSON body must have; nil stands for an absent one
}

// Matching lets a fault fire for the requests that are like m.
func Matching(m Match) When {
	body, _ := withoutAbsent(m.Body).(map[string]any)
	return When{when: fault.When{Request: &fault.Request{
		InstitutionID: m.InstitutionID, HostUserID: m.HostUserID,
		Header: nilIfAbsent(m.Header), Query: nilIfAbsent(m.Query), Body: body,
	}}}
}

// nilIfAbsent returns conditions as the simulator reads them.
func nilIfAbsent(texts map[string]string) map[string]*string {
	if texts == nil {
		return nil
	}
	values := map[string]*string{}
	for name, text := range texts {
		if values[name] = &text; text == Absent {
			values[name] = nil
		}
	}
	return values
}

// withoutAbsent returns a copy of JSON values that has nil for Absent.
func withoutAbsent(value any) any {
	switch value := value.(type) {
	case string:
		if value == Absent {
			return nil
		}
	case map[string]any:
		members := make(map[string]any, len(value))
		for name, member := range value {
			members[name] = withoutAbsent(member)
		}
		return members
	case []any:
		elements := make([]any, len(value))
		for i, element := range value {
			elements[i] = withoutAbsent(element)
		}
		return elements
	}
	return value
}
