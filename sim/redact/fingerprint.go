package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
)

const (
	fingerprintMark  = "tok_"
	fingerprintBytes = 6 // of the sum
)

var fingerprintKey = sync.OnceValue(func() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails, by its documentation
	return key
})

// maker makes fingerprints. It has the room for the sum, which would be allocated each time.
type maker struct {
	mac hash.Hash
	sum [sha256.Size]byte
}

// makers are reused, because most of the time goes into the key of their mac.
var makers = sync.Pool{New: func() any { return &maker{mac: hmac.New(sha256.New, fingerprintKey())} }}

// Fingerprint returns the text that the simulator shows in place of a secret: "tok_" and 12 hex digits. Equal secrets
// have equal fingerprints as long as the process runs; from a fingerprint nobody can compute the secret.
func Fingerprint(secret string) string {
	m := makers.Get().(*maker)
	defer makers.Put(m)
	m.mac.Reset()
	m.mac.Write([]byte(secret))
	var text [len(fingerprintMark) + 2*fingerprintBytes]byte
	copy(text[:], fingerprintMark)
	hex.Encode(text[len(fingerprintMark):], m.mac.Sum(m.sum[:0])[:fingerprintBytes])
	return string(text[:])
}

// Text returns what may be kept of a text that may be a secret: its [Fingerprint]. An empty one hides nothing, and stays.
func Text(value string) string {
	if value == "" {
		return ""
	}
	return Fingerprint(value)
}
