package journal_test

import (
	"bytes"
	"iter"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// har returns exchanges as an HTTP archive.
func har(t *testing.T, exchanges iter.Seq[journal.Exchange], version string) string {
	t.Helper()
	var document bytes.Buffer
	journal.WriteHAR(strictjson.NewWriter(&document), exchanges, version)
	return document.String()
}

func TestHAR(t *testing.T) {
	j := journal.New(0, journal.NewBudget(0))
	raw := sent("application/json", `{"groupName":"n"}`)
	raw.Method = http.MethodPost
	raw.RawQuery = "sort=b&sort=a&page=1"
	raw.ResponseHeader = [][2]string{{"Content-Type", "application/json"}}
	raw.ResponseBody = []byte(`{"a":1}`)
	j.Add(raw.record())
	bare := list(0)
	bare.RequestHeader = nil
	bare.Status = 204
	j.Add(bare.record())

	assert.JSONEq(t, `{"log":{"version":"1.2","creator":{"name":"banksim","version":"1.2.3"},"entries":[
		{"startedDateTime":"2026-02-01T12:00:00Z","time":1.5,"cache":{},"timings":{"send":0,"wait":1.5,"receive":0},
		 "request":{"method":"POST","url":"http://127.0.0.1:8080/digitalbanking/groups/v3/groups?sort=b&sort=a&page=1",
			"httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Content-Type","value":"application/json"}],
			"queryString":[{"name":"page","value":"1"},{"name":"sort","value":"b"},{"name":"sort","value":"a"}],
			"postData":{"mimeType":"application/json","text":"{\"groupName\":\"n\"}"},"headersSize":-1,"bodySize":17},
		 "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],
			"headers":[{"name":"Content-Type","value":"application/json"}],
			"content":{"size":7,"mimeType":"application/json","text":"{\"a\":1}"},
			"redirectURL":"","headersSize":-1,"bodySize":7},
		 "_id":"1","_sandbox":"default","_operation":"groups.list","_virtualTime":"2026-01-15T09:00:00Z",
		 "_changed": false, "_lints":[], "_fault": null,
			"_decision":{"outcome":"accepted","rule":"groups.list","basis":"document",
				"entries":["groups.list.answer"]}},
		{"startedDateTime":"2026-02-01T12:00:00Z","time":1.5,"cache":{},"timings":{"send":0,"wait":1.5,"receive":0},
		 "request":{"method":"GET","url":"http://127.0.0.1:8080/digitalbanking/groups/v3/groups","httpVersion":"HTTP/1.1",
			"cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},
		 "response":{"status":204,"statusText":"No Content","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
			"content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":0},
		 "_id":"2","_sandbox":"default","_operation":"groups.list","_virtualTime":"2026-01-15T09:00:00Z",
		 "_changed": false, "_lints":[], "_fault": null,
			"_decision":{"outcome":"accepted","rule":"groups.list","basis":"document","entries":["groups.list.answer"]}}]}}`,
		har(t, j.Select(journal.Query{}).Exchanges(), "1.2.3"))

	assert.JSONEq(t, `{"log":{"version":"1.2","creator":{"name":"banksim","version":"1"},"entries":[]}}`,
		har(t, slices.Values([]journal.Exchange(nil)), "1"))
}
