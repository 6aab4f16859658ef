// Package redact decides what of a request or an answer may be kept and shown, and replaces everything else.
//
// It works by what is known to be harmless, not by what is known to be secret: a value is kept only where the contract
// declares it and doesn't mark it as secret. Of any other value only the [Fingerprint] is kept, so that two exchanges can
// be seen to carry the same secret. A body that can't be read is kept as its shape alone.
package redact
