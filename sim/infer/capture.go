package infer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// MaxBytes is how large a capture may be (choice).
const MaxBytes = 64 << 20

// exchange is a request of a capture, and its answer.
type exchange struct {
	number  int // in the capture, from 1
	started time.Time
	at      time.Time           // on the clock of the bank
	op      *contract.Operation // or nil if the path is not the interface's
	vars    map[string]string   // in the path
	method  string
	path    string // below the base URL, escaped
	query   url.Values
	header  http.Header
	body    []byte
	status  int
	media   string // of the answer
	answer  []byte
	target  string // for a redirection, where it leads
	origin  string // of a page that may read the answer, or empty
	cut     bool   // whether the capture has only the beginning of a body
}

// name is how messages name the exchange.
func (x exchange) name() string {
	return fmt.Sprintf("exchange %d, %s %s", x.number, x.method, wording.Shorten(x.path))
}

// accepted reports whether the service accepted the request.
func (x exchange) accepted() bool { return x.status >= 200 && x.status < 300 }

// entry is an exchange in an HTTP archive (HAR 1.2). A journal's export adds members that begin with _.
type entry struct {
	Started     time.Time `json:"startedDateTime"`
	VirtualTime time.Time `json:"_virtualTime"`
	Request     struct {
		Method   string  `json:"method"`
		URL      string  `json:"url"`
		Headers  []pair  `json:"headers"`
		PostData content `json:"postData"`
	} `json:"request"`
	Response struct {
		Status  int     `json:"status"`
		Headers []pair  `json:"headers"`
		Content content `json:"content"`
	} `json:"response"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type content struct {
	Text     string `json:"text"`
	Size     int    `json:"size"`
	Encoding string `json:"encoding"`
	Comment  string `json:"comment"`
	Params   []pair `json:"params"` // of a form, where there is no text
}

// read reads a capture.
func read(capture []byte) ([]exchange, error) {
	if len(capture) > MaxBytes {
		return nil, fmt.Errorf("the capture is larger than %d MiB: record a shorter session", MaxBytes>>20)
	}
	var archive struct {
		Log struct {
			Creator struct {
				Name string `json:"name"`
			} `json:"creator"`
			Entries []entry `json:"entries"`
		} `json:"log"`
	}
	if err := json.Unmarshal(bytes.TrimPrefix(capture, byteOrderMark), &archive); err != nil {
		return nil, fmt.Errorf("the capture is no HTTP archive (HAR): %w", withoutTypes(err))
	}
	var all []exchange
	for i, e := range archive.Log.Entries {
		if archive.Log.Creator.Name == journal.Creator { // masks are shorter than what they hide
			e.Request.PostData.Size, e.Response.Content.Size = 0, 0
		}
		x, err := e.exchange(i + 1)
		if err != nil {
			return nil, fmt.Errorf("exchange %d: %w", i+1, err)
		}
		all = append(all, x)
	}
	if len(all) == 0 {
		return nil, errors.New("the capture has no exchanges: an HTTP archive (HAR) has them in log.entries; " +
			"a simulator's journal is one under journal.har")
	}
	slices.SortStableFunc(all, func(a, b exchange) int { return a.started.Compare(b.started) })
	return all, nil
}

// withoutTypes returns an error of decoding without the types of this program.
func withoutTypes(err error) error {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		return fmt.Errorf("it has %s where an archive has another type, at byte %d", mistyped.Value, mistyped.Offset)
	}
	return err
}

func (e entry) exchange(number int) (x exchange, err error) {
	x = exchange{
		number: number, started: e.Started, at: e.Started, method: e.Request.Method, status: e.Response.Status,
		header: http.Header{},
	}
	if !e.VirtualTime.IsZero() {
		x.at = e.VirtualTime
	}
	for _, h := range e.Request.Headers {
		if !strings.HasPrefix(h.Name, ":") { // HTTP/2
			x.header.Add(h.Name, h.Value)
		}
	}
	for _, h := range e.Response.Headers {
		switch strings.ToLower(h.Name) {
		case "content-type":
			x.media = h.Value
		case "location":
			x.target = h.Value
		case "access-control-allow-origin":
			x.origin = h.Value
		}
	}
	x.cut = e.Request.PostData.isCut() || e.Response.Content.isCut()
	if x.body, err = e.Request.PostData.bytes(); err != nil {
		return x, fmt.Errorf("the body of the request: %w", err)
	}
	if x.answer, err = e.Response.Content.bytes(); err != nil {
		return x, fmt.Errorf("the body of the answer: %w", err)
	}
	return x.to(e.Request.URL)
}

// isCut reports whether there is only the beginning of a body.
func (c content) isCut() bool {
	return strings.Contains(c.Comment, journal.CutComment) || c.Encoding == "" && c.Text != "" && len(c.Text) < c.Size
}

// bytes returns a body.
func (c content) bytes() ([]byte, error) {
	switch {
	case c.Encoding == "base64":
		return base64.StdEncoding.DecodeString(c.Text)
	case c.Text == "" && len(c.Params) > 0:
		var form []string
		for _, p := range c.Params {
			form = append(form, url.QueryEscape(p.Name)+"="+url.QueryEscape(p.Value))
		}
		return []byte(strings.Join(form, "&")), nil
	}
	return []byte(c.Text), nil
}

// to returns the exchange with the operation that its URL is for. The base URL may have a path.
func (x exchange) to(address string) (exchange, error) {
	u, err := url.Parse(address)
	if err != nil {
		return x, fmt.Errorf("the URL %s can't be read", wording.Quote(address))
	}
	x.path, x.query = u.EscapedPath(), u.Query()
	for _, op := range contract.AllOperations() { // those of the document first: their paths are longer
		path, ok := lastSegments(x.path, strings.Count(op.Path, "/"))
		if ok && op.Takes(x.method) && match.Covers(op.Path, path) {
			x.op, x.path, x.vars = op, path, pathVars(op.Path, path)
			break
		}
	}
	return x, nil
}

// lastSegments returns the end of a path that has a number of segments.
func lastSegments(path string, count int) (end string, ok bool) {
	at := len(path)
	for range count {
		if at = strings.LastIndexByte(path[:at], '/'); at < 0 {
			return "", false
		}
	}
	return path[at:], true
}

// pathVars returns the variables in a path.
func pathVars(pattern, path string) map[string]string {
	vars, values := map[string]string{}, strings.Split(path, "/")
	for i, segment := range strings.Split(pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			vars[strings.TrimSuffix(name, "}")] = match.Unescape(values[i])
		}
	}
	return vars
}

// ofInterface returns the exchanges of operations, and what the others ask for, by how often. A request that has no
// answer is one of the others: its client gave up.
func ofInterface(all []exchange) (of []exchange, others []string) {
	counts := map[string]int{}
	for _, x := range all {
		switch {
		case x.op != nil && x.status > 0:
			of = append(of, x)
			continue
		case x.method == http.MethodOptions && x.header.Get("Access-Control-Request-Method") != "":
			continue // a browser asks whether a page may send another request
		}
		name := x.method + " " + wording.Shorten(x.path)
		if x.status == 0 {
			name += " without an answer"
		}
		if counts[name]++; counts[name] == 1 {
			others = append(others, name)
		}
	}
	for i, name := range others {
		if counts[name] > 1 {
			others[i] += " (" + strconv.Itoa(counts[name]) + ")"
		}
	}
	return of, others
}

// checkWhole fails if the capture lacks a part of a body, or the credentials of a request that needs them and was
// accepted.
func checkWhole(all []exchange) error {
	for _, x := range all {
		if x.cut {
			return fmt.Errorf("%s: the capture has only the beginning of a body: "+
				"leave the exchange out, or record it whole", x.name())
		}
		if x.op.Security != contract.OptionalBearer && x.accepted() && x.header.Get("Authorization") == "" {
			return fmt.Errorf("%s: the capture has no Authorization header, and without one the service would "+
				"have refused it. Browsers leave such headers out: choose \"Export HAR (with sensitive data)\"",
				x.name())
		}
	}
	return nil
}
