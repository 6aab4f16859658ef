package main

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Apps in the languages of others are explored: bugs that people make are found, and apps without them have no
// findings.
func TestExplore(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/explore/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			night(t, "it starts many processes, of curl and of Node")
			testscript.Run(t, testscript.Params{Files: []string{file}, Cmds: scriptCommands})
		})
	}
}

// The command that makes a run again has what decides what it comes to, as a shell takes it, and no token.
func TestExploreAgain(t *testing.T) {
	assert.Equal(
		t,
		`banksim explore --run 'a#1/reset+a#2/500' --scenario ./bank.yaml --control http://127.0.0.1:8081 --control-ca `+
			`ca.pem --run-time 5s --all-or-nothing --must-pass -- sh -c 'exit 0'`,
		exploreCommand{
			Scenario:     "./bank.yaml",
			Control:      "http://127.0.0.1:8081",
			ControlToken: "s3cr.t",
			controlTLSFlags: controlTLSFlags{
				ControlCA: "ca.pem",
			},
			RunTime:      5 * time.Second,
			AllOrNothing: true,
			MustPass:     true,
			MaxRuns:      10,
			Parallel:     4,
			Report:       "report",
			Only:         []string{"a"},
			Command:      []string{"sh", "-c", "exit 0"},
		}.reproduce("a#1/reset+a#2/500"),
	)
}

// Each run lets the sandbox that it is forked from live on: an exploration may take longer than a sandbox lives.
func TestForkRenewsItsOrigin(t *testing.T) {
	t.Parallel()
	sc, err := scenario.Parse("empty.yaml", []byte("extends: empty"))
	require.NoError(t, err)
	forks, err := startForks(t.Context(), controlFlags{}, sc, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer forks.close()
	expiry := func(name string) time.Time {
		var s api.Sandbox
		require.NoError(t, forks.client.Get(t.Context(), api.SandboxPath(name, ""), &s))
		require.NotNil(t, s.ExpiresAt, name)
		return *s.ExpiresAt
	}
	atFirst := expiry(forks.origin)
	fork, err := forks.fork(t.Context(), nil)
	require.NoError(t, err)
	assert.True(t, expiry(forks.origin).After(atFirst))
	assert.False(t, expiry(fork.name).Before(atFirst))
	require.NoError(t, fork.close(t.Context()))
}
