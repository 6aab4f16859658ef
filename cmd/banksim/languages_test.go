package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// language is one that a test kit is for. Its commands are of the shell; $KIT is the folder of the test kit, $JUNIT has
// the classes of JUnit, and $JACKSON those of Jackson.
type language struct {
	kit, file string // of the example in the README
	install   string
	test      string // the file, or all files of the kit with its name
	suite     string // run the kit's own tests, in a copy of its folder
	night     string // run them with those that are slow, if there are such
	passed    string // what a test that passes prints
}

var languages = []language{
	{
		"node",
		"groups.test.js",
		"npm install --silent --no-audit --no-fund --install-links $KIT",
		"node --test groups.test.js",
		"node --test",
		"npm install --silent --no-audit --no-fund && node --test",
		`(?m)^\S pass [1-9]`,
	},
	{
		"python",
		"test_groups.py",
		"python3 -m pip install -q --no-build-isolation --no-deps --target . $KIT",
		"python3 -m pytest -q .",
		"python3 -m pytest -q -k 'not mypy'",
		"python3 -m pytest -q",
		`(?m)^\d+ passed`,
	},
	{
		"java", "GroupsTest.java", "javac -cp $JUNIT:$JACKSON -d classes $(find $KIT/src/main -name '*.java')",
		"javac -proc:none -cp $JUNIT:$JACKSON:classes -d classes GroupsTest.java && " +
			"java -jar $JUNIT --cp classes:$JACKSON --scan-classpath",
		"javac -proc:none -cp $JUNIT:$JACKSON -d classes $(find src -name '*.java') && " +
			"java -jar $JUNIT --cp classes:$JACKSON --scan-classpath",
		"",
		`[1-9]\d* tests successful`,
	},
}

// jackson has the classes of Jackson.
const jackson = "/usr/share/java/jackson-databind.jar:/usr/share/java/jackson-core.jar:/usr/share/java/jackson-annotations.jar"

// The example of each README passes in an empty project, with the test kit installed and the program in BANKSIM, and
// fails if the app does. The kit's own tests pass as well. No variable of serve reaches the simulators of the tests.
func TestLanguages(t *testing.T) {
	if os.Getenv("BANKSIM_LANGUAGES") != "1" && os.Getenv("BANKSIM_NIGHT") != "1" {
		t.Skip("it needs Node, pytest and JUnit: it runs with BANKSIM_LANGUAGES=1")
	}
	t.Parallel()
	program, err := exec.LookPath("banksim") // this test binary, see TestMain
	require.NoError(t, err)
	cases, err := filepath.Abs(filepath.Join(root, "testkit", "cases.json"))
	require.NoError(t, err)
	for _, l := range languages {
		t.Run(l.kit, func(t *testing.T) {
			t.Parallel()
			kit := t.TempDir() // a copy: building leaves files behind
			require.NoError(t, os.CopyFS(kit, os.DirFS(filepath.Join(root, "testkit", l.kit))))
			project := t.TempDir()
			unread := filepath.Join(t.TempDir(), "unread")
			run := func(folder, command string) (string, error) {
				cmd := exec.CommandContext(t.Context(), "sh", "-ec", command)
				cmd.Dir = folder
				cmd.Env = append(os.Environ(), wrongVariables(unread)...)
				cmd.Env = append(cmd.Env, "BANKSIM_CASES="+cases)
				cmd.Env = append(cmd.Env, "BANKSIM="+program, "KIT="+kit, "PATH=/usr/bin:"+os.Getenv("PATH"),
					"npm_config_cache="+kit+"/npm", "JUNIT=/usr/share/java/junit-platform-console-standalone.jar",
					"JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", // half the CPU of short runs
					"JACKSON="+jackson, "BANKSIM_CONTROL=", "BANKSIM_CONTROL_TOKEN=", // the kits read them, too
					"PYTHONDONTWRITEBYTECODE=1")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			page, err := os.ReadFile(filepath.Join(kit, "README.md"))
			require.NoError(t, err)
			example := titled(t, string(page), l.file)
			// The fault fires once more than the app tries.
			broken := regexp.MustCompile(`(first\W*)1\b`).ReplaceAllString(example, "${1}2")
			require.NotEqual(t, example, broken)
			write := func(text string) {
				require.NoError(t, os.WriteFile(filepath.Join(project, l.file), []byte(text), 0o644))
			}
			out, err := run(project, l.install)
			require.NoError(t, err, out)
			write(example)
			out, err = run(project, l.test)
			require.NoError(t, err, out)
			assert.Regexp(t, l.passed, out)
			// In an exploration, the bank of the test is the explored one.
			explored := `"$BANKSIM" explore --max-runs 3 --parallel 1 -- sh -ec '` + l.test + `'`
			out, _ = run(project, explored)
			assert.Contains(t, out, "undisturbed, the command passes and calls groups.list#1")
			write(broken)
			out, err = run(project, l.test)
			assert.Error(t, err)
			assert.Contains(t, out, "the bank has answered 500")

			suite, isNight := l.suite, os.Getenv("BANKSIM_NIGHT") == "1"
			if isNight {
				suite = cmp.Or(l.night, l.suite)
			}
			out, err = run(kit, suite)
			require.NoError(t, err, out)
			assert.Regexp(t, l.passed, out)
			assert.False(t, isNight && skipped.MatchString(out), out)
			made, err := os.ReadDir(filepath.Dir(unread))
			require.NoError(t, err)
			assert.Empty(t, made)
		})
	}
}

// skipped matches what a suite prints that has skipped tests.
var skipped = regexp.MustCompile(`[1-9]\d* (tests )?skipped|skipped [1-9]`)

// wrongVariables sets each variable of serve to the name of a file that isn't there. A simulator that reads one of them
// doesn't start, or makes the file.
func wrongVariables(file string) (variables []string) {
	app := kong.Must(new(commandLine), parserVars()).Model
	nameVariables(app)
	serve := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	for _, flag := range app.Children[serve].Flags {
		variables = append(variables, flag.Envs[0]+"="+file)
	}
	return variables
}

// titled returns the block of a page that holds a file.
func titled(t *testing.T, page, file string) string {
	t.Helper()
	_, block, found := strings.Cut(page, " title=\""+file+"\"\n")
	require.True(t, found, "the page has no block with the title %s", file)
	block, _, _ = strings.Cut(block, "\n```\n")
	return block + "\n"
}
