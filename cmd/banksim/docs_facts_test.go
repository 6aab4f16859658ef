package main

import (
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// The README is what a newcomer reads first. The list of operations is as long as the interface.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	before, list, found := strings.Cut(string(text), "<!-- generated: operations -->")
	require.True(t, found)
	_, after, _ := strings.Cut(list, "<!-- end -->")
	assert.LessOrEqual(t, strings.Count(before+after, "\n"), 185)
}

// The page about running it has all flags of serve.
func TestFlagsOfServe(t *testing.T) {
	var help bytes.Buffer
	require.Equal(t, exitFine, run(t.Context(), []string{"serve", "--help"}, &help, io.Discard))
	page, err := os.ReadFile(filepath.Join(root, "docs", "running.md"))
	require.NoError(t, err)
	flags := regexp.MustCompile(`(?m)^(?: {6}|\| )(--[a-z-]+)`)
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
	for _, d := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(prose(d.text), -1) {
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

var (
	shellBlock   = regexp.MustCompile("(?ms)^ *```(console|sh)\n(.*?)^ *```\n") // one with a title is a file, which is run
	singleQuoted = regexp.MustCompile(`'[^']*'`)
	quoted       = regexp.MustCompile(`'[^']*'|"(?:\\.|[^"\\])*"`)
)

// unsafe are patterns that commands must not have, in the part of them that a shell looks at.
var unsafe = map[string]struct {
	outside, pattern *regexp.Regexp
}{
	"zsh expands it unless it is quoted":    {quoted, regexp.MustCompile(`[?*]|\S[\[\]]|\[\S`)},
	"& ends a command unless it is quoted":  {quoted, regexp.MustCompile(`[^\s>]&\S`)},
	"zsh takes a comment for arguments":     {quoted, regexp.MustCompile(`(?m)(?:^|\s)#`)},
	"a shell looks in its history for it":   {singleQuoted, regexp.MustCompile(`!\S`)},
	"macOS doesn't have the tool or flag":   {quoted, regexp.MustCompile(`\b(?:sed (?:-\S+ )*-\w*[ir]|date (?:-\S+ )*-\w*[dI]|grep (?:-\S+ )*-\w*P|xargs (?:-\S+ )*-\w*r|base64 -w|readlink -f|stat -c|sort -\w*V|head -[nc] ?-|cp -\w*a)\b|\b(?:timeout|tac|nproc|shuf|sha256sum) `)},
	"only GNU's sed and grep understand it": {regexp.MustCompile(`^$`), regexp.MustCompile(`\b(?:sed|grep) [^|]*\\[+?|]`)},
}

// Commands can be pasted into any shell, on Linux and macOS.
func TestShellExamplesAreSafe(t *testing.T) {
	checked := 0
	for _, d := range documents(t) {
		for _, commands := range shellCommands(d.text) {
			checked++
			for why, rule := range unsafe {
				assert.NotRegexp(t, rule.pattern, rule.outside.ReplaceAllString(commands, "_"), "%s: %s:\n%s", d.name, why, commands)
			}
		}
	}
	assert.Greater(t, checked, 100)
}

// shellCommands returns the commands of a page's shell blocks: those of a block without a prompt together, because a
// command may have several lines.
func shellCommands(markdown string) []string {
	var all []string
	for _, block := range shellBlock.FindAllStringSubmatch(markdown, -1) {
		if block[1] == "sh" {
			all = append(all, block[2])
			continue
		}
		for line := range strings.Lines(block[2]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				all = append(all, command)
			}
		}
	}
	return all
}

// The rules for commands find what a reader would stumble over.
func TestUnsafeShellExamples(t *testing.T) {
	for example, unsafeCommand := range map[string]bool{
		"```console\n$ curl -s $BANK/groups?size=1\n```\n":             true,
		"```console\n$ curl -s \"$BANK/groups?size=1&page=2\"\n```\n":  false,
		"```console\n$ curl -s $BANK/groups -d size=1&page=2\n```\n":   true,
		"```console\n$ curl -s $BANK/groups&\n```\n":                   false,
		"```sh\ncurl -s localhost/a[0]\n```\n":                         true,
		"```sh\ncurl -s localhost \\\n  -d '{\"a\": [1,\n2]}'\n```\n":  false,
		"```sh\n[ -z \"$A\" ]\n```\n":                                  false,
		"```sh\nls docs/*.md\n```\n":                                   true,
		"```sh\ngo test ./... # all of them\n```\n":                    true,
		"```sh\n# all of them\ngo test ./...\n```\n":                   true,
		"```sh\necho \"Hello!you\"\n```\n":                             true,
		"```sh\necho 'Hello!you'\n```\n":                               false,
		"```sh\nsed -i s/a/b/ file\n```\n":                             true,
		"```sh\nsed -n -E s/a/b/p file\n```\n":                         false,
		"```sh\nsed 's/a\\+/b/' file\n```\n":                           true,
		"```sh\nsed 's/\\(a\\)*/b/' file\n```\n":                       false,
		"```sh\ngrep -oP 'a' file\n```\n":                              true,
		"```sh\ndate -u -d yesterday\n```\n":                           true,
		"```sh\ntimeout 5 banksim serve\n```\n":                        true,
		"1. In a list:\n\n   ```sh\n   curl -s localhost/?a\n   ```\n": true,
		"```sh title=\"a.sh\"\n# a file, which is run\n```\n":          false,
	} {
		found := false
		for _, commands := range shellCommands(example) {
			for _, rule := range unsafe {
				found = found || rule.pattern.MatchString(rule.outside.ReplaceAllString(commands, "_"))
			}
		}
		assert.Equal(t, unsafeCommand, found, example)
	}
}

var (
	code       = regexp.MustCompile("`([^`\n]+)`")
	codePath   = regexp.MustCompile(`(?:^|[\s` + "`" + `])(?:\./)?((?:sim|cmd|docs|fixtures|testkit)/[\w./-]*[\w/])`)
	identifier = regexp.MustCompile(`^([a-z]+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?(?:\(\))?$`)
)

// The paths of this repository that the documents name exist, or are laid out in sim/imports_test.go, and the Go
// identifiers exist.
func TestCodeOfTheDocuments(t *testing.T) {
	layers, err := os.ReadFile(filepath.Join(root, "sim", "imports_test.go"))
	require.NoError(t, err)
	sources := map[string]string{}
	for _, d := range documents(t) {
		for _, match := range codePath.FindAllStringSubmatch(d.text, -1) {
			_, err := os.Stat(filepath.Join(root, match[1]))
			assert.True(t, err == nil || strings.Contains(string(layers), `"`+match[1]+`"`), "%s names %s", d.name, match[1])
		}
		for _, match := range code.FindAllStringSubmatch(prose(d.text), -1) {
			if names := identifier.FindStringSubmatch(match[1]); names != nil {
				source, read := sources[names[1]]
				if !read {
					source = packageSource(t, names[1])
					sources[names[1]] = source
				}
				for _, name := range names[2:] {
					declared := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |const |\t)` + name + `\b`)
					assert.True(t, name == "" || source == "" || declared.MatchString(source), "%s names %s", d.name, match[1])
				}
			}
		}
	}
}

// The drawings of the layers have all packages.
func TestDrawingsOfTheLayers(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(root, "sim", "*", "doc.go"))
	require.NoError(t, err)
	for _, d := range documents(t) {
		if d.name == "docs/architecture.md" || d.name == "docs/contributing.md" {
			drawing := anyBlock.FindString(d.text[strings.Index(d.text, "## The layers"):])
			for _, folder := range folders {
				assert.Contains(t, drawing, "sim/"+filepath.Base(filepath.Dir(folder)), d.name)
			}
		}
	}
}

// packageSource returns the source of one of our packages; empty: the package isn't ours.
func packageSource(t *testing.T, name string) string {
	var source strings.Builder
	for _, folder := range []string{"sim/" + name, name, "testkit/" + name} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			source.Write(text)
		}
	}
	return source.String()
}

var anyBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```\n")

// prose returns a document without its fenced blocks.
func prose(markdown string) string { return anyBlock.ReplaceAllString(markdown, "") }
