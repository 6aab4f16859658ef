package scratch

import (
	"context"
	"runtime/debug"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/infer"
)

// captureShare is the share of the memory limit that a capture may have: to read it and find its bank takes many times
// its size (choice).
const captureShare = 16

// Inference returns what the control API needs to find the banks behind captures.
func Inference() controlapi.Inference {
	return controlapi.Inference{MaxBytes: min(debug.SetMemoryLimit(-1)/captureShare, infer.MaxBytes), Find: find}
}

func find(ctx context.Context, capture []byte, name string, stubs bool) (controlapi.Inferred, error) {
	found, err := infer.Infer(ctx, capture, Open, infer.Options{Name: name, Stubs: stubs})
	r := controlapi.Inferred{
		YAML: string(found.YAML), Rows: found.Rows, Agree: found.Agree, Stubs: found.Stubs,
		Unexplained: []controlapi.Unexplained{},
		Others:      append([]string{}, found.Others...),
		Kept:        append([]string{}, found.Kept...),
	}
	for _, d := range found.Unexplained {
		r.Unexplained = append(r.Unexplained, controlapi.Unexplained(d))
	}
	return r, err
}
