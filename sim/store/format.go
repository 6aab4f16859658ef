package store

import (
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// refuseFormat refuses a place whose banks have another format than [sandbox.Format].
func refuseFormat(place string, found int, remedy string) error {
	switch {
	case found > sandbox.Format:
		return fmt.Errorf("%s has format %d, and this version reads format %d: use a newer version",
			place, found, sandbox.Format)
	case found < sandbox.Format:
		return fmt.Errorf("%s has format %d, and this version reads format %d alone: "+
			"save each bank with the version that wrote it "+
			"(GET /v1/sandboxes/NAME/state?format=scenario of the control API), and %s",
			place, found, sandbox.Format, remedy)
	}
	return nil
}
