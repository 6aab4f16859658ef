package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"banksim": main})
}

// The scripts run the program as a user does.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Cmds: scriptCommands})
}

// scriptCommands are the commands of scripts besides those of testscript.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	// await FILE waits for the ready file and puts its addresses into $SERVICE and $CONTROL.
	"await": awaitReady,
	// shows TEXT waits until the answer to GET /v1/info contains the text.
	"shows": awaitInfo,
	// terminate sends SIGTERM to the commands in the background, as a container engine does.
	"terminate": func(ts *testscript.TestScript, _ bool, _ []string) {
		for _, cmd := range ts.BackgroundCmds() {
			ts.Check(cmd.Process.Signal(syscall.SIGTERM))
		}
	},
	// mode FILE MODE compares the mode of a file.
	"mode": func(ts *testscript.TestScript, _ bool, args []string) {
		info, err := os.Stat(ts.MkAbs(args[0]))
		ts.Check(err)
		if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[1] {
			ts.Fatalf("%s has the mode %s", args[0], got)
		}
	},
	// pad FILE adds a comment to a scenario, which is too large then.
	"pad": func(ts *testscript.TestScript, _ bool, args []string) {
		text := ts.ReadFile(args[0]) + strings.Repeat("#", 3*scenario.MaxBytes)
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
	},
}

func awaitReady(ts *testscript.TestScript, _ bool, args []string) {
	service, control, err := awaitFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Setenv("SERVICE", service)
	ts.Setenv("CONTROL", strings.TrimPrefix(control, "http://"))
}

func awaitInfo(ts *testscript.TestScript, _ bool, args []string) {
	var info []byte
	for deadline := time.Now().Add(time.Minute); !bytes.Contains(info, []byte(args[0])); {
		if time.Now().After(deadline) {
			ts.Fatalf("never in /v1/info: %s; it is %s", args[0], info)
		}
		res, err := http.Get("http://" + ts.Getenv("CONTROL") + "/v1/info")
		ts.Check(err)
		info, err = io.ReadAll(res.Body)
		ts.Check(err)
		ts.Check(res.Body.Close())
	}
}

// awaitAddresses waits for the ready file of a simulator, and returns its addresses.
func awaitAddresses(t testing.TB, name string) (service, control string) {
	t.Helper()
	service, control, err := awaitFile(name)
	require.NoError(t, err)
	return service, control
}

func awaitFile(name string) (service, control string, err error) {
	var addresses struct{ Service, Control string }
	deadline := time.After(time.Minute)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		data, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, &addresses)
		}
		if err == nil { // the target of a link is not written in one step
			return addresses.Service, addresses.Control, nil
		}
		select {
		case <-deadline:
			return "", "", err
		case <-tick.C:
		}
	}
}

// runWith runs the program with an environment and arguments. Its input is the value of stdin in the environment.
func runWith(ctx context.Context, env map[string]string, out, errs io.Writer, args ...string) int {
	lookup := func(name string) (value string, isSet bool) {
		value, isSet = env[name]
		return value, isSet
	}
	return run(ctx, args, lookup, strings.NewReader(env["stdin"]), out, errs, &processGroups{})
}

