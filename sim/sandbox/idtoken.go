package sandbox

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/digitalbanking-sim/banksim/sim"
)

// idTokenLifetime is how long an id_token is valid (published).
const idTokenLifetime = 300 * time.Second

// issuer is what the claim iss begins with; the institutionId follows. It is no URL, because that differs from run to
// run (choice).
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

// IDToken returns the id_token of a grant, signed with the key of its world (RFC 7519, RS256), or an empty text if the
// client didn't ask for an id_token. It fails with ErrNoKey if the key isn't made yet.
func IDToken(w *sim.World, g *sim.Grant, now time.Time) (string, error) {
	user, ok := w.User(g.InstitutionID, g.HostUserID)
	if !ok || g.OpenID == nil {
		return "", nil
	}
	key, ok := signingKeys.get(w.Seed())
	if !ok {
		return "", ErrNoKey
	}
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

// ErrNoKey is the error of IDToken before MakeKey has made the key of the world. Making it takes a tenth of a second,
// and an id_token is signed while others wait for the bank.
var ErrNoKey = errors.New("the key that signs id_tokens isn't made yet")

// MakeKey makes the key that signs the id_tokens of a world, unless it is made, and returns its public half.
func MakeKey(w *sim.World) *rsa.PublicKey { return &signingKeys.make(w.Seed()).PublicKey }

// HasKey reports whether the key that signs the id_tokens of a world is made.
func HasKey(w *sim.World) bool {
	_, made := signingKeys.get(w.Seed())
	return made
}

// KeyID returns the kid of a key.
func KeyID(key *rsa.PublicKey) string {
	sum := sha256.Sum256(key.N.Bytes())
	return hex.EncodeToString(sum[:8])
}

// signingKeys caches keys by seed. The seed of a bank makes its key: so replicas sign alike, and a stored bank signs
// as before.
var signingKeys = keyCache{newKey: newSigningKey, keys: map[uint64]*rsa.PrivateKey{}}

// maxKeys is how many keys a process remembers (choice).
const maxKeys = 1000

type keyCache struct {
	newKey func(seed uint64) *rsa.PrivateKey
	making singleflight.Group // by the seed in decimal

	mu   sync.Mutex
	keys map[uint64]*rsa.PrivateKey
}

// make returns the key of a seed. Callers that need the same key at the same time wait for one making.
func (c *keyCache) make(seed uint64) *rsa.PrivateKey {
	made, _, _ := c.making.Do(strconv.FormatUint(seed, 10), func() (any, error) {
		key, ok := c.get(seed)
		if !ok {
			key = c.newKey(seed)
			c.put(seed, key)
		}
		return key, nil
	})
	return made.(*rsa.PrivateKey)
}

func (c *keyCache) get(seed uint64) (*rsa.PrivateKey, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key, ok := c.keys[seed]
	return key, ok
}

// put remembers a key, in the place of any other one if there are too many.
func (c *keyCache) put(seed uint64, key *rsa.PrivateKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other := range c.keys {
		if len(c.keys) < maxKeys {
			break
		}
		delete(c.keys, other)
	}
	c.keys[seed] = key
}

// newSigningKey makes an RSA key of 2,048 bits from a seed. Everybody with the seed can sign: the data is made up.
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
			PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: int(exponent.Int64())},
			D:         d, Primes: []*big.Int{p, q},
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
