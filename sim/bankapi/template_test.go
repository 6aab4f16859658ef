package bankapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/mux"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// A template takes the requests that a path of mux takes, and finds the same variables in them.
func TestTemplatesMatchAsPathsOfMux(t *testing.T) {
	t.Parallel()
	type pair struct {
		own template
		mux *mux.Route
		op  *contract.Operation
	}
	var pairs []pair
	for _, op := range contract.AllSpoken() {
		pairs = append(pairs, pair{newTemplate(op), mux.NewRouter().UseEncodedPath().Path(op.Path).Methods(op.Method), op})
	}
	pieces := []string{"", "a", "acc-1", "%2F", "%2f", "%20", "a%20b", "ü", ".", "..", "{accountId}", "a;b", "*", "v1", "v3", "groups"}
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom(pairs).Draw(t, "operation")
		segments := strings.Split(of.op.Path, "/")
		for i, segment := range segments {
			if strings.HasPrefix(segment, "{") || i > 0 && rapid.IntRange(0, 15).Draw(t, "change") == 0 {
				segments[i] = rapid.SampledFrom(pieces).Draw(t, "segment")
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "more") == 0 {
			segments = append(segments, rapid.SampledFrom(pieces).Draw(t, "segment"))
		}
		u, err := url.ParseRequestURI(strings.Join(segments, "/"))
		if err != nil {
			t.Skip("no client can send it")
		}
		r := &http.Request{Method: rapid.SampledFrom([]string{of.op.Method, of.op.Method, http.MethodGet, http.MethodPost}).Draw(t, "method"), URL: u}
		for _, p := range pairs {
			var match mux.RouteMatch
			want := p.mux.Match(r, &match)
			require.Equal(t, want, p.own.matches(r, nil), "%s %s and %s", r.Method, u, p.op.ID)
			if !want {
				continue
			}
			matched++
			for _, name := range p.own.variables {
				assert.Equal(t, match.Vars[name], p.own.variable(u.EscapedPath(), name), "%s in %s", name, u)
			}
		}
	})
	assert.Positive(t, matched)
}
