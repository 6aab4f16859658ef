package crash_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/crash"
)

// lines is a writer from which the lines of a log are received.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// A stack a second at most, and the number of the others.
func TestLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		written := make(lines, 10)
		logger := slog.New(slog.NewTextHandler(written, nil))
		var l crash.Log
		for range 1000 {
			l.Report(logger, "boom", "operation", "x")
		}
		assert.Regexp(t, `level=ERROR msg=panic operation=x panic=boom stack=".*TestLog`, <-written)
		synctest.Wait()
		require.Empty(t, written)
		assert.Regexp(t, `not logged" count=999\n$`, <-written)

		for range 2 {
			l.Report(logger, "again")
			time.Sleep(2 * time.Second)
			require.Len(t, written, 1, "nothing was withheld")
			assert.Contains(t, <-written, "panic=again")
		}
	})
}
