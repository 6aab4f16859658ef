package infer

import (
	"context"
	"runtime/debug"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
)

// captureShare is the share of the memory limit that a capture of the control API may have: to read it and find its
// bank takes many times its size (choice).
const captureShare = 16

// Inference returns what the control API needs to find the banks behind captures.
func Inference() controlapi.Inference {
	return controlapi.Inference{
		MaxBytes: min(debug.SetMemoryLimit(-1)/captureShare, MaxBytes),
		Find: func(ctx context.Context, capture []byte, name string, stubs bool) (controlapi.Inferred, error) {
			found, err := Infer(ctx, capture, Options{Name: name, Stubs: stubs})
			inferred := controlapi.Inferred{
				YAML: string(found.YAML), Rows: found.Rows, Agree: found.Agree,
				Stubs: found.Stubs, Untried: found.Untried,
				Unexplained: []controlapi.Unexplained{},
				Others:      append([]string{}, found.Others...),
				Unmasked:    append([]string{}, found.Unmasked...),
			}
			for _, d := range found.Unexplained {
				inferred.Unexplained = append(inferred.Unexplained, controlapi.Unexplained(d))
			}
			return inferred, err
		},
	}
}
