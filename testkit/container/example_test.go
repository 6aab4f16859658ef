package container_test

import (
	"context"
	"fmt"
	"log"

	"github.com/testcontainers/testcontainers-go"

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
