package conformance

import (
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
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
func (r *replayer) record(e fixtures.Exchange, result *Result, sent fixtures.Request, got answer) error {
	if r.Record == nil {
		return nil
	}
	path, query, _ := strings.Cut(sent.Path, "?")
	baseURL := r.client.baseURL(sent.Path)
	raw := journal.Raw{
		Operation: result.Operation, At: got.at, RealAt: got.at, Took: got.took,
		Method: sent.Method, BaseURL: baseURL, Path: path, RawQuery: query,
		RequestHeader: http.Header{}, RequestBody: []byte(sent.Content()), RequestBodyBytes: len(sent.Content()),
		Status: got.status, ResponseBody: got.body,
	}
	for name, value := range sent.Headers {
		raw.RequestHeader.Set(name, value)
	}
	for name, values := range got.header {
		for _, value := range values {
			raw.ResponseHeader = append(raw.ResponseHeader, [2]string{name, value})
		}
	}
	x := raw.Exchange()
	entry := entryOfAnswer(e)
	line, err := wire.Encode(evidence{e.Name, entry.ID, entry.BasisUnder(r.Behavior), baseURL, got.at.UTC(), result.Drifts, x.Request, x.Response})
	if err != nil {
		return err
	}
	_, err = io.WriteString(r.Record, r.scrub(string(line))+"\n")
	return err
}