// Wrong use ends with code 2 and a message that names what is wrong, a failed command with code 1.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args, env string
		code      int
		err       string
	}{
		"no command":           {"", "", 2, "Usage: banksim <command>"},
		"unknown command":      {"server", "", 2, "Try 'banksim --help'.\n"},
		"version as a command": {"version", "", 2, "Try 'banksim --help', or 'banksim --version' for the version."},
		"no listener":          {"serve --listen=", "", 2, "--listen is empty: give an address, or leave it out"},
		"late clock start":     {"serve --clock-start 9800-01-01T00:00:00Z", "", 2, "the year 1 to 9700"},
		"bad origin": {
			"serve --cors-origins https://app.example/",
			"",
			2,
			"--cors-origins must be an origin",
		},
		"health of a sandbox": {"healthcheck --sandbox x", "", 2, "unknown flag --sandbox"},
		"CA of a sandbox":     {"print ca --sandbox x", "", 2, "unknown flag --sandbox"},
		"two CAs":             {"print ca --tls-ca x --control x:1", "", 2, "--control has no use with --tls-ca: leave"},
		"two banks for an agent": {"mcp --control x:1 --scenario empty", "", 2,
			"--scenario and --control can't be used together"},
		"another bank for an agent": {"mcp --scenario empty", "BANKSIM_CONTROL=x:1", 2,
			"can't be used together (--control is from the variable BANKSIM_CONTROL)"},
		"coverage, lone TLS": {"coverage main.go --control-ca x", "", 2, "--control-ca has no use without --control"},
		"check, lone seed":   {"check --base-url http://127.0.0.1:1 --seed 5", "", 2, "--seed has no use without --journeys"},
		"bad health address": {"healthcheck --control x", "", 2, "not an address"},
		"explore, past time": {"explore --time=-1s -- true", "", 2, "--time -1s is negative"},
		"one dash": {
			"serve -scenario x",
			"",
			2,
			"banksim: a flag with a name takes two dashes: --scenario\n",
		},
		"scenario as argument": {"serve retail", "", 2, "The scenario is named by a flag: --scenario retail."},
		"bad seed": {
			"serve --seed minus",
			"",
			2,
			`--seed: expected a whole number from 0 on but got "minus"`,
		},
		"bad variable": {
			"serve",
			"BANKSIM_SEED=minus",
			2,
			`"minus" (--seed is from the variable BANKSIM_SEED)`,
		},
		"empty variable":   {"serve --listen here", "BANKSIM_SEED=", 2, `--listen "here" is not an address`},
		"blanks in a list": {"serve", "BANKSIM_LISTEN= 127.0.0.1:0 , here ", 2, `--listen "here" is not`},
		"unknown scenario": {"serve --listen 127.0.0.1:0 --control 127.0.0.1:0 --scenario retial", "", 2,
			`did you mean "retail"`},
		"nothing to watch": {"serve --listen 127.0.0.1:0 --control 127.0.0.1:0 --watch", "", 2,
			`--watch needs a scenario from a file, and "retail" is none`},
		"empty token": {
			"serve --control-token=",
			"",
			2,
			"--control-token is empty: give a token, or leave it out",
		},
		"bad token": {
			"serve --control-token s3cr;t",
			"",
			2,
			"--control-token is not what a header can carry",
		},
		"no journal": {"serve --journal 0", "", 2, "--journal 0 is no number of exchanges: give"},
		"bad sandbox hosts": {"serve --sandbox-hosts bank.test", "", 2,
			`--sandbox-hosts "bank.test" is not a pattern of hosts: write *. and the name of a domain`},
		"bad clock start": {"serve --clock-start 2026-01-15", "", 2,
			`--clock-start: "2026-01-15" is neither now nor an RFC 3339 timestamp such as 2026-01-15T09:00:00Z`},
		"bad public URL": {"serve", "BANKSIM_PUBLIC_URL=bank.example:8080", 2,
			"--public-url is not a URL such as https://bank.example/staging"},
		"bad log level": {
			"serve --log-level loud",
			"",
			2,
			`banksim: --log-level: "loud" is no level: give debug, info, warn or error`,
		},
		"ledger of nothing": {"print ledger --operation group.create", "", 2,
			`there is no operation "group.create": did you mean "groups.create"?`},
		"why, none": {"why --last 0", "", 2, "--last 0: give 1 to 1000"},
		"coverage, bad bound": {"coverage --fail-under abc", "", 2,
			`--fail-under: "abc" is neither a number nor an answer as the report has it: there is no operation "abc"`},
		"bad port": {
			"serve --listen 127.0.0.1:99999",
			"",
			2,
			`--listen "127.0.0.1:99999" is not an address`,
		},
		"bad data": {
			"serve --listen 127.0.0.1:0 --control 127.0.0.1:0 --data main.go",
			"",
			2,
			"banksim: --data: ",
		},
		"check, only reads": {
			"check --base-url http://127.0.0.1:1 --journeys 5",
			"",
			2,
			"only with --allow-writes",
		},
		"explore nothing": {"explore", "", 2, "there is no command to explore"},
		"explore, unknown": {
			"explore -- nmp test",
			"",
			2,
			`the command can't be run: exec: "nmp": executable file not found`,
		},
		"explore, no program": {
			"explore -- ./main.go",
			"",
			2,
			"the command can't be run: ", // Windows finds that when it starts it
		},
		"explore, no format": {"explore -- ./testdata/broken.exe", "", 2, "the command can't be run: "},
		"explore, few runs":  {"explore --max-runs 2 -- true", "", 2, "--max-runs 2 is too few"},
		"explore, unknown flag": {
			"explore --max-rnus 5 -- true",
			"",
			2,
			`unknown flag --max-rnus, did you mean "--max-runs"?`,
		},
		"explore, no time":      {"explore --run-time 0s -- true", "", 2, "--run-time 0s: give a duration such as 60s"},
		"explore, all parallel": {"explore --parallel 1001 -- true", "", 2, "--parallel 1001: give 1 to 1000"},
		"explore, bad pattern":  {"explore --only [ -- true", "", 2, `--only "[" is not a pattern`},
		"explore, two choices": {"explore --only groups.* --run groups.list#1/reset -- true", "", 2,
			"--run and --only contradict each other"},
		"explore, bad report": {
			"explore --report main.go/report -- banksim",
			"",
			2,
			"--report: mkdir main.go: not a directory",
		},
		"explore, bad token": {
			"explore --control-token s3cr;t -- banksim",
			"",
			1,
			"the control token is not what a header can carry",
		},
		"validate, a finding": {"validate ../../fixtures/bad/alert-preferences.yaml", "", 1, "alert-preferences.yaml:"},
		"validate, no file":   {"validate retail nope.yaml", "", 1, `there is no file "nope.yaml"`},
		"validate, nothing":   {"validate", "", 2, `expected "<file> ..."`},
		"explore, lone TLS":   {"explore --control-ca ca.pem -- true", "", 2, "name its control API with --control"},
		"help":                {"serve --help", "", 0, ""},
		"version":             {"--version", "", 0, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			env := map[string]string{}
			if name, value, ok := strings.Cut(test.env, "="); ok {
				env[name] = value
			}
			code := runWith(t.Context(), env, &out, &errs, strings.Fields(test.args)...)
			assert.Equal(t, test.code, code, errs.String())
			assert.Contains(t, errs.String(), test.err)
			assert.NotContains(t, errs.String(), "s3cr", "a token is shown")
			if test.code == 0 {
				assert.NotEmpty(t, out.String())
			}
		})
	}
}

