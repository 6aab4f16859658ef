package sandbox

import (
	"crypto/rsa"
	"testing"
)

// OnKey has each making of a key call a function first, until the test ends.
func OnKey(t testing.TB, call func()) {
	newKey := signingKeys.newKey
	t.Cleanup(func() { signingKeys.newKey = newKey })
	signingKeys.newKey = func(seed uint64) *rsa.PrivateKey {
		call()
		return newKey(seed)
	}
}
