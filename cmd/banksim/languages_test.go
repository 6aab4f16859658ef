package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The files of the page about other languages are complete tests: they pass with the simulator that the environment names, leave no
// sandbox behind, and fail if the app does.
func TestLanguages(t *testing.T) {
	night(t, "it needs Node, Python and Java")
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "testing-other-languages.md"))
	require.NoError(t, err)
	for file, command := range map[string]string{
		"SignOutTest.java":  "java SignOutTest.java",
		"sign-out.test.mjs": "node --test sign-out.test.mjs",
		"test_sign_out.py":  "python3 -m unittest test_sign_out",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(command)
			const token = "s3cret"
			service, control := startSimulator(t, "--control-token="+token)
			run := func(program string) (string, error) {
				cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
				cmd.Dir = t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, file), []byte(program), 0o644))
				cmd.Env = append(os.Environ(), "BANKSIM_URL="+service, "BANKSIM_CONTROL_URL="+control, "BANKSIM_CONTROL_TOKEN="+token)
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			program := titled(t, string(page), file)
			out, err := run(program)
			require.NoError(t, err, out)
			assert.Regexp(t, `(?m)^passed$|pass 1$|^OK$`, out)

			broken := regexp.MustCompile(`(first[^a-z]*) 1\b`).ReplaceAllString(program, "$1 2") // which is once more than the app tries
			require.NotEqual(t, program, broken)
			out, err = run(broken)
			assert.Error(t, err)
			assert.Contains(t, out, "the bank has answered 500")
			assert.Equal(t, []string{"default"}, sandboxes(t, control, token), "that are left")
		})
	}
}

// sandboxes returns the names of a simulator's sandboxes.
func sandboxes(t *testing.T, control, token string) []string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, control+"/v1/sandboxes", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var list struct{ Sandboxes []struct{ Name string } }
	require.NoError(t, json.NewDecoder(res.Body).Decode(&list))
	var names []string
	for _, sandbox := range list.Sandboxes {
		names = append(names, sandbox.Name)
	}
	return names
}

// titled returns the block of a page that holds a file.
func titled(t *testing.T, page, file string) string {
	t.Helper()
	block := regexp.MustCompile("(?ms)^```\\w+ title=\"" + regexp.QuoteMeta(file) + "\"\n(.*?)^```\n").FindStringSubmatch(page)
	require.NotNil(t, block, "the page has no block with the title %s", file)
	return block[1]
}
