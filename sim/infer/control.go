package infer

import (
	"context"
	"runtime/debug"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/infer/capture"
)

// captureShare is the share of the memory limit that a capture of the control API may have: to read it and find its
// bank takes many times its size (choice).
const captureShare = 16

// Inference returns what the control API needs to find the banks behind captures.
func Inference() controlapi.Inference {
	most := min(debug.SetMemoryLimit(-1)/captureShare, capture.MaxBytes)
	return controlapi.Inference{
		MaxBytes: most,
		Find: func(ctx context.Context, recorded []byte, name string, stubs bool, hosts []string) (Result, error) {
			return Infer(ctx, recorded, Options{Name: name, Stubs: stubs, Hosts: hosts, MaxBytes: most})
		},
	}
}
