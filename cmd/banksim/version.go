package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints the version of the program and of Go.
func (versionCommand) Run(s streams) error {
	_, err := fmt.Fprintf(s.out, "banksim %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
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
