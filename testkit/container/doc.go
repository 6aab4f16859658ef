// Package container runs banksim in a container, as it runs in staging, by testcontainers-go.
//
//	bank := testkit.Start(t, container.Shared(t)) // on one container for all tests of the test binary
//
//	ctr, err := container.Run(ctx, "", container.WithScenario("flaky")) // a container of your own
//	running, err := ctr.Simulator(ctx)
//	bank := testkit.Start(t, testkit.OnSimulator(running))
//
// An app that tests in process neither downloads nor compiles what this package needs.
package container
