package bankapi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A database that crashes may lose the newest exchanges that only read. The replica that recorded them forgets them,
// too.
func TestReplicasAgreeAfterCrash(t *testing.T) {
	database := os.Getenv("BANKSIM_POSTGRES")
	if database == "" {
		t.Skip("BANKSIM_POSTGRES has no URL of a PostgreSQL database, such as .ci/postgres starts")
	}
	schema := fmt.Sprintf("test%d", time.Now().UnixNano())
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	lose := func(count int) { // as a crash does
		for _, statement := range []string{
			"DELETE FROM %[1]s.exchanges e USING %[1]s.heads h WHERE e.bank = h.bank AND number > next - %[2]d",
			"UPDATE %[1]s.heads SET next = next - %[2]d",
		} {
			_, err := conn.Exec(t.Context(), fmt.Sprintf(statement, schema, count))
			require.NoError(t, err)
		}
	}
	a, b := startReplicas(t, database+"&search_path="+schema)
	journal := func(bank *simtest.Bank) (exchanges []string) {
		var page struct {
			Exchanges []struct {
				ID     string
				RealAt time.Time
			}
		}
		body := bank.Get("/journal?after=0&limit=100")
		require.NoError(t, json.Unmarshal([]byte(body), &page))
		for _, x := range page.Exchanges {
			exchanges = append(exchanges, x.ID+" "+x.RealAt.Format("05.000000000"))
		}
		return exchanges
	}
	list := func(bank *simtest.Bank, times int) {
		for range times {
			listGroups.Expect(bank, 200)
		}
	}
	for name, c := range map[string]struct {
		lost, byB, byA, byBAgain int // exchanges
	}{
		"none since":                      {lost: 2},
		"as many of the other":            {lost: 3, byB: 3},
		"more of the other":               {lost: 2, byB: 4},
		"the own one takes a lost number": {lost: 3, byB: 1, byA: 1},
		"the own one is between others":   {lost: 3, byB: 3, byA: 2, byBAgain: 2},
	} {
		for _, isSeen := range []bool{false, true} {
			b.ControlSandbox(204, "POST /reset", "")
			createGroup.Expect(b, 200)
			list(a, c.lost)
			if isSeen { // a has read its journal before the crash
				journal(a)
			}
			lose(c.lost)
			list(b, c.byB)
			list(a, c.byA)
			list(b, c.byBAgain)
			assert.Equal(t, journal(b), journal(a), name)
		}
	}
}