// times returns how often a test does something: more often at night.
func times(byDay, byNight int) int {
	if os.Getenv("BANKSIM_NIGHT") == "1" {
		return byNight
	}
	return byDay
}

// night skips a test that is too long for every day, or needs programs that a fresh machine does not have, unless
// BANKSIM_NIGHT=1 asks for it. Then nothing is skipped.
func night(t *testing.T, why string) {
	t.Helper()
	if times(0, 1) == 0 {
		t.Skip(why + ": it runs with BANKSIM_NIGHT=1")
	}
}

// needPrograms skips a test on a machine without these programs.
func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("it needs " + name)
		}
	}
}

// databaseURL returns the URL of a schema that is new, in the database of a variable. Without one, it skips the test.
func databaseURL(t testing.TB, variable string) string {
	t.Helper()
	url := os.Getenv(variable)
	if url == "" {
		t.Skip(variable + " has no URL of a PostgreSQL database, such as .ci/postgres and .ci/pgbouncer start")
	}
	return fmt.Sprintf("%s&search_path=test%d", url, time.Now().UnixNano())
}

// serveOnFreePorts returns the command that runs the program on free ports. It ends with the test.
func serveOnFreePorts(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("banksim") // the test binary: see testscript.Main
	require.NoError(t, err)
	cmd := exec.Command(program, append([]string{"serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0"}, args...)...)
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// replica is a running program.
type replica struct {
	process          *exec.Cmd
	service, control string
}

// startReplica starts the program, which keeps its banks in a place, and awaits its addresses.
func startReplica(t testing.TB, data string) replica {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready.json")
	cmd := serveOnFreePorts(t, "--data", data, "--ready-file", ready)
	require.NoError(t, cmd.Start())
	service, control := awaitAddresses(t, ready)
	return replica{cmd, service, control}
}

// callControl makes a call of a control API, which must succeed, and returns the answer.
func callControl(t testing.TB, client *http.Client, method, url, body string) []byte {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	res, err := client.Do(r)
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Less(t, res.StatusCode, 300, "%s %s: %s", method, url, text)
	return text
}

// requestTo returns a request to an operation of a bank, with a JSON body and, if there is one, an access token.
func requestTo(t testing.TB, bank string, op *contract.Operation, id, body, token string) *http.Request {
	r, err := http.NewRequest(op.Method, bank+strings.Replace(op.Path, "{groupId}", id, 1), strings.NewReader(body))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"institutionId": "02688", "transactionId": "t-1", "Content-Type": "application/json",
	} {
		r.Header.Set(name, value)
	}
	if op.Security == contract.Basic {
		r.SetBasicAuth("demo-app", "demo-secret")
	} else if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

// hostile has escape sequences of a terminal, a mark that turns the direction of the text, and a line that a report
// could have.
const hostile = "\x1b]0;title\x07\u009b31m\u202egnp\n0 findings\n"

// assertTame asserts that no character of an output controls a terminal, and that no line of it is the hostile text's.
func assertTame(t *testing.T, name, text string) {
	t.Helper()
	assert.True(t, utf8.ValidString(text), "%s: %q", name, text)
	at := strings.IndexFunc(text, func(c rune) bool {
		return unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c)
	})
	assert.Negative(t, at, "%s: %q", name, text)
	assert.NotRegexp(t, `(?m)^\s*0 findings$`, text, name)
}

