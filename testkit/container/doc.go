// Package container runs the banks of package testkit in a container, as the simulator runs in staging.
//
//	import _ "github.com/digitalbanking-sim/banksim/testkit/container"
//
// A test binary that imports it has one container, which testkit.Start starts with the first bank. [Run] starts a container
// of your own, as the modules of testcontainers-go do.
//
// It builds no image of an app, and an app that tests in process neither downloads nor compiles it. Start at run.go.
package container
