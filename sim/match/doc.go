// Package match compares requests with [Conditions], for faults and for the journal. It reads no requests itself. Start
// at condition.go. [Requests] finds conditions that no request can fulfil.
//
// An expected text that begins with "~" is a regular expression (RE2) that must match somewhere in the value. Null
// accepts only an absent value. Any other value must be equal: an object contains the expected members, an array has
// the expected elements in their order. Where requests hold a redacted text in place of a value ([Redact]), that is
// compared and shown.
package match
