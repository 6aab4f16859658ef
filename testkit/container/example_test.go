package container_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

func ExampleRun() {
	ctx := context.Background()
	ctr, err := container.Run(ctx, "", container.WithScenario("flaky"), container.WithSeed(7))
	defer func() { _ = testcontainers.TerminateContainer(ctr) }()
	if err != nil {
		log.Print(err) // it has the end of the container's log
		return
	}
	fmt.Println(ctr.BaseURL(ctx))
}

func ExampleWithNetwork() {
	ctx := context.Background()
	net, err := network.New(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	defer func() { _ = net.Remove(ctx) }()
	ctr, err := container.Run(ctx, "", container.WithNetwork(net.Name, "bank"))
	defer func() { _ = testcontainers.TerminateContainer(ctr) }()
	if err != nil {
		log.Print(err)
		return
	}
	running, err := ctr.Simulator(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	var t *testing.T // of the test
	bank := testkit.Start(t, testkit.OnSimulator(running))
	fmt.Println(ctr.NetworkURL(bank)) // for an app in another container on the network
}
