package journal

import (
	"cmp"
	"iter"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// WriteHAR writes exchanges as an HTTP archive (HAR 1.2) whose creator is banksim in the given version, one at a time.
// Members that begin with "_", which the format allows, hold what it has no member for.
func WriteHAR(s *wire.Stream, exchanges iter.Seq[Exchange], version string) {
	s.Text(`{"log":`)
	s.Open(harLog{Version: "1.2", Creator: harCreator{"banksim", version}})
	s.Text(`,"entries":`)
	wire.Array(s, exchanges, func(x Exchange) { s.Value(newHAREntry(x)) })
	s.Text("}}")
}

// harLog is the log of an archive, without its entries.
type harLog struct {
	Version string     `json:"version"`
	Creator harCreator `json:"creator"`
}

type harCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type harEntry struct {
	StartedDateTime time.Time   `json:"startedDateTime"`
	Time            float64     `json:"time"` // milliseconds
	Request         harRequest  `json:"request"`
	Response        harResponse `json:"response"`
	Cache           struct{}    `json:"cache"`
	Timings         harTimings  `json:"timings"`

	ID          string    `json:"_id"`
	Sandbox     string    `json:"_sandbox"`
	Operation   string    `json:"_operation"`
	VirtualTime time.Time `json:"_virtualTime"`
	Decision    Decision  `json:"_decision"`
	Changed     bool      `json:"_changed"`
	Fault       *Fault    `json:"_fault,omitzero"`
	Lints       []Lint    `json:"_lints"`
}

type harRequest struct {
	Method      string       `json:"method"`
	URL         string       `json:"url"`
	HTTPVersion string       `json:"httpVersion"`
	Cookies     []harPair    `json:"cookies"`
	Headers     []harPair    `json:"headers"`
	QueryString []harPair    `json:"queryString"`
	PostData    *harPostData `json:"postData,omitzero"`
	HeadersSize int          `json:"headersSize"` // -1: not known
	BodySize    int          `json:"bodySize"`
}

type harPostData struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Comment  string `json:"comment,omitzero"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []harPair  `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"` // -1: not known
	BodySize    int        `json:"bodySize"`
}

type harContent struct {
	Size     int    `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitzero"`
	Comment  string `json:"comment,omitzero"`
}

// harTimings are in milliseconds. The journal sees only the wait.
type harTimings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

const (
	harHTTPVersion = "HTTP/1.1" // where the exchange has none
	harCut         = "only the beginning was kept"
)

func newHAREntry(x Exchange) harEntry {
	took := float64(x.TookMicros) / 1000 // milliseconds
	e := harEntry{
		StartedDateTime: x.RealAt,
		Time:            took,
		Timings:         harTimings{Wait: took},
		Request: harRequest{
			Method:      x.Request.Method,
			URL:         x.Request.URL,
			HTTPVersion: cmp.Or(x.Request.HTTPVersion, harHTTPVersion),
			Cookies:     []harPair{}, // they are among the headers, as fingerprints
			Headers:     harPairs(x.Request.Headers),
			QueryString: harPairs(x.Request.Query),
			HeadersSize: -1,
			BodySize:    x.Request.BodyBytes,
		},
		Response: harResponse{
			Status:      x.Response.Status,
			StatusText:  http.StatusText(x.Response.Status),
			HTTPVersion: cmp.Or(x.Request.HTTPVersion, harHTTPVersion),
			Cookies:     []harPair{},
			Headers:     harPairs(x.Response.Headers),
			Content: harContent{
				Size:     x.Response.BodyBytes,
				MimeType: x.Response.Headers.Get("Content-Type"),
				Text:     x.Response.Body,
				Comment:  harComment(x.Response.BodyTruncated),
			},
			RedirectURL: x.Response.Headers.Get("Location"),
			HeadersSize: -1,
			BodySize:    x.Response.BodyBytes,
		},
		ID:          x.ID,
		Sandbox:     x.Sandbox,
		Operation:   x.Operation,
		VirtualTime: x.At,
		Decision:    x.Decision,
		Changed:     x.Changed,
		Fault:       x.Fault,
		Lints:       x.Lints,
	}
	if x.Request.BodyBytes > 0 {
		e.Request.PostData = &harPostData{
			MimeType: x.Request.Headers.Get("Content-Type"),
			Text:     x.Request.Body,
			Comment:  harComment(x.Request.BodyTruncated),
		}
	}
	return e
}

func harComment(cut bool) string {
	if cut {
		return harCut
	}
	return ""
}

func harPairs(values map[string][]string) []harPair {
	pairs := make([]harPair, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			pairs = append(pairs, harPair{name, value})
		}
	}
	return pairs
}
