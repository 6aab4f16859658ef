package journal_test

import (
	"bufio"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// parsed returns a request for disclosures, and its answer, as a server hands them over: with texts of their own.
func parsed(number int) journal.Raw {
	raw := list(0)
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(fmt.Sprintf(
		"GET /digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"+
			"Accept: application/json\r\nUser-Agent: bench/1.0\r\nAuthorization: Bearer demo-token\r\ncorrelationid: c-%d\r\n\r\n", number))))
	if err != nil {
		panic(err)
	}
	raw.Operation, raw.Path, raw.RawQuery, raw.RequestHeader = "estatements.getDisclosures", r.URL.EscapedPath(), r.URL.RawQuery, r.Header
	raw.BaseURL = "http://" + r.Host
	raw.ResponseHeader = [][2]string{{"correlationid", r.Header.Get("Correlationid")}, {"Content-Type", "application/json"}, {"Content-Length", "300"}}
	raw.ResponseBody = []byte(strings.Repeat("d", 300))
	raw.Decision.Entries = []string{"estatements.disclosures.answer", "estatements.disclosures.order", "estatements.error-body"}
	return raw
}

func BenchmarkAddDisclosures(b *testing.B) {
	b.ReportAllocs()
	j := journal.New(0, journal.NewBudget(0))
	raws := make([]journal.Raw, 20_000) // more than a journal holds, so that ids don't repeat
	for i := range raws {
		raws[i] = parsed(i)
	}
	b.ResetTimer()
	for i := range b.N {
		j.Add(raws[i%len(raws)])
	}
}

// BenchmarkCollect fills a journal and collects garbage. It reports what a collection takes ("ms/GC"), and how much memory an
// exchange takes ("B/exchange").
func BenchmarkCollect(b *testing.B) {
	const exchanges = 10_000
	before := heap()
	j := journal.New(0, nil)
	for i := range exchanges {
		j.Add(parsed(i))
	}
	held := heap() - before
	began, count := time.Now(), 0
	for b.Loop() {
		runtime.GC()
		count++
	}
	b.ReportMetric(time.Since(began).Seconds()*1000/float64(count), "ms/GC")
	b.ReportMetric(float64(held)/exchanges, "B/exchange")
	b.ReportMetric(float64(j.Bytes())/exchanges, "counted-B/exchange")
	b.ReportMetric(0, "ns/op")
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // for what the first has only marked
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkAddGroupsList(b *testing.B) {
	b.ReportAllocs()
	j := journal.New(0, journal.NewBudget(0))
	raws := make([]journal.Raw, 20_000) // more than a journal holds, so that ids don't repeat
	for i := range raws {
		raw := list(2500)
		id := "t-" + strconv.Itoa(i)
		raw.RequestHeader = http.Header{
			"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "User-Agent": {"Go-http-client/1.1"},
			"Transactionid": {id},
		}
		raw.ResponseHeader = [][2]string{{"transactionId", id}, {"Content-Type", "application/json"}, {"Content-Length", "2500"}}
		raws[i] = raw
	}
	b.ResetTimer()
	for i := range b.N {
		j.Add(raws[i%len(raws)])
	}
}

func BenchmarkAddRevoke(b *testing.B) {
	b.ReportAllocs()
	j := journal.New(0, journal.NewBudget(0))
	body := []byte(`{"token": "1sYVh0EiFeavYP4OqPnw5cxHPQsb"}`)
	answer := []byte(`{"expires_in":"0","di_fiid":"02688","di_ficustomer":"1001","access_token":"JjxHCpzMdbBTrQhooiFhhTNIJPSM","refresh_token":"L7vk1M7AOcCgaL91DZtHkgIpkyVsF9OD","refresh_token_expires_in":"0"}`)
	for i := range b.N {
		raw := list(0)
		raw.Operation = "tokens.revoke"
		raw.RequestHeader = http.Header{
			"Authorization": {"Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ="}, "Institutionid": {"02688"}, "Transactionid": {strconv.Itoa(i)},
			"Content-Type": {"application/json"},
		}
		raw.RequestBody, raw.ResponseBody = body, answer
		j.Add(raw)
	}
}

func BenchmarkVerifyFullJournal(b *testing.B) {
	j := journal.New(0, nil)
	for range 5000 {
		j.Add(list(10))
	}
	one := "1"
	for b.Loop() {
		if _, err := j.Verify(b.Context(), journal.Expectation{Operation: "groups.*", Header: map[string]*string{"transactionid": &one}}); err != nil {
			b.Fatal(err)
		}
	}
}
