package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version that a build sets by -ldflags "-X main.release=v1.2.3". An image is built from files that
// don't have it.
var release string

// version returns release or, if that is empty, the version that Go has noted: a working tree is "(devel)", or named by
// its commit.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return cmp.Or(release, info.Main.Version, "(devel)")
}

// longVersion returns the version with the platform.
func longVersion() string {
	return fmt.Sprintf("banksim %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
