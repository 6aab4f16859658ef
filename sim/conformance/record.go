package conformance

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// evidence is what a service answered to a golden exchange's request, redacted as the journal does.
type evidence struct {
	Exchange string           `json:"exchange"`
	Entry    string           `json:"entry"` // that decides the simulator's answer
	Basis    contract.Basis   `json:"basis"`
	BaseURL  string           `json:"baseUrl"`
	At       time.Time        `json:"at"`
	Drifts   []Drift          `json:"drifts,omitzero"`
	Request  journal.Request  `json:"request"`
	Response journal.Response `json:"response"`
}

// record writes a line of evidence.
func (c *checker) record(e fixtures.Exchange, result *Result, r fixtures.Request, got answer) error {
	if c.Record == nil {
		return nil
	}
	path, query, _ := strings.Cut(r.Path, "?")
	raw := journal.Raw{
		Operation: result.Operation, At: got.at, RealAt: got.at, Took: got.took,
		Method: r.Method, BaseURL: c.BaseURL, Path: path, RawQuery: query,
		RequestHeader: http.Header{}, RequestBody: []byte(r.Content()), RequestBodyBytes: len(r.Content()),
		Status: got.status, ResponseBody: got.body,
	}
	for name, value := range r.Headers {
		raw.RequestHeader.Set(name, value)
	}
	for name, values := range got.header {
		for _, value := range values {
			raw.ResponseHeader = append(raw.ResponseHeader, [2]string{name, value})
		}
	}
	kept := journal.New(journal.Limits{}, nil)
	defer kept.Close()
	x, _ := kept.Get(kept.Add(raw))
	entry := entryOfAnswer(e)
	line, err := json.Marshal(evidence{e.Name, entry.ID, entry.Basis, c.BaseURL, got.at.UTC(), result.Drifts, x.Request, x.Response}, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = c.Record.Write(append(bytes.TrimSpace(line), '\n'))
	return err
}
