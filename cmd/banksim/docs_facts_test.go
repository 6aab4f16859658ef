package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// The page about running it has all flags of serve.
func TestFlagsOfServe(t *testing.T) {
	var help bytes.Buffer
	require.Equal(t, exitFine, runWith(t.Context(), nil, &help, io.Discard, "serve", "--help"))
	page, err := os.ReadFile(filepath.Join(root, "docs", "running.md"))
	require.NoError(t, err)
	flags := regexp.MustCompile(`(?m)^(?: +|\| )(--[a-z-]+)`)
	var offered, described []string
	for _, match := range flags.FindAllStringSubmatch(help.String(), -1) {
		if match[1] != "--version" {
			offered = append(offered, match[1])
		}
	}
	for _, match := range flags.FindAllStringSubmatch(string(page), -1) {
		described = append(described, match[1])
	}
	assert.ElementsMatch(t, offered, described)
}

// Docker Compose reads the compose files of the docs.
func TestComposeFiles(t *testing.T) {
	if exec.CommandContext(t.Context(), "docker", "compose", "version").Run() != nil {
		t.Skip("it needs docker compose")
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "deploy", "compose*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, file := range files {
		compose := exec.CommandContext(t.Context(), "docker", "compose", "--file", file, "config", "--quiet")
		compose.Env = append(os.Environ(), "POSTGRES_PASSWORD=p", "BANKSIM_CONTROL_TOKEN=t")
		out, err := compose.CombinedOutput()
		assert.NoError(t, err, "%s: %s", file, out)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Links between the documents lead to a file, and to a heading of it.
func TestLinks(t *testing.T) {
	anchors := map[string][]string{}
	for _, d := range documents(t) {
		for _, match := range heading.FindAllStringSubmatch(d.text, -1) {
			slug := strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-")
			anchors[d.name] = append(anchors[d.name], slug)
		}
	}
	fenced := regexp.MustCompile("(?ms)^ *```.*?^ *```\n")
	for _, d := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(d.text, ""), -1) {
			target, anchor := d.name, match[2]
			if match[1] != "" {
				target = path.Join(path.Dir(d.name), match[1])
			}
			assert.FileExists(t, filepath.Join(root, target), "%s links to %s", d.name, match[0])
			if anchor != "" {
				assert.Contains(t, anchors[target], anchor, "%s links to %s", d.name, match[0])
			}
		}
	}
}
