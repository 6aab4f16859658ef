package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
)

var fingerprintKey = []byte(rand.Text())

// macs are reused, because most of the time goes into their key.
var macs = sync.Pool{New: func() any { return hmac.New(sha256.New, fingerprintKey) }}

// Fingerprint returns the text that the simulator shows in place of a secret: "tok_" and 12 hex digits. In one
// process, equal secrets have equal fingerprints. The secret can't be computed from its fingerprint. An empty text
// stays empty.
func Fingerprint(secret string) string {
	if secret == "" {
		return ""
	}
	mac := macs.Get().(hash.Hash)
	defer macs.Put(mac)
	mac.Reset()
	mac.Write([]byte(secret))
	return "tok_" + hex.EncodeToString(mac.Sum(nil)[:6])
}
