// Command banksim serves a simulated digital banking interface, and has a command for each question about one: what is
// wrong with a scenario, why a request was answered so, what a failure does to an app. It has no rules of the bank of
// its own: they are in package sim. Start at serve.go.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func main() {
	name, groups := append(os.Args, "")[1], &processGroups{}
	if os.Getenv("GOGC") == "" && name != "validate" { // which needs little memory rather than little CPU
		debug.SetGCPercent(gcPercent) // at once: else the first collection falls into the start
	}
	ctx := untilSignal(graceOf(name), groups.kill)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, groups))
}

// The exit codes.
const (
	exitFine        = 0
	exitFailed      = 1   // the command failed, or has findings
	exitWrongUse    = 2   // a bad flag, variable, argument, or scenario to start from
	exitInterrupted = 130 // as a shell reports SIGINT
)

// flushTimeout limits how long the program waits at its end for its log to be read (choice).
const flushTimeout = 2 * time.Second

// command is a command of the program. Each flag is also read from the environment: --log-format as BANKSIM_LOG_FORMAT.
type command struct {
	name, help string
	flags      any
}

// commands returns the commands in the order of the help.
func commands() []command {
	return []command{
		{"serve", "Run the simulator.", new(serveCommand)},
		{"validate", "Report the problems in scenario files, with their positions.", new(validateCommand)},
		{"scenarios", "List, print or create scenarios.", new(scenariosCommand)},
		{"users", "Print the users of a scenario, and what each is good for.", new(usersCommand)},
		{"state", "Print what a sandbox of a running simulator holds, as JSON or as a scenario.", new(stateCommand)},
		{"schema", "Print the JSON Schema of scenario files, for editors.", new(schemaCommand)},
		{"check", "Replay the golden exchanges against a service, and report differences.", new(checkCommand)},
		{"explore", "Run a test once for each call and each way in which the call can fail.", new(exploreCommand)},
		{"ledger", "Print the ledger: what each answer of the simulator rests on.", new(ledgerCommand)},
		{"openapi", "Print the OpenAPI document of the simulated interface.", new(openapiCommand)},
		{"why", "Say why a running simulator answered a request as it did.", new(whyCommand)},
		{"mcp", "Let a coding agent drive a simulator, by the Model Context Protocol.", new(mcpCommand)},
		{"coverage", "Report which answers a test suite has met, and which never.", new(coverageCommand)},
		{"ca", "Print the certificate that clients of https must trust.", new(caCommand)},
		{"healthcheck", "Check whether a running simulator is ready.", new(healthcheckCommand)},
	}
}

// release is the version that the build sets by -ldflags "-X main.release=v1.2.3": the files that an image is built
// from don't have it.
var release string

// commit returns of which commit and when the program is, where its build has noted that.
func commit() (text string) {
	info, _ := debug.ReadBuildInfo()
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" || setting.Key == "vcs.time" {
			text += setting.Value + ", "
		}
	}
	return text
}

// version returns release or, if that is empty, the version of the module: "(devel)" for a working tree.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return cmp.Or(release, info.Main.Version, "(devel)")
}

// usageHint says what to do about arguments that the parser refuses.
func usageHint(args []string, err error) string {
	oneDash := regexp.MustCompile(`^-[a-z]{2,}`)
	if i := slices.IndexFunc(args, oneDash.MatchString); i >= 0 {
		return fmt.Sprintf("A flag with a name takes two dashes: -%s.", phrase.Shorten(args[i]))
	}
	if strings.HasPrefix(err.Error(), "unexpected argument") && args[0] == "serve" {
		return "The scenario is named by a flag: --scenario " + phrase.Shorten(args[len(args)-1]) + "."
	}
	return "Try 'banksim --help'."
}

// ignoreEmptyVariables has the flags ignore variables that are set to the empty text: that is what an unset variable of
// a shell or of Compose arrives as. An empty BANKSIM_CONTROL_TOKEN is kept, and serve refuses it: without a token,
// everybody could call the control API.
func ignoreEmptyVariables(model *kong.Application) {
	_ = kong.Visit(model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && flag.Name != "control-token" {
			flag.Tag.Envs = slices.DeleteFunc(flag.Tag.Envs, isEmptyVariable)
			flag.Envs = flag.Tag.Envs
		}
		return next(nil)
	})
}

// isEmptyVariable reports whether an environment variable is set to the empty text.
func isEmptyVariable(name string) bool {
	value, isSet := os.LookupEnv(name)
	return isSet && value == ""
}

// trimListItems takes the blanks off the items of lists, as in BANKSIM_LISTEN="a, b".
func trimListItems(flags []*kong.Flag) {
	for _, flag := range flags {
		if items, isList := flag.Target.Interface().([]string); isList {
			for i, item := range items {
				items[i] = strings.TrimSpace(item)
			}
		}
	}
}

// streams are what a command writes to.
type streams struct {
	out, err io.Writer
	line     *progressLine
}

// wrongUse is an error in how the program was called: it ends with exitWrongUse.
type wrongUse struct{ error }

func (w wrongUse) Unwrap() error { return w.error }

// reported is an error that the command has already reported.
type reported struct{ error }

// run is the program as a function of its arguments and streams and, through kong, of the environment. It returns the
// exit code. The end of ctx ends the command. What the command starts is in groups.
func run(ctx context.Context, args []string, out, errs io.Writer, groups *processGroups) int {
	line := newProgressLine(errs)
	context.AfterFunc(ctx, line.end)
	defer line.end()
	out, errs = line.before(out), line.before(errs)
	exited := -1 // or the code with which the parser ends the program, as after --help
	options := []kong.Option{
		kong.Name("banksim"),
		kong.Description("A stateful simulator of a digital banking interface."),
		kong.Writers(out, errs),
		kong.Exit(func(code int) { exited = code }),
		kong.DefaultEnvars("BANKSIM"),
		kong.Vars{"version": fmt.Sprintf("banksim %s (%s%s, %s/%s)",
			version(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)},
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(groups),
	}
	known := commands()
	if i := slices.IndexFunc(known, func(c command) bool { return len(args) > 0 && c.name == args[0] }); i >= 0 {
		known = known[i : i+1] // the flags of the others would take a sixth of the start
	}
	for _, c := range known {
		options = append(options, kong.DynamicCommand(c.name, c.help, "", c.flags))
	}
	parser := kong.Must(new(struct {
		Version kong.VersionFlag `env:"-" help:"Print the version."`
	}), options...)
	ignoreEmptyVariables(parser.Model)
	parsed, err := parser.Parse(args)
	switch {
	case exited >= 0:
		return exited
	case err != nil:
		_, _ = fmt.Fprintf(errs, "banksim: %v\n%s\n", err, usageHint(args, err))
		return exitWrongUse
	}
	trimListItems(parsed.Flags())
	terminal := errs
	if name := parsed.Command(); name == "serve" || name == "explore <command>" { // they don't wait for readers
		queue := logqueue.New(errs)
		defer queue.Close(flushTimeout)
		errs = queue
		parsed.Bind(queue)
	}
	err = parsed.Run(streams{out, terminal, line})
	if errors.Is(err, context.Canceled) {
		err = errEndedEarly
	}
	var problems scenario.Problems
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &problems):
		_, _ = fmt.Fprintln(errs, problems)
		return exitWrongUse
	case !errors.As(err, &reported{}):
		_, _ = fmt.Fprintf(errs, "banksim: %v\n", helpful(err))
	}
	switch {
	case errors.Is(err, errEndedEarly):
		return exitInterrupted
	case errors.As(err, &wrongUse{}):
		return exitWrongUse
	}
	return exitFailed
}