// Nothing of a capture controls the terminal that shows what is inferred from it, or forges a line there.
func TestInferShowsForeignTexts(t *testing.T) {
	t.Parallel()
	quoted := func(text string) string {
		data, err := json.Marshal(text)
		require.NoError(t, err)
		return string(data)
	}
	with := func(text string) string {
		return strings.ReplaceAll(text, "HOSTILE", strings.Trim(quoted(hostile), `"`))
	}
	headers := with(`[{"name":"XHOSTILE","value":"HOSTILE"},{"name":"Content-Type","value":"a/bHOSTILE"},` +
		`{"name":"Authorization","value":"Bearer xHOSTILE"}]`)
	entry := func(method, path, answer string) string {
		return fmt.Sprintf(`{"startedDateTime":"2026-01-15T09:00:00Z","request":{"method":%s,"url":%s,"headers":%s},`+
			`"response":{"status":200,"headers":%[3]s,"content":{"text":%s}}}`,
			quoted(method), quoted("https://bank.example"+path), headers, quoted(answer))
	}
	const list = "/digitalbanking/db-groups/v3/groups"
	const group = `{"groupName":"HOSTILE","groupId":"gHOSTILE","HOSTILE":"HOSTILE"}`
	capture := `{"log":{"entries":[` + strings.Join([]string{
		entry("GET", list, with(`{"content":[`+group+`],"HOSTILE":"HOSTILE"}`)),
		entry("GET", list, with(`{"HOSTILE":"HOSTILE"}`)),
		entry("GET"+hostile, "/v1/rates", ""),
		entry("GET", "/v1/"+url.PathEscape(hostile), "tame\n"+hostile),
	}, ",") + `]}}`
	name := filepath.Join(t.TempDir(), "a\u202eb.har")
	require.NoError(t, os.WriteFile(name, []byte(capture), 0o600))
	var out, errs bytes.Buffer
	code := runWith(t.Context(), nil, &out, &errs, "infer", "--stubs", name)
	require.Equal(t, exitFailed, code, errs.String())
	assertTame(t, "stdout", out.String())
	assertTame(t, "stderr", errs.String())
	sc, err := scenario.Parse("inferred.yaml", out.Bytes())
	require.NoError(t, err, errs.String())
	assert.Equal(t, "a\u202eb", sc.Name, "the same text in an escape")
	assert.Contains(t, out.String(), "\\u202e")

	out.Reset()
	errs.Reset()
	bad := with(`{"log":{"entries":[{"request":{"method":"GET","url":"http://u:p@h:HOSTILE"}}]}}`)
	code = runWith(t.Context(), map[string]string{"stdin": bad}, &out, &errs, "infer", "-")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errs.String(), "can't be read")
	assertTame(t, "stderr", errs.String())
}

// Nothing that a service answers controls the terminal that shows a report on it, or forges a line there.
func TestCheckShowsForeignTexts(t *testing.T) {
	t.Parallel()
	requests := 0 // a check sends one at a time
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		if requests%7 == 0 {
			connection, _, err := http.NewResponseController(w).Hijack()
			if assert.NoError(t, err) {
				_, _ = fmt.Fprintf(connection, "HTTP/1.1 %s", hostile)
				_ = connection.Close()
			}
			return
		}
		for _, name := range []string{"Content-Type", "Transactionid", "Correlationid", "Cache-Control"} {
			w.Header().Set(name, "a/b"+"\x9b31m\u009b\u202e")
		}
		w.Header().Set("X\u202e", "x")
		w.WriteHeader([]int{200, 400, 201}[requests%3])
		element := map[string]string{hostile: hostile, "groupName": hostile}
		_ = json.NewEncoder(w).Encode(map[string]any{
			hostile: hostile, "code": hostile, "message": hostile, "links": []any{element}, "content": []any{element},
		})
	}))
	t.Cleanup(service.Close)
	for _, format := range []string{"text", "json", "junit"} {
		var out, errs bytes.Buffer
		code := runWith(t.Context(), nil, &out, &errs, "check", "--base-url", service.URL, "--format", format)
		assert.Equal(t, exitFailed, code)
		assertTame(t, format, out.String())
		assertTame(t, format+": stderr", errs.String())
		assert.Contains(t, out.String(), `31m`, "%s: it is there as a text", format)
		if format == "junit" {
			var all struct {
				Tests int `xml:"tests,attr"`
			}
			require.NoError(t, xml.Unmarshal(out.Bytes(), &all))
			assert.NotZero(t, all.Tests)
		}
	}
}

