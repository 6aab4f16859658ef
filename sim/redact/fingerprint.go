package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
)

const fingerprintMark = "tok_"

var fingerprintKey = sync.OnceValue(func() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails, by its documentation
	return key
})

// macs are reused, because most of the time goes into their key.
var macs = sync.Pool{New: func() any { return hmac.New(sha256.New, fingerprintKey()) }}

// Fingerprint returns the text that the simulator shows in place of a secret: "tok_" and 12 hex digits. Equal secrets
// have equal fingerprints as long as the process runs; from a fingerprint nobody can compute the secret.
func Fingerprint(secret string) string {
	mac := macs.Get().(hash.Hash)
	defer macs.Put(mac)
	mac.Reset()
	mac.Write([]byte(secret))
	var sum [sha256.Size]byte
	return fingerprintMark + hex.EncodeToString(mac.Sum(sum[:0])[:6])
}

// Text returns what may be kept of a text that may be a secret: its [Fingerprint]. An empty one hides nothing, and stays.
func Text(value string) string {
	if value == "" {
		return ""
	}
	return Fingerprint(value)
}
