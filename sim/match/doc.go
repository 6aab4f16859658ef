// Package match compares requests with what is expected of them: [Conditions], for faults and for the journal.
//
// An expected text that begins with "~" is a regular expression (RE2) that must match somewhere in the value; "~" alone
// accepts any value. An expected null accepts only an absent value. Any other value must be equal: an object contains the
// expected members, an array has the expected elements in their order, and numbers are compared exactly.
//
// Where requests hold a redacted text in place of a value, the caller says how values are redacted ([Redact]). The expected
// value is then compared, and shown, by its redacted text, and a regular expression sees that.
package match
