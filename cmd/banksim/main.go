// Command banksim simulates a digital banking interface, and checks scenarios and services.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes.
const (
	exitFine     = 0
	exitFailed   = 1 // the command failed, or has findings
	exitWrongUse = 2 // a bad flag, variable, argument, or scenario to start from

	exitInterrupted = 130 // the command was interrupted, as a shell reports it of SIGINT
)

// flushTimeout limits how long the program waits at its end for its log to be read (choice).
const flushTimeout = 2 * time.Second

// commands is the command line. Each flag is also read from the environment: --log-format as BANKSIM_LOG_FORMAT.
type commands struct {
	serving
	Validate    validateCommand    `cmd:"" help:"Report the problems in scenario files, with their positions. The exit code is 1 if there are any."`
	Scenarios   scenariosCommand   `cmd:"" help:"List, print or create scenarios."`
	Users       usersCommand       `cmd:"" help:"Print the users of a scenario, and what each is good for."`
	State       stateCommand       `cmd:"" help:"Print what a sandbox of a running simulator holds, as JSON or as a scenario."`
	Schema      schemaCommand      `cmd:"" help:"Print the JSON Schema of scenario files, for editors, or of reports."`
	Check       checkCommand       `cmd:"" help:"Replay the golden exchanges against a service, and report where its answers differ."`
	Explore     exploreCommand     `cmd:"" help:"Run the test of an app once for each call and each way in which that call can fail, and report what was left behind."`
	Ledger      ledgerCommand      `cmd:"" help:"Print the ledger: what each answer of the simulator rests on."`
	OpenAPI     openapiCommand     `cmd:"" name:"openapi" help:"Print the OpenAPI document of the simulated interface, or of the control API."`
	Why         whyCommand         `cmd:"" help:"Say why a running simulator answered a request as it did."`
	Coverage    coverageCommand    `cmd:"" help:"Report which answers a test suite has met, and which never."`
	CA          caCommand          `cmd:"" name:"ca" help:"Write the certificate that clients of https must trust, and say how they come to do that."`
	Healthcheck healthcheckCommand `cmd:"" help:"Check whether a running simulator is ready."`
}

// serving is the part of the command line that starts the simulator.
type serving struct {
	Version kong.VersionFlag `env:"-" help:"Print the version."`
	Serve   serveCommand     `cmd:"" help:"Run the simulator."`
}

// release is the version that the build sets by -ldflags "-X main.release=v1.2.3": the files that an image is built from
// don't have it.
var release string

// version returns release or, if that is empty, the version of the module that the program was built from: "(devel)" for
// a working tree.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// commandLine returns what arguments are parsed by. The flags of other commands have no part in how serve is called, and reading
// their tags would take a tenth of the time in which it starts.
func commandLine(args []string) any {
	if len(args) > 0 && args[0] == "serve" {
		return new(serving)
	}
	return new(commands)
}

// streams are what a command writes to.
type streams struct{ out, err io.Writer }

// wrongUse is an error in how the program was called: it ends with exitWrongUse.
type wrongUse struct{ error }

func (w wrongUse) Unwrap() error { return w.error }

// reported is an error that the command has already reported.
type reported struct{ error }

// exited is the panic by which the command line parser exits early, as after --help.
type exited int

// run is the program as a function of its arguments and streams and, through kong, of the environment. It returns the
// exit code. The end of ctx ends the command.
func run(ctx context.Context, args []string, out, errs io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(exited)
			if !ok {
				panic(p)
			}
			code = int(e)
		}
	}()
	parsed, err := newParser(ctx, commandLine(args), out, errs).Parse(args)
	if err != nil {
		_, _ = fmt.Fprintf(errs, "banksim: %v\nTry 'banksim --help'.\n", err)
		return exitWrongUse
	}
	terminal := errs
	if name := parsed.Command(); name == "serve" || name == "explore <command>" { // they run on, whether or not somebody reads what they log
		queue := logqueue.New(errs, 0)
		defer queue.Close(flushTimeout)
		errs = queue
		parsed.Bind(queue)
	}
	err = parsed.Run(streams{out, terminal})
	var user wrongUse
	var problems scenario.Problems
	var done reported
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &problems):
		_, _ = fmt.Fprintln(errs, problems)
		return exitWrongUse
	case !errors.As(err, &done):
		_, _ = fmt.Fprintf(errs, "banksim: %v\n", err)
	}
	if errors.As(err, &user) {
		return exitWrongUse
	}
	if early := (interrupted{}); errors.As(err, &early) {
		return exitInterrupted
	}
	return exitFailed
}

// newParser returns the parser of a command line.
func newParser(ctx context.Context, commandLine any, out, errs io.Writer) *kong.Kong {
	bases := make([]string, len(contract.Bases))
	for i, basis := range contract.Bases {
		bases[i] = string(basis)
	}
	parser, err := kong.New(commandLine,
		kong.Name("banksim"),
		kong.Description("A stateful simulator of a digital banking interface."),
		kong.Writers(out, errs),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.DefaultEnvars("BANKSIM"),
		kong.Vars{
			"version":   fmt.Sprintf("banksim %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH),
			"operation": contract.GroupsCreate.Name,
			"family":    contract.GroupsCreate.Kind(),
			"bases":     strings.Join(bases, ","),
			"reports":   strings.Join(report.Formats, ","),
		},
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		panic("banksim: the command line is ill-defined: " + err.Error())
	}
	return parser
}
