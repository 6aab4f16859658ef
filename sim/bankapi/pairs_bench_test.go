package bankapi_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// BenchmarkHTTPSBesideHTTP sends the same requests in turn to the listeners of a simulator for https and for http, over
// connections that stay open. It prints the requests per second of each and the ratio of the two ("of-http").
func BenchmarkHTTPSBesideHTTP(b *testing.B) {
	for name, op := range map[string]simtest.Call{"groups.list": listGroups.WithQuery("size=20"), "groups.create": createGroup} {
		b.Run(name, func(b *testing.B) {
			certificates, err := tlsca.Open(tlsca.Config{})
			require.NoError(b, err)
			bank := simtest.Start(b, server.Config{Listen: []string{"127.0.0.1:0", "https://127.0.0.1:0"}, Certificates: certificates})
			secure, plain := dialBench(b, bank.Server.HTTPSURL()), dialBench(b, bank.Server.ServiceURL())
			secure.batch(b, listGroups, 0) // so that no handshake is measured
			var took, tookPlain time.Duration
			sent, number := 0, 0
			for b.Loop() {
				took += secure.batch(b, op, number)
				tookPlain += plain.batch(b, op, number+benchBatch*benchConnections)
				sent += benchBatch * benchConnections
				number += 2 * benchBatch * benchConnections
			}
			b.ReportMetric(float64(sent)/took.Seconds(), "req/s")
			b.ReportMetric(float64(sent)/tookPlain.Seconds(), "http-req/s")
			b.ReportMetric(tookPlain.Seconds()/took.Seconds(), "of-http")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkListOverManyGroups reads pages of 20 out of 20 and out of many groups (see -groups), in turn, and prints how many
// times as much the latter cost ("times").
func BenchmarkListOverManyGroups(b *testing.B) {
	few, many := bankOfGroups(b, 20), bankOfGroups(b, *groups)
	for name, query := range map[string]string{"first": "", "middle": "&page=%d", "sorted": "&page=%d&sort=groupName,desc"} {
		b.Run(name, func(b *testing.B) {
			page := func(number int) simtest.Call {
				return listGroups.WithQuery("size=20" + strings.Replace(query, "%d", strconv.Itoa(number), 1))
			}
			small, large := page(0), page(*groups/40)
			require.Contains(b, small.Send(few).Body, `"totalElements":20,`)
			require.Contains(b, large.Send(many).Body, fmt.Sprintf(`"totalElements":%d,`, *groups))
			fromFew, fromMany := dialBench(b, few.Server.ServiceURL()), dialBench(b, many.Server.ServiceURL())
			var tookFew, tookMany time.Duration
			for b.Loop() {
				tookFew += fromFew.batch(b, small, 0)
				tookMany += fromMany.batch(b, large, 0)
			}
			b.ReportMetric(tookMany.Seconds()/tookFew.Seconds(), "times")
			b.ReportMetric(0, "ns/op")
		})
	}
}
