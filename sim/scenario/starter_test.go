package scenario_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func TestStarter(t *testing.T) {
	t.Parallel()
	source, err := scenario.Starter(filepath.Join(t.TempDir(), "month end.yaml"), "")
	require.NoError(t, err)
	s := parse(t, string(source))
	assert.Equal(t, "month end", s.Name)
	everyCommentedPartHolds(t, string(source))
}

func TestStarterExtending(t *testing.T) {
	t.Parallel()
	for _, name := range scenario.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, err := scenario.Starter("mine.yaml", name)
			require.NoError(t, err)
			s := load(t, name)
			scenario.RequireSame(t, s, parse(t, string(source)), "it changes nothing yet")
			everyCommentedPartHolds(t, string(source))
		})
	}
	dir := folder(t, map[string]string{"shared.yaml": bank("")})
	source, err := scenario.Starter(filepath.Join(dir, "mine.yaml"), "shared.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(source), "extends: shared.yaml\n")
}

// commented matches a commented-out line of YAML.
var commented = regexp.MustCompile(`(?m)^ *# *(- )?[A-Za-z]+:( .*)?$`)

// everyCommentedPartHolds loads a starter with the examples in its comments uncommented.
func everyCommentedPartHolds(t *testing.T, source string) {
	t.Helper()
	uncommented := 0
	changed := commented.ReplaceAllStringFunc(source, func(line string) string {
		uncommented++
		return strings.Replace(line, "# ", "", 1)
	})
	assert.Greater(t, uncommented, 3)
	s := parse(t, changed)
	assert.Equal(t, 201, s.World.Behavior().Groups.CreateStatus, changed)
}
