package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// lookupEnv returns the value of an environment variable and whether it is set, as os.LookupEnv does.
type lookupEnv func(name string) (string, bool)

// environment gives flags the values that the command line doesn't give. It implements kong.Resolver.
type environment struct {
	lookup lookupEnv
	used   []*kong.Flag // the flags that have got a value
}

// Validate implements kong.Resolver.
func (*environment) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag's variable, or nil. An empty variable counts as unset: an unset variable of a
// shell or of Compose arrives as an empty one. Only an empty token counts, and serve refuses it: without a
// token, everybody could call the control API.
func (e *environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if len(flag.Envs) == 0 {
		return nil, nil
	}
	value, isSet := e.lookup(flag.Envs[0])
	isUnset := !isSet || (value == "" && flag.Name != "control-token")
	if isUnset {
		return nil, nil
	}
	if flag.IsSlice() {
		value = strings.ReplaceAll(value, " ", "") // as in BANKSIM_LISTEN="a, b"
	}
	e.used = append(e.used, flag)
	return value, nil
}

// origin returns the end of a message about flags: which of them the environment has set.
func (e *environment) origin(err error) (text string) {
	for _, flag := range e.used {
		if regexp.MustCompile("--" + flag.Name + "([^a-z-]|$)").MatchString(err.Error()) {
			text += fmt.Sprintf(" (--%s is from the variable %s)", flag.Name, flag.Envs[0])
		}
	}
	return text
}

// refuseUseless refuses flags that have no use on this command line, and says why. A variable may set them, because it
// may be meant for other commands.
func refuseUseless(kctx *kong.Context, why string, flags ...string) error {
	for _, path := range kctx.Path {
		if path.Flag != nil && !path.Resolved && slices.Contains(flags, path.Flag.Name) {
			return fmt.Errorf("--%s has no use %s: leave it out", path.Flag.Name, why)
		}
	}
	return nil
}

// controlFlagNames are the flags with a variable in each command: serve and the commands that call it share them.
var controlFlagNames = []string{"control", "control-token", "control-ca"}

// nameVariables gives each flag of serve a variable, --log-format for example BANKSIM_LOG_FORMAT. Of the other
// commands, only the flags that say where the control API is have one, unless their tag is env:"-".
func nameVariables(app *kong.Application) {
	_ = kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		command, ok := node.(*kong.Node)
		if !ok {
			return next(nil)
		}
		for _, flag := range command.Flags {
			isOpen := slices.Equal(flag.Tag.Envs, []string{"-"})
			flag.Envs, flag.Tag.Envs = nil, nil // the parser would read them itself
			if !isOpen && (command.Name == "serve" || slices.Contains(controlFlagNames, flag.Name)) {
				name := "BANKSIM_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
				flag.Envs = []string{name}
				flag.Help = strings.TrimSuffix(flag.Help, ".") + " ($" + name + ")."
			}
		}
		return next(nil)
	})
}
