package server_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the answers of the simulator into the golden exchanges")

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m)
}
