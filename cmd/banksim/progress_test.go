package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProgressLine(t *testing.T) {
	var terminal bytes.Buffer
	progress := progressLine(&terminal)
	progress(250, 1000)
	progress(999, 1000)
	progress(1000, 1000)
	const clear = "\r\x1b[K"
	assert.Equal(t, clear+"generating 1000 rows: 25%"+clear+"generating 1000 rows: 99%"+clear, terminal.String())
}
