package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// BenchmarkUploadOf1MiB reads the largest file of participants. What it allocates must fit beside all else into little memory.
func BenchmarkUploadOf1MiB(b *testing.B) {
	var file strings.Builder
	file.WriteString("ParticipantId\n")
	for id := 0; file.Len() < 1<<20-500; id++ {
		fmt.Fprintf(&file, "%x\n", id)
	}
	w := newBank(b)
	id := newGroup(b, w, "Owls")
	b.ReportAllocs()
	for b.Loop() {
		_, err := w.Fork().UploadParticipants(sim.Caller{}, "02688", id, sim.Upload{Type: sim.JobAdd, FileName: "p.csv", File: file.String()}, time.Now())
		require.NoError(b, err)
	}
}
