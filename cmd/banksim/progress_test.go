package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Progress is shown after a second, at most four times a second, and not at all without a terminal.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var terminal, out bytes.Buffer
		line := &progressLine{terminal: &terminal}
		report := line.start("runs")
		for done := range 200 { // for two seconds
			report(done, 200)
			time.Sleep(10 * time.Millisecond)
			if done == 98 {
				assert.Empty(t, terminal.String())
			}
		}
		shown := strings.Split(strings.TrimPrefix(terminal.String(), "\r"), "\r")
		assert.Len(t, shown, 4)
		assert.Equal(t, "runs: 100 of 200\x1b[K", shown[0])

		terminal.Reset()
		_, _ = io.WriteString(line.before(&out), "found\n")
		assert.Equal(t, "\r\x1b[K", terminal.String(), "other output removes the line")
		time.Sleep(time.Minute)
		assert.Equal(t, "\r\x1b[K", terminal.String(), "it comes back with more progress only")
		report(150, 200)
		line.end()
		time.Sleep(time.Minute)
		report(200, 200)
		time.Sleep(time.Minute)
		assert.Equal(t, "\r\x1b[K\rruns: 150 of 200\x1b[K\r\x1b[K", terminal.String())
	})
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer // no terminal
		line := newProgressLine(&file)
		report := line.start("runs")
		time.Sleep(time.Minute)
		report(1, 2)
		line.end()
		assert.Empty(t, file.String())
	})
}
