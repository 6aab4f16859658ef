package journal_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

func BenchmarkAddGroupsList(b *testing.B) {
	b.ReportAllocs()
	j := journal.New(journal.DefaultLimits(), journal.NewBudget(0))
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
	j := journal.New(journal.DefaultLimits(), journal.NewBudget(0))
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
	j := journal.New(journal.DefaultLimits(), nil)
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
