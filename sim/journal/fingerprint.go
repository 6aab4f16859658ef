package journal

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

// Fingerprint returns what stands for a secret wherever the simulator shows one: "tok_" and 12 hex digits, equal
// for equal secrets while the process lives, and of no use to whom the secret is not known.
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
