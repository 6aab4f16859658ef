package wording_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

func TestSlip(t *testing.T) {
	known := []string{"transactionId", "fiid", "Content-Type", "size"}
	for name, want := range map[string]string{
		"transacionId": "transactionId", "transaction-id": "transactionId", "transactionID ": "transactionId",
		"transactoinIds": "transactionId", "transaction": "transactionId",
		"fid": "fiid", "contenttype": "Content-Type", "Size": "size", "siz": "size",
	} {
		near, ok := wording.Slip(name, known)
		assert.True(t, ok, name)
		assert.Equal(t, want, near, name)
	}
	for _, name := range []string{"", "X-Request-Source", "guid", "traceparent", "Content-Length", "page", "transit"} {
		near, ok := wording.Slip(name, known)
		assert.False(t, ok, "%s: %s", name, near)
	}
}
