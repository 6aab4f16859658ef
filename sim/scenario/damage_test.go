package scenario_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Messages say what is wrong with a line that has a secret without showing it.
func TestDamagedSecrets(t *testing.T) {
	t.Parallel()
	source := []byte(`institutions:
  - institutionId: "02688"
    clients:
      - {sharedKey: app, secretKey: zqxjkzqxjkzqxjk}
      - sharedKey: other
        secretKey: zqxjkzqxjkzqxjk
    tokens:
      - {accessToken: zqxjkzqxjkzqxjk, client: app, refreshToken: "qxjkzqxjkzqxjkz"}
    users:
      - hostUserId: "1"
        password: 'zqxjkzqxjkzqxjk'
`)
	_, err := scenario.Parse("secrets.yaml", source, scenario.WithoutWorld())
	require.NoError(t, err)
	characters := []rune("\"':-[]{} \t,#*&!|>%@=:;\n“：\u00a0")
	random := rand.New(rand.NewPCG(18, 4))
	found, tries := 0, simtest.Times(500, 2500)
	for range tries {
		at := random.IntN(len(source))
		damaged := append(bytes.Clone(source[:at]), string(characters[random.IntN(len(characters))])...)
		damaged = append(damaged, source[at+random.IntN(2):]...)
		if _, err := scenario.Parse("damaged.yaml", damaged, scenario.WithoutWorld()); err != nil {
			found++
			require.NotContains(t, err.Error(), "qxjk", "%s", damaged)
		}
	}
	assert.Greater(t, found, tries/4)
}
