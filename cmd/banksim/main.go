// Command banksim serves a simulated digital banking interface. Its other commands find problems in scenarios,
// explain answers and try failures. The rules of the bank are in package sim. Start at serve.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"
	_ "time/tzdata" // for the zones of resets: images of containers have none

	"github.com/alecthomas/kong"

	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

func main() {
	groups := &processGroups{}
	command := ""
	if len(os.Args) > 1 {
		command = os.Args[1]
	}
	if command == "serve" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent) // soon: otherwise the start itself collects garbage
	}
	ctx := untilSignal(graceOf(command), groups.kill)
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr, groups))
}

// gcPercent is by how much the heap of serve grows between two garbage collections, unless GOGC or the memory limit
// says otherwise (choice).
const gcPercent = 200

// The exit codes.
const (
	exitFine        = 0
	exitFailed      = 1   // the command failed, or has findings
	exitWrongUse    = 2   // a bad flag, variable, argument, or scenario to start from
	exitInterrupted = 130 // as a shell reports SIGINT
)

// flushTimeout limits how long the program waits at its end for its log to be read (choice).
const flushTimeout = 2 * time.Second

// serveLine is the command line for serve. Kong needs 2 ms for the other commands, a tenth of a start.
type serveLine struct {
	Version kong.VersionFlag `help:"Print the version."`
	Serve   serveCommand     `cmd:"" help:"Run the simulator."`
}

// commandLine has the commands in the order of the help.
type commandLine struct {
	serveLine

	Scenarios   scenariosCommand   `cmd:""`
	Validate    validateCommand    `cmd:"" help:"Report the problems in scenario files, with their positions."`
	Why         whyCommand         `cmd:"" help:"Say why a running simulator answered a request as it did."`
	Explore     exploreCommand     `cmd:"" help:"Run a test once for each way in which a call of it can fail."`
	Coverage    coverageCommand    `cmd:"" help:"Report which answers a test suite has met, and which never."`
	Check       checkCommand       `cmd:"" help:"Replay the golden exchanges at a service, and report differences."`
	Infer       inferCommand       `cmd:"" help:"Find the bank behind a capture, and print it as a scenario."`
	Export      exportCommand      `cmd:"" help:"Print all banks, with their journals, to import them elsewhere."`
	Import      importCommand      `cmd:"" help:"Create the banks of an export in a directory or a database."`
	MCP         mcpCommand         `cmd:"" help:"Let a coding agent drive a simulator (Model Context Protocol)."`
	Print       printCommand       `cmd:""`
	Healthcheck healthcheckCommand `cmd:"" hidden:"" help:"Check whether a running simulator is ready."`
}

// streams are what a command reads from and writes to.
type streams struct {
	in       io.Reader
	out, err io.Writer
	document io.Writer // out, for a file as it is: in YAML, an escape would change the value of a text without quotes
	line     *progressLine
	lookup   lookupEnv
}

// wrongUse is an error in how the program was called: it ends with exitWrongUse.
type wrongUse struct{ error }

func (w wrongUse) Unwrap() error { return w.error }

// errReported ends a command that has printed its findings.
var errReported = errors.New("findings were reported")

// run is the program as a function of its arguments, environment and streams. It returns the exit code. The end of ctx
// ends the command. The processes that the command starts are in groups.
func run(
	ctx context.Context, args []string, lookup lookupEnv, in io.Reader, out, errs io.Writer, groups *processGroups,
) int {
	line := newProgressLine(errs)
	context.AfterFunc(ctx, line.end)
	defer line.end()
	document := line.before(out)
	out, errs = line.before(wording.PrintableWriter{Writer: out}), line.before(wording.PrintableWriter{Writer: errs})
	exited := -1 // or the code with which the parser ends the program, as after --help
	env := environment{lookup: lookup}
	grammar := any(new(commandLine))
	if len(args) > 0 && args[0] == "serve" {
		grammar = new(serveLine)
	}
	parser := kong.Must(grammar,
		kong.Name("banksim"),
		kong.Description("A stateful simulator of a digital banking interface."),
		kong.Writers(out, errs),
		kong.Exit(func(code int) { exited = code }),
		kong.Resolvers(&env),
		parserVars(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(groups),
	)
	nameVariables(parser.Model)
	if len(args) == 0 {
		parser.Stdout = errs
		_, _ = parser.Parse([]string{"--help"})
		return exitWrongUse
	}
	parsed, err := parser.Parse(args)
	switch {
	case exited >= 0:
		return exited
	case err != nil:
		_, _ = fmt.Fprintf(errs, "banksim: %s\n", usageMessage(args, err, env.origin(err)))
		return exitWrongUse
	}
	terminal := errs
	if name := parsed.Selected().Name; name == "serve" || name == "explore" { // nobody may read their log
		queue := logqueue.New(errs)
		defer queue.Close(flushTimeout)
		errs = queue
		parsed.Bind(queue)
	}
	err = parsed.Run(streams{in, out, terminal, document, line, lookup})
	if wasInterrupted(err) {
		err = errEndedEarly
	}
	var problems scenario.Problems
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &problems):
		_, _ = fmt.Fprintln(errs, problems)
		return exitWrongUse
	case !errors.Is(err, errReported):
		_, _ = fmt.Fprintf(errs, "banksim: %v%s\n", withRemedy(err), env.origin(err))
	}
	switch {
	case errors.Is(err, errEndedEarly):
		return exitInterrupted
	case errors.As(err, &wrongUse{}):
		return exitWrongUse
	}
	return exitFailed
}

// wasInterrupted reports whether an error says no more than that a signal has ended a command: what the command waited
// for doesn't matter, and a file that it couldn't read to its end is no wrong use then.
func wasInterrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, errEndedEarly) && errors.As(err, &wrongUse{})
}

// parserVars are the variables of the tags of flags.
func parserVars() kong.Vars {
	return kong.Vars{"version": longVersion(), "cpus": fmt.Sprint(min(runtime.NumCPU(), maxParallel))}
}
