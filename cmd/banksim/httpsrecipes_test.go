package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// httpsRecipes are the languages in which the page about https has an app and what makes it trust the CA.
var httpsRecipes = map[string]struct {
	file  string
	tools []string
}{
	"Go":     {"groups.go", []string{"go"}},
	"Node":   {"groups.mjs", []string{"node"}},
	"Java":   {"Groups.java", []string{"java", "javac", "keytool"}},
	"Python": {"groups.py", []string{"python3"}},
}

// httpsPage returns the page about https.
func httpsPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "https.md"))
	require.NoError(t, err)
	return string(page)
}

// commandsAfter returns the first shell block of a page that comes after a text.
func commandsAfter(t *testing.T, page, text string) string {
	t.Helper()
	_, after, found := strings.Cut(page, text)
	require.True(t, found, "the page has no %s", text)
	block := regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n").FindStringSubmatch(after)
	require.NotNil(t, block, "the page has no commands after %s", text)
	return block[1]
}

// shell runs commands in a folder, and returns what they print. They end when one fails.
func shell(t *testing.T, folder, commands string, environment ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-e", "-c", commands)
	cmd.Dir, cmd.Env, cmd.WaitDelay = folder, append(os.Environ(), environment...), 10*time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The apps of the page about https reach the simulator by the commands of the page, in a network of their own in which their
// bank's name and port are the simulator's.
func TestHTTPSRecipes(t *testing.T) {
	t.Parallel()
	for name, recipe := range httpsRecipes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tool := range append([]string{"unshare", "ip", "mount"}, recipe.tools...) {
				needsTool(t, tool)
			}
			out, err := inNetwork(t, "^TestRecipeInsideNetwork$", insideVariable+"="+name)
			require.NoError(t, err, out)
			assert.Contains(t, out, "--- PASS: TestRecipeInsideNetwork", out)
		})
	}
}

// TestRecipeInsideNetwork is run by TestHTTPSRecipes.
func TestRecipeInsideNetwork(t *testing.T) {
	name := os.Getenv(insideVariable)
	if name == "" {
		t.Skip("TestHTTPSRecipes runs it in a network of its own")
	}
	file, page, folder := httpsRecipes[name].file, httpsPage(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(titled(t, page, file)), 0o644))
	commands := commandsAfter(t, page, `title="`+file+`"`)
	_, control := startSimulator(t, "--listen=https://127.0.0.1:443", "--tls-hosts="+fixedHost)

	// Without the CA, the app doesn't trust what it finds at the name.
	require.NoError(t, os.WriteFile(filepath.Join(folder, "banksim-ca.pem"), []byte(fetched(t, otherCA(t)+"/ca.pem")), 0o644))
	out, err := shell(t, folder, commands)
	assert.Error(t, err)
	assert.NotContains(t, out, "23 groups")
	assert.Regexp(t, `(?i)certificat`, out)

	require.NoError(t, os.RemoveAll(filepath.Join(folder, "trust.p12")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "banksim-ca.pem"), []byte(fetched(t, control+"/ca.pem")), 0o644))
	out, err = shell(t, folder, commands)
	require.NoError(t, err, out)
	assert.Contains(t, out, "23 groups")
	assert.Contains(t, fetched(t, control+"/v1/sandboxes/default/journal?operation=groups.list"), `"url":"https://`+fixedHost+`/`)
}

// otherCA starts a simulator with another CA, and returns the URL of its control API.
func otherCA(t *testing.T) string {
	t.Helper()
	_, control := startSimulator(t, "--listen=https://127.0.0.1:0")
	return control
}

// Chromium finds the simulator at the bank's name, and trusts it, as the page says.
func TestHTTPSRecipeForChromium(t *testing.T) {
	t.Parallel()
	needsTool(t, "chromium")
	needsTool(t, "openssl")
	_, control := startSimulator(t, "--listen=https://127.0.0.1:0", "--tls-hosts="+fixedHost)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "banksim-ca.pem"), []byte(fetched(t, control+"/ca.pem")), 0o644))
	visible := "\nchromium --user-data-dir"
	commands := commandsAfter(t, httpsPage(t), "### Chromium")
	require.Contains(t, commands, visible)
	hidden := "\nchromium --headless --disable-gpu --dump-dom"
	if os.Geteuid() == 0 {
		hidden += " --no-sandbox" // which root can't have
	}
	commands = strings.Replace(commands, visible, hidden+" --user-data-dir", 1)
	commands = strings.Replace(commands, ":8443", tlsPort(t, control), 1)
	out, err := shell(t, folder, commands)
	require.NoError(t, err, out)
	assert.Contains(t, out, "the interface has no path /")
	assert.Contains(t, fetched(t, control+"/v1/sandboxes/default/journal"), `"url":"https://`+fixedHost+`/"`)
}

// tlsPort returns the port at which a simulator speaks https, as in ":8443".
func tlsPort(t *testing.T, control string) string {
	t.Helper()
	port := regexp.MustCompile(`"httpsUrl":"https://127\.0\.0\.1(:\d+)"`).FindStringSubmatch(fetched(t, control+"/v1/info"))
	require.NotNil(t, port)
	return port[1]
}

// The network of its own is what the page says: made without root, with the simulator and an app in it.
func TestHTTPSRecipeForANetwork(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"unshare", "ip", "mount", "curl", "node"} {
		needsTool(t, tool)
	}
	inNetwork(t, "^$") // skips where none can be had
	page, folder := httpsPage(t), t.TempDir()
	outside := commandsAfter(t, page, "### A network of its own")
	inside := commandsAfter(t, page, "In that shell, run the simulator and the app.")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "groups.mjs"), []byte(titled(t, page, "groups.mjs")), 0o644))
	session := filepath.Join(folder, "session")
	require.NoError(t, os.WriteFile(session, []byte("#!/bin/sh\nset -e\n"+inside+"kill $!\nwait $!\n"), 0o755))
	out, err := shell(t, folder, outside, "SHELL="+session)
	require.NoError(t, err, out)
	assert.Contains(t, out, "23 groups")
}
