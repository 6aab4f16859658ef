package redact_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// The documentation lists the headers whose values are shown.
func TestDocumentedHeaders(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	for row, header := range map[string]func(name, value string) string{"headers of requests": redact.RequestHeader, "headers of answers": redact.AnswerHeader} {
		_, cells, found := strings.Cut(string(page), "| "+row+" |")
		require.True(t, found, row)
		cells, _, _ = strings.Cut(cells, "|")
		names := regexp.MustCompile("`[A-Za-z-]+`").FindAllString(cells, -1)
		require.Greater(t, len(names), 10, row)
		for _, name := range names {
			if name = strings.Trim(name, "`"); name == "Authorization" {
				continue
			}
			assert.Equal(t, canary, header(name, canary), "%s: %s", row, name)
		}
	}
}