// The problems of a scenario, and the names of files, are one line each.
func TestValidateShowsForeignTexts(t *testing.T) {
	t.Parallel()
	const text = `"\e]0;t\a\u009b31m\u202e\n0 findings\n"`
	name := filepath.Join(t.TempDir(), "a\n0 findings\n\u202e.yaml")
	for _, yaml := range []string{
		text + ": 1\n", "extends: " + text + "\n", "extends: retail\nbehavior: {" + text + ": " + text + "}\n",
		"extends: retail\ninstitutions: [{institutionId: " + text + ", users: [{hostUserId: " + text + ", " + text + ": 1}]}]\n",
		"extends: retail\nfaults: [{path: " + text + ", then: {forward: " + text + "}}]\n", "extends: retail\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(yaml), 0o600))
		for _, format := range []string{"text", "github"} {
			var out, errs bytes.Buffer
			runWith(t.Context(), nil, &out, &errs, "validate", "--format", format, name)
			assertTame(t, yaml, out.String())
			assertTame(t, yaml, errs.String())
		}
	}
}

// A scenario is shown with the values that it has: an escape in a text without quotes would be another value.
func TestShowKeepsValues(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "mine.yaml")
	const source = "extends: retail\ndescription: a \u202eb\u200f c\n"
	require.NoError(t, os.WriteFile(name, []byte(source), 0o600))
	for _, flags := range [][]string{{}, {"--resolved"}} {
		var out, errs bytes.Buffer
		code := runWith(t.Context(), nil, &out, &errs, append([]string{"scenarios", "show", name}, flags...)...)
		require.Equal(t, exitFine, code, errs.String())
		sc, err := scenario.Parse("shown.yaml", out.Bytes(), scenario.WithoutWorld())
		require.NoError(t, err)
		assert.Equal(t, "a \u202eb\u200f c", sc.Description)
	}
}

// No message quotes the password or the query of an address.
func TestMessagesHaveNoSecretOfAnAddress(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	name := filepath.Join(t.TempDir(), "stub.yaml")
	for _, address := range []string{
		"http://user:HUSH-1@127.0.0.1:1/p?access_token=HUSH-2&key=HUSH-3#HUSH-4",
		"http://127.0.0.1:1/p?email=a@b&key=HUSH-3", "http://user:HUSH%1@127.0.0.1:1/p?key=HUSH-3",
		"http://user:HUSH?1@127.0.0.1:1/p", "http://127.0.0.1:1/{p}?key=HUSH-3", "user:HUSH-1@127.0.0.1:1?key=HUSH-3",
		"ftp://user:HUSH-1@127.0.0.1:1",
	} {
		stub := fmt.Sprintf("extends: retail\nfaults: [{path: /x, then: {forward: %q}}]\n", address)
		require.NoError(t, os.WriteFile(name, []byte(stub), 0o600))
		for _, args := range [][]string{
			{"serve", "--public-url", address}, {"serve", "--forward-unknown", address}, {"serve", "--listen", address},
			{"serve", "--cors-origins", address}, {"serve", "--scenario", name}, {"validate", name},
			{"serve", "--data", strings.Replace(address, "http", "postgres", 1) + "&host=%zz"},
			{"why", "--control", address}, {"explore", "--control", address, "--", "go", "version"},
			{"check", "--base-url", address},
		} {
			var out, errs bytes.Buffer
			code := runWith(ctx, nil, &out, &errs, args...)
			assert.NotEqual(t, exitFine, code, args)
			assert.NotContains(t, out.String()+errs.String(), "HUSH", args)
		}
	}
}
