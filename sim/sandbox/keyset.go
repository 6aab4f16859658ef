package sandbox

import (
	"encoding/base64"
	"math/big"

	"github.com/digitalbanking-sim/banksim/sim"
)

// KeySet is a JSON Web Key Set (RFC 7517): the public keys that an app needs to check id_tokens.
type KeySet struct {
	Keys []Key `json:"keys"`
}

// Key is an RSA key that signs id_tokens (RFC 7518 6.3.1).
type Key struct {
	Type      string `json:"kty"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	ID        string `json:"kid"`
	Modulus   string `json:"n"`
	Exponent  string `json:"e"`
}

// KeySetOf returns the key set of a world. The first call for a world makes its key, which takes a tenth of
// a second: don't call it where requests wait for the bank.
func KeySetOf(w *sim.World) KeySet {
	key := MakeKey(w)
	encode := base64.RawURLEncoding.EncodeToString
	return KeySet{Keys: []Key{{
		Type: "RSA", Use: "sig", Algorithm: "RS256", ID: KeyID(key),
		Modulus: encode(key.N.Bytes()), Exponent: encode(big.NewInt(int64(key.E)).Bytes()),
	}}}
}
