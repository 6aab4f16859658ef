package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
	"sync/atomic"
)

// keyed has a key and its MACs. They are reused, because most of the time goes into their key.
type keyed struct {
	key  []byte
	macs sync.Pool
}

func newKeyed(key []byte) *keyed {
	return &keyed{key, sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

var present = func() *atomic.Pointer[keyed] {
	var p atomic.Pointer[keyed]
	p.Store(newKeyed(NewKey()))
	return &p
}()

// NewKey returns a random key of fingerprints.
func NewKey() []byte { return []byte(rand.Text()) }

// UseKey replaces the key of this process, which is random at first. A program whose banks are stored uses the key that
// is stored with them, before its first fingerprint: then the fingerprints in a stored journal are right after a
// restart, and at each replica.
func UseKey(key []byte) { present.Store(newKeyed(key)) }

// Key returns the key of this process.
func Key() []byte { return present.Load().key }

// Fingerprint returns the text that the simulator shows in place of a secret: "tok_" and 12 hex digits. By one key,
// equal secrets have equal fingerprints. The secret can't be computed from its fingerprint. An empty text stays empty.
func Fingerprint(secret string) string {
	if secret == "" {
		return ""
	}
	macs := &present.Load().macs
	mac := macs.Get().(hash.Hash)
	defer macs.Put(mac)
	mac.Reset()
	mac.Write([]byte(secret))
	return "tok_" + hex.EncodeToString(mac.Sum(nil)[:6])
}
