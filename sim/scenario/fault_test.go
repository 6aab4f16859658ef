package scenario_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Every rule in the documentation loads.
func TestFaultsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```\n").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(blocks), 8)
	for _, block := range blocks {
		rules, err := scenario.ParseFaults("faults.md", []byte(block[1]))
		assert.NoError(t, err, block[1])
		assert.NotEmpty(t, rules)
	}
}

// A scenario sends files of its folder. Where it is loaded or stored, it has their bytes.
func TestBodyFile(t *testing.T) {
	t.Parallel()
	pdf := func(file string) string {
		return "  - {name: s, path: /s, then: {status: 200, bodyFile: " + file + "}}\n"
	}
	const faults = "extends: base\nfaults:\n"
	dir := folder(t, map[string]string{
		"main.yaml": "extends: teams/a.yaml\n", "teams/a.yaml": faults + pdf("../docs/s.pdf"),
		"removed.yaml": "extends: teams/a.yaml\nfaults: [{name: s, then: {bodyFile: null, body: text}}]\n",
		"bad.yaml": faults + pdf("../s.pdf") + pdf("none.pdf") + pdf("empty.pdf") + pdf("/s.pdf") +
			pdf("docs") + pdf("[a]") + pdf("docs/s.pdf, body: a") + pdf("docs/s.pdf, bodyBase64: JQ==") +
			"  - {path: /t, then: {bodyFile: docs/s.pdf}}\n  - {path: /u, then: {status: 200, bodyBase64: JVB}}\n",
		"large.yaml": faults + pdf("half.pdf") + pdf("half.pdf") + pdf("empty.pdf"),
		"half.pdf":   strings.Repeat("x", 256<<10+1),
		"docs/s.pdf": "%PDF-1.4\xff", "empty.pdf": "",
	})
	main := filepath.Join(dir, "main.yaml")
	s, files, err := scenario.LoadFile(main)
	require.NoError(t, err)
	assert.Equal(t, "JVBERi0xLjT/", s.Faults[0].Then.BodyBase64)
	assert.Equal(t, filepath.Join(dir, "docs", "s.pdf"), files[2].Name)
	resolved, err := s.Resolved()
	require.NoError(t, err)
	stored, err := scenario.Stored("main.yaml", s.Version, resolved)
	require.NoError(t, err)
	assert.True(t, stored.StartsEqual(s))

	require.NoError(t, os.WriteFile(filepath.Join(dir, "docs", "s.pdf"), []byte("%PDF-1.5"), 0o600))
	assert.NotEqual(t, files, files.Now())
	next, err := scenario.Load(main)
	require.NoError(t, err)
	assert.NotEqual(t, s.Version, next.Version)

	removed, err := scenario.Load(filepath.Join(dir, "removed.yaml"))
	require.NoError(t, err)
	assert.Equal(t, fault.Then{Status: 200, Body: &fault.Body{Text: "text"}}, removed.Faults[0].Then)

	_, err = scenario.Load(filepath.Join(dir, "bad.yaml"))
	require.Error(t, err)
	for place, message := range map[string]string{
		"3:55": `bodyFile "../s.pdf": it is outside of the folder of the scenario`,
		"4:55": "no such file", "5:55": "the file is empty", "6:55": "name a file beside the scenario",
		"7:55": "not a regular file", "8:55": "must be a string", "9:55": "keep one of them",
		"10:55": "keep one of them", "11:33": "a body needs a status", "12:48": "no base64",
	} {
		assert.Regexp(t, "bad.yaml:"+place+": .*"+message, err.Error())
	}
	_, err = scenario.Load(filepath.Join(dir, "large.yaml"))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "large.yaml:3")
	assert.Regexp(t, "large.yaml:4:.*half.pdf.*larger than 512 KiB", err.Error())
	assert.Regexp(t, "large.yaml:5:.*empty.pdf.*larger than 512 KiB", err.Error(), "nothing more is read")
	const sent = "only a scenario that is a file itself can send a file: write bodyBase64"
	_, err = scenario.Parse("sent.yaml", []byte(faults+pdf("s.pdf")))
	assert.EqualError(t, err, `sent.yaml:3:55: bodyFile "s.pdf": `+sent)
	_, err = scenario.ParseFaults("sent.yaml", []byte("- {path: /s, then: {status: 200, bodyFile: s.pdf}}"))
	assert.EqualError(t, err, "sent.yaml:1:44: "+sent)
}
