package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"

	"github.com/stretchr/testify/require"
)

// Apps in the languages of others are explored: bugs that people make are found, and apps without them have no findings.
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
	assert.Equal(t, `banksim explore --run 'groups.create#1/reset' -- sh -c 'exit 0'`,
		exploreCommand{RunTime: time.Minute, Command: []string{"sh", "-c", "exit 0"}}.reproduce("groups.create#1/reset"))
	assert.Equal(t, `banksim explore --run 'a#1/reset+a#2/500' --scenario ./bank.yaml --control http://127.0.0.1:8081 --control-ca `+
		`ca.pem --run-time 5s --all-or-nothing --must-pass -- npm test`,
		exploreCommand{
			Scenario: "./bank.yaml", Control: "http://127.0.0.1:8081", ControlToken: "s3cr.t",
			controlTLSFlags: controlTLSFlags{ControlCA: "ca.pem"}, RunTime: 5 * time.Second, AllOrNothing: true, MustPass: true,
			MaxRuns: 10, Parallel: 4, Report: "report", Only: []string{"a"}, Command: []string{"npm", "test"},
		}.reproduce("a#1/reset+a#2/500"))
}
