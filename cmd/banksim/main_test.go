package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		args string
		env  string
		code int
		err  string
	}{
		"no command":            {"", "", 2, "Usage: banksim <command>"},
		"unknown command":       {"server", "", 2, "Try 'banksim --help'.\n"},
		"version as a command":  {"version", "", 2, "Try 'banksim --help', or 'banksim --version' for the version."},
		"unknown subcommand":    {"print openapy", "", 2, "Try 'banksim print --help'."},
		"one dash":              {"serve -scenario x", "", 2, "banksim: a flag with a name takes two dashes: --scenario\n"},
		"one dash for version":  {"-version", "", 2, "banksim: a flag with a name takes two dashes: --version\n"},
		"scenario as argument":  {"serve retail", "", 2, "The scenario is named by a flag: --scenario retail."},
		"argument and flag":     {"serve ./bank.yaml --watch", "", 2, "The scenario is named by a flag: --scenario ./bank.yaml."},
		"unknown flag":          {"serve --listne 127.0.0.1:0", "", 2, "--listne"},
		"bad seed":              {"serve --seed minus", "", 2, `--seed: expected a whole number from 0 on but got "minus"`},
		"bad variable":          {"serve", "BANKSIM_SEED=minus", 2, `"minus" (--seed is from the variable BANKSIM_SEED)`},
		"empty variable":        {"serve --listen here", "BANKSIM_SEED=", 2, `--listen "here" is not an address`},
		"bad log format":        {"serve --log-format xml", "", 2, "text"},
		"bad address":           {"serve --listen here", "", 2, `--listen "here" is not an address`},
		"blanks in a list":      {"serve", "BANKSIM_LISTEN= 127.0.0.1:0 , here ", 2, `--listen "here" is not`},
		"bad control address":   {"serve --control 8081", "", 2, `--control "8081" is not an address`},
		"unknown scenario":      {"serve --scenario retial", "", 2, `did you mean "retail"`},
		"no such file":          {"serve --scenario ./nope.yaml", "", 2, "nope.yaml"},
		"bad scenario":          {"serve --scenario ../../fixtures/bad/empty-file.yaml", "", 2, "empty-file.yaml:1:1: "},
		"nothing to watch":      {"serve --watch", "", 2, `--watch needs a scenario from a file, and "retail" is none`},
		"bad scenario to watch": {"serve --watch --scenario ../../fixtures/bad/empty-file.yaml", "", 2, "empty-file.yaml:1:1: "},
		"cannot listen":         {"serve --listen 127.0.0.1:0 --control 192.0.2.1:1", "", 1, "--control 192.0.2.1:1: "},
		"cannot write ready":    {"serve --listen 127.0.0.1:0 --control 127.0.0.1:0 --ready-file /nope/ready", "", 1, "--ready-file: "},
		"no listener":           {"serve --listen=", "", 2, "--listen is empty: give an address, or leave it out"},
		"empty token":           {"serve --control-token=", "", 2, "--control-token is empty: give a token, or leave it out"},
		"empty token variable":  {"serve", "BANKSIM_CONTROL_TOKEN=", 2, "leave it out (--control-token is from the variable"},
		"bad token":             {"serve --control-token s3cr;t", "", 2, "--control-token is not what a header can carry"},
		"bad idle time":         {"serve --exit-when-idle 10", "", 2, "--exit-when-idle"},
		"no journal":            {"serve --journal 0", "", 2, "--journal 0 is no number of exchanges: give"},
		"negative idle time":    {"serve --exit-when-idle=-5m", "", 2, "--exit-when-idle -5m0s is negative: give"},
		"bad sandbox hosts": {"serve --sandbox-hosts bank.test", "", 2,
			`--sandbox-hosts "bank.test" is not a pattern of hosts: write *. and the name of a domain`},
		"bad clock start": {"serve --clock-start 2026-01-15", "", 2,
			`--clock-start: "2026-01-15" is neither now nor an RFC 3339 timestamp such as 2026-01-15T09:00:00Z`},
		"late clock start": {"serve --clock-start 9800-01-01T00:00:00Z", "", 2, "the year 1 to 9700"},
		"bad origin": {"serve --cors-origins http://localhost:*,https://app.example/", "", 2,
			`--cors-origins must be an origin as browsers send it, in lower case and without a path, such as ` +
				`"https://app.example.com" or "http://localhost:*", not "https://app.example/"`},
		"blank after a comma": {"serve --listen here", "BANKSIM_CORS_ORIGINS=http://localhost:*, null", 2, `"here" is`},
		"bad public URL": {"serve", "BANKSIM_PUBLIC_URL=bank.example:8080", 2,
			"--public-url is not a URL such as https://bank.example/staging"},
		"public URL of a page":  {"serve --public-url http://bank.example?x=1", "", 2, "has a query or a fragment"},
		"nobody listens":        {"healthcheck --control 127.0.0.1:1", "", 1, "not ready"},
		"nobody listens here":   {"healthcheck --control 0.0.0.0:1", "", 1, "0.0.0.0:1"},
		"bad health address":    {"healthcheck --control x", "", 2, "not an address"},
		"show unknown scenario": {"scenarios show retial", "", 2, `did you mean "retail"`},
		"bad log level":         {"serve --log-level loud", "", 2, `banksim: --log-level: "loud" is no level: give debug, info, warn or error`},
		"bad file":              {"validate ../../fixtures/bad/empty-file.yaml", "", 1, "empty-file.yaml:1:1: "},
		"unreadable file":       {"validate nope.yaml", "", 1, "nope.yaml:1:1: there is no file"},
		"unknown format":        {"validate --format xml retail", "", 2, "--format"},
		"no file":               {"validate", "", 2, "<file>"},
		"ledger of nothing": {"print ledger --operation group.create", "", 2,
			`there is no operation "group.create": did you mean "groups.create"?`},
		"ledger, unknown basis": {"print ledger --basis guess", "", 2, `--basis must be one of "document",`},
		"openapi, bad dialect":  {"print openapi --dialect publik", "", 2, `--dialect must be one of "document","public" but`},
		"why, none":             {"why --last 0", "", 2, "--last 0: give 1 to 1000"},
		"why, too many":         {"why --last 1001", "", 2, "--last 1001: give 1 to 1000"},
		"coverage, bad bound": {"coverage --fail-under abc", "", 2,
			`--fail-under: "abc" is neither a number nor an answer as the report has it: there is no operation "abc"`},
		"coverage, variable": {"coverage", "BANKSIM_CONTROL=127.0.0.1:1", 1, "no simulator answers at http://127.0.0.1:1"},
		"standard input":     {"validate -", "stdin=extends: retial", 1, `<stdin>:1:10: unknown scenario "retial"`},
		"coverage, slip":     {"coverage --fail-under groups.crate", "", 2, `did you mean "groups.create"?`},
		"bad port":           {"serve --listen 127.0.0.1:99999", "", 2, `--listen "127.0.0.1:99999" is not an address`},
		"bad port to call":   {"why --control 127.0.0.1:99999", "", 2, `--control "127.0.0.1:99999" is not an address`},
		"bad data":           {"serve --listen 127.0.0.1:0 --control 127.0.0.1:0 --data main.go", "", 2, "banksim: --data: "},
		"check without URL":  {"check", "", 2, "--base-url"},
		"check a file":       {"check --base-url file:///etc", "", 2, `the base URL "file:///etc" is not an address`},
		"check of nothing": {"check --base-url http://127.0.0.1:1 --only group.list", "", 2,
			`no golden exchange is selected by "group.list"`},
		"check, no credentials": {"check --base-url http://127.0.0.1:1 --credentials nope.json", "", 2, "nope.json"},
		"check, bad format":     {"check --base-url http://127.0.0.1:1 --format xml", "", 2, "--format"},
		"check, bad scenario":   {"check --base-url http://127.0.0.1:1 --scenario nope", "", 2, `unknown scenario "nope"`},
		"check, bad entry":      {"check --base-url http://127.0.0.1:1 --ignore nope", "", 2, `the ledger has no entry "nope"`},
		"check, bad header":     {"check --base-url http://127.0.0.1:1 --header nope", "", 2, "write 'Name: value'"},
		"check, key alone":      {"check --base-url http://127.0.0.1:1 --client-key key.pem", "", 2, "must be used together"},
		"check, bad rate":       {"check --base-url http://127.0.0.1:1 --rate=-1", "", 2, "negative"},
		"check, only reads":     {"check --base-url http://127.0.0.1:1 --journeys 5", "", 2, "only where writes are allowed"},
		"check nobody":          {"check --base-url http://127.0.0.1:1", "", 1, "connection refused"},
		"explore nothing":       {"explore", "", 2, "there is no command to explore"},
		"explore, only flags": {"explore --max-runs 5 --", "", 2,
			"there is no command to explore: give one after --, as in 'banksim explore -- npm test'"},
		"explore, unknown":      {"explore -- nmp test", "", 2, `the command can't be run: exec: "nmp": executable file not found`},
		"explore, no program":   {"explore -- ./main.go", "", 2, `the command can't be run: exec: "./main.go": permission denied`},
		"explore, few runs":     {"explore --max-runs 2 -- true", "", 2, "--max-runs 2 is too few"},
		"explore, unknown flag": {"explore --max-rnus 5 -- true", "", 2, `unknown flag --max-rnus, did you mean "--max-runs"?`},
		"explore, other's dash": {"explore -r -- go test -run X", "", 2, "\nTry 'banksim explore --help'."},
		"explore, own dash":     {"explore -max-runs 5 -- true", "", 2, "banksim: a flag with a name takes two dashes: --max-runs\n"},
		"explore, no such flag": {"explore --max-faults 0 -- true", "", 2, "unknown flag --max-faults\nTry 'banksim explore --help'."},
		"explore, no time":      {"explore --run-time 0s -- true", "", 2, "--run-time 0s: give a duration such as 60s"},
		"explore, past time":    {"explore --time=-1s -- true", "", 2, "--time -1s is negative"},
		"explore, parallel":     {"explore --parallel=-1 -- true", "", 2, "--parallel -1: give 1 to 1000"},
		"explore, no parallel":  {"explore --parallel 0 -- true", "", 2, "--parallel 0: give 1 to 1000"},
		"explore, all parallel": {"explore --parallel 1001 -- true", "", 2, "--parallel 1001: give 1 to 1000"},
		"explore, more":         {"explore --parallel 18446744073709551615 -- true", "", 2, "--parallel: "},
		"explore, much output":  {"explore -- yes", "", 1, "it had printed more than 100 MB"},
		"explore, bad pattern":  {"explore --only [ -- true", "", 2, `--only "[" is not a pattern`},
		"explore, two choices": {"explore --only groups.* --run groups.list#1/reset -- true", "", 2,
			"--run and --only contradict each other"},
		"explore, bad scenario": {"explore --scenario retial -- true", "", 2, `did you mean "retail"`},
		"explore, bad report":   {"explore --report main.go/report -- true", "", 2, "--report: mkdir main.go: not a directory"},
		"explore, bad token":    {"explore --control-token s3cr;t -- true", "", 1, "the control token is not what a header can carry"},
		"explore, lone TLS":     {"explore --control-ca ca.pem -- true", "", 2, "name its control API with --control"},
		"explore nobody":        {"explore --control 127.0.0.1:1 -- true", "", 1, "no simulator answers"},
		"help":                  {"serve --help", "", 0, ""},
		"version":               {"--version", "", 0, ""},
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

// night skips a test that is too long for every day, or needs programs that a fresh machine does not have, unless
// BANKSIM_NIGHT=1 asks for it. Then nothing is skipped.
func night(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("BANKSIM_NIGHT") != "1" {
		t.Skip(why + ": it runs with BANKSIM_NIGHT=1")
	}
}
