// Package match compares requests with what is expected of them: [Conditions], for faults and for the journal. It reads no
// requests itself. Start at condition.go.
//
// An expected text that begins with "~" is a regular expression (RE2) that must match somewhere in the value, null accepts only an
// absent value, and any other value must be equal: an object contains the expected members, an array has the expected elements in
// their order. Where requests hold a redacted text in place of a value ([Redact]), that is compared and shown.
package match
