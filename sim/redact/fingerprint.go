package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

const fingerprintMark = "tok_"

var fingerprintKey = sync.OnceValue(func() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails, by its documentation
	return key
})

// Fingerprint returns the text that the simulator shows in place of a secret: "tok_" and 12 hex digits. Equal secrets
// have equal fingerprints as long as the process runs; from a fingerprint nobody can compute the secret.
func Fingerprint(secret string) string {
	mac := hmac.New(sha256.New, fingerprintKey())
	mac.Write([]byte(secret))
	var sum [sha256.Size]byte
	return fingerprintMark + hex.EncodeToString(mac.Sum(sum[:0])[:6])
}

// fingerprintUnlessEmpty is Fingerprint, but an empty value, which hides nothing, stays empty.
func fingerprintUnlessEmpty(value string) string {
	if value == "" {
		return ""
	}
	return Fingerprint(value)
}
