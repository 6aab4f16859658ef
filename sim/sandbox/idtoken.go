package sandbox

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// idTokenLifetime is how long an id_token is valid (published).
const idTokenLifetime = 300 * time.Second

// issuer is what the claim iss begins with; the institutionId follows. It is no URL, because that differs from run to run (choice).
const issuer = "urn:banksim:"

// idToken are the claims of an id_token (published).
type idToken struct {
	Subject   string `json:"sub"` // the institutionUserId in lower case
	Issuer    string `json:"iss"`
	Audience  string `json:"aud,omitzero"`
	IssuedAt  int64  `json:"iat"` // seconds since 1970, as the other times
	ExpiresAt int64  `json:"exp"`
	AuthTime  int64  `json:"auth_time,omitzero"`
	Nonce     string `json:"nonce,omitzero"`
}

// IDToken returns the id_token of a grant whose code request asked for one, signed with the key of its world (RFC 7519, RS256);
// empty: it didn't.
func IDToken(w *sim.World, g *sim.Grant, now time.Time) (string, error) {
	user, ok := w.User(g.InstitutionID, g.HostUserID)
	if !ok || g.OpenID == nil {
		return "", nil
	}
	key := signingKey(w.Seed())
	header := map[string]string{"typ": "JWT", "alg": "RS256", "kid": KeyID(&key.PublicKey)}
	claims := idToken{
		Subject: strings.ToLower(user.InstitutionUserID()), Issuer: issuer + g.InstitutionID,
		Audience: g.OpenID.Audience, Nonce: g.OpenID.Nonce,
		IssuedAt: now.Unix(), ExpiresAt: now.Add(idTokenLifetime).Unix(), AuthTime: g.OpenID.AuthTime,
	}
	var parts []string
	for _, part := range []any{header, claims} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", fmt.Errorf("writing an id_token: %w", err)
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(text))
	}
	signed := strings.Join(parts, ".")
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("signing an id_token: %w", err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// PublicKey returns the public half of the key that signs id_tokens. It takes a tenth of a second the first time.
func PublicKey(w *sim.World) *rsa.PublicKey { return &signingKey(w.Seed()).PublicKey }

// KeyID returns the kid of a key.
func KeyID(key *rsa.PublicKey) string {
	sum := sha256.Sum256(key.N.Bytes())
	return hex.EncodeToString(sum[:8])
}

// newest is the key that was made last. Banks with the same seed, as tests have them, share it.
var newest struct {
	mu   sync.Mutex
	seed uint64
	key  *rsa.PrivateKey
}

// signingKey returns the key that a seed determines: whoever knows the seed can sign, which is fine for data that is made up.
func signingKey(seed uint64) *rsa.PrivateKey {
	newest.mu.Lock()
	defer newest.mu.Unlock()
	if newest.key == nil || newest.seed != seed {
		newest.seed, newest.key = seed, newSigningKey(seed)
	}
	return newest.key
}

// newSigningKey makes an RSA key of 2,048 bits from a seed.
func newSigningKey(seed uint64) *rsa.PrivateKey {
	draw := rand.New(rand.NewPCG(seed, 0x69645f746f6b656e)) // another stream than that of ids and tokens
	one, exponent := big.NewInt(1), big.NewInt(65537)
	for {
		p, q := drawPrime(draw), drawPrime(draw)
		phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		d := new(big.Int).ModInverse(exponent, phi)
		if d == nil || p.Cmp(q) == 0 {
			continue
		}
		key := &rsa.PrivateKey{
			PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: int(exponent.Int64())}, D: d, Primes: []*big.Int{p, q},
		}
		key.Precompute()
		return key
	}
}

// drawPrime draws a prime of 1,024 bits whose two highest bits are set.
func drawPrime(draw *rand.Rand) *big.Int {
	text := make([]byte, 128)
	for i := range text {
		text[i] = byte(draw.Uint32())
	}
	text[0] |= 0xc0
	text[len(text)-1] |= 1
	prime, two := new(big.Int).SetBytes(text), big.NewInt(2)
	for !prime.ProbablyPrime(20) {
		prime.Add(prime, two)
	}
	return prime
}
