package sim

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
)

// random is a seeded source of random values. It is a value: a copy continues with the same draws.
type random struct {
	pcg rand.PCG
}

func newRandom(seed uint64) random {
	// The second word only has to be fixed: it selects the stream.
	return random{*rand.NewPCG(seed, 0x62616e6b73696d)}
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// text draws n alphanumeric characters.
func (r *random) text(n int) string {
	draw := rand.New(&r.pcg)
	b := make([]byte, n)
	for i := range b {
		b[i] = alphanumeric[draw.IntN(len(alphanumeric))]
	}
	return string(b)
}

// uuid draws a version 4 UUID (RFC 9562 5.4) in its text form.
func (r *random) uuid() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], r.pcg.Uint64())
	binary.BigEndian.PutUint64(b[8:], r.pcg.Uint64())
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
