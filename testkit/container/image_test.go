package container_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// Banks of an image share a container, which is not that of other banks. BANKSIM_IMAGE decides for all of them.
func TestImage(t *testing.T) {
	engine(t)
	inspected, err := run(t).Inspect(t.Context())
	require.NoError(t, err)
	image := inspected.Config.Image
	host := func(opts ...testkit.Option) string {
		bank := testkit.Start(t, opts...)
		assert.Equal(t, 200, createGroup(t, bank, "Night owls"))
		control, _, _ := strings.Cut(bank.ControlURL(), "/v1/")
		return control
	}
	given := host(testkit.Image(image))
	assert.Equal(t, given, host(testkit.Image(image)))
	assert.NotEqual(t, given, host())

	_, err = testkit.Started(t.Context(), testkit.Image("banksim.invalid/nope:1"))
	assert.ErrorContains(t, err, "the engine doesn't have the image banksim.invalid/nope:1, and can't pull it")
	t.Setenv("BANKSIM_IMAGE", image)
	assert.Equal(t, given, host(testkit.Image("banksim.invalid/nope:1")))
	assert.Equal(t, given, host())
}

// The image is built once in a process: after that, the go command isn't needed.
func TestBuiltOnce(t *testing.T) {
	engine(t)
	run(t)
	t.Setenv("PATH", t.TempDir())
	run(t)
}
