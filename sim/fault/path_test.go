package fault_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// stubOf is a stub of a path.
func stubOf(path string) fault.Rule {
	return fault.Rule{Path: path, Then: fault.Then{Status: 204}}
}

// A stub of the path that PathPattern returns answers the request in every spelling, and no longer path.
func TestPathPatternRoundTrips(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	pieces := []string{
		"a", "B", "7", ".", "..", "~", "+", "(", "]", "@", ":", ";", "=", ",", "'", `"`, `\`, "&", "$", "!", "*",
		"ü", "日", "🦉", "{", "}", "{id}", "%", "%2F", "?", "#", " ", "\t", "\n", "\x00", "\xff", "\u00a0",
		"\u202e", "/",
	}
	text := func() (s string) {
		for range random.IntN(4) {
			s += pieces[random.IntN(len(pieces))]
		}
		return s
	}
	for range 5000 {
		var path, escaped string // the same path; in the second, every byte is escaped
		for _, s := range []string{"a" + text(), text()} {
			path += "/" + url.PathEscape(s)
			escaped += "/"
			for _, c := range []byte(s) {
				escaped += fmt.Sprintf("%%%02x", c)
			}
		}
		pattern := fault.PathPattern(path)
		require.Equal(t, pattern, fault.PathPattern(escaped))
		require.NotRegexp(t, `[?#\s]`, pattern, "the schema of scenarios refuses these")
		require.Empty(t, fault.Check([]fault.Rule{stubOf(pattern)}), pattern)
		set := fault.NewSet([]fault.Rule{stubOf(pattern)}, 1)
		require.True(t, set.Stubs(http.MethodGet, path), "%s for %s", pattern, path)
		require.True(t, set.Stubs(http.MethodGet, escaped), "%s for %s", pattern, path)
		require.False(t, set.Stubs(http.MethodGet, path+"x"), "%s for %sx", pattern, path)
		require.Equal(t, 2, strings.Count(pattern, "/"), "an escaped slash stays escaped")
	}
}

// A segment of a stub's path is a literal or one variable.
func TestStubVariables(t *testing.T) {
	set := fault.NewSet([]fault.Rule{stubOf("/v1/{accountId}/cards/{n-1}"), stubOf("/v1/ö/{größe}")}, 1)
	for path, want := range map[string]bool{
		"/v1/7/cards/1": true, "/v1/a%2Fb/cards/%7Bn%7D": true, "/v1/%C3%B6/x": true,
		"/v1//cards/1": false, "/v1/7/cards/": false, "/v1/7/cards": false, "/v1/7/cards/1/2": false,
		"/v1/7/Cards/1": false,
	} {
		assert.Equal(t, want, set.Stubs(http.MethodGet, path), path)
	}
	// An earlier stub that answers all requests hides a later one, in every spelling.
	assert.Len(t, fault.Check([]fault.Rule{
		stubOf("/v1/{id}/user@x"), stubOf("/v1/{other}/user%40x"), stubOf("/v1/7/user@x"),
	}), 2)
	assert.Empty(t, fault.Check([]fault.Rule{stubOf("/v1/7/x"), stubOf("/v1/%7Bid%7D/x"), stubOf("/v1/{id}/x")}))
}
