package bankapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A body has at most 1 MiB, an upload of participants 10 MiB. The switches of the scenario set both. The name of the
// uploaded file has at most 255 bytes.
func TestBodySize(t *testing.T) {
	t.Parallel()
	upload := func(size int) simtest.Call {
		whole := simtest.UploadParticipants.Body
		before, after, _ := strings.Cut(whole, "1001")
		filler := strings.Repeat("1001\n", (size-len(whole))/5)
		return simtest.UploadParticipants.WithBody(before + filler + "1001" + after)
	}
	group := func(size int) simtest.Call {
		return simtest.CreateGroup.WithBody(`{"groupName":"Night owls"` + strings.Repeat(" ", size-26) + "}")
	}
	named := func(length int) simtest.Call {
		whole := simtest.UploadParticipants.Body
		named := strings.Replace(whole, "participants.csv", strings.Repeat("n", length), 1)
		return simtest.UploadParticipants.WithBody(named)
	}
	standard := simtest.NewBank(t, simtest.FrozenRetail)
	small := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {limits: {bodyKiB: 2, uploadKiB: 3}}\n")
	for _, test := range []struct {
		bank *simtest.Bank
		call simtest.Call
		want int
	}{
		{standard, group(1 << 20), 200},
		{standard, group(1<<20 + 1), 413},
		{standard, upload(10 << 20), 200},
		{standard, upload(10<<20 + 10), 413},
		{simtest.NewBank(t, simtest.FrozenRetail), named(255), 200}, // a group has one job at a time
		{standard, named(256), 400},
		{small, group(2 << 10), 200},
		{small, group(2<<10 + 1), 413},
		{small, upload(3 << 10), 200},
		{small, upload(3<<10 + 10), 413},
	} {
		res := test.call.Send(test.bank)
		assert.Equal(t, test.want, res.StatusCode, "%d bytes: %.200s", len(test.call.Body), res.Body)
	}
}
