package infer_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

func TestExplore(t *testing.T) {
	b := simtest.NewBank(t, simtest.FrozenRetail)
	golden, err := fixtures.Load()
	require.NoError(t, err)
	n := 0
	for _, e := range golden {
		if e.Behavior != nil || e.Institutions != nil || e.Advance != "" || strings.HasPrefix(e.Name, "unknown") {
			continue
		}
		ids := fixtures.IDs{}
		for _, r := range append(e.Before, e.Request) {
			r.Path, _ = ids.In(r.Path)
			ids.Learn([]byte(b.SendGolden(r).Body))
			n++
		}
	}
	har := b.ControlSandbox(200, "GET /journal.har", "").Body
	_ = os.WriteFile("/tmp/golden.har", []byte(har), 0o644)
	found, err := infer.Infer(t.Context(), []byte(har), server.OpenScratch, infer.Options{Name: "found"})
	require.NoError(t, err)
	fmt.Println(string(found.YAML))
	for _, d := range found.Unexplained {
		fmt.Println(d)
	}
	fmt.Println(n, found.Agree, len(found.Unexplained), found.Others, found.Kept)
}
