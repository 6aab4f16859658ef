package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a simulator counted is reported in each format, by the command as by CI systems.
func TestCoverageInEachFormat(t *testing.T) {
	t.Parallel()
	service, control := startSimulator(t)
	res, err := http.Get(service + "/digitalbanking/groups/v3/groups")
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusBadRequest, res.StatusCode)

	report := func(code int, args ...string) (string, string) {
		var out, errs bytes.Buffer
		require.Equal(t, code, run(t.Context(), append([]string{"coverage", "--control", control}, args...), &out, &errs), errs.String())
		return out.String(), errs.String()
	}
	text, _ := report(exitFine)
	assert.Contains(t, text, "\ngroups.list")

	text, _ = report(exitFine, "--format", "json")
	var parsed struct {
		Format   string
		Version  string
		Coverage struct{ Operations []struct{ Called bool } }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &parsed))
	assert.Equal(t, "banksim-report/1", parsed.Format)
	assert.Equal(t, version(), parsed.Version)
	called := 0
	for _, o := range parsed.Coverage.Operations {
		if o.Called {
			called++
		}
	}
	assert.Equal(t, 1, called)

	text, message := report(exitFailed, "--format", "junit", "--fail-under", "100")
	assert.Contains(t, message, "answers were met, fewer than 100: never met were groups.list ")
	failures := 0
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "failure" {
			failures++
		}
	}
	assert.Equal(t, 1, failures)

	text, _ = report(exitFine, "--format", "html")
	assert.Contains(t, text, "groups.list")
}
