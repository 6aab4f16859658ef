package infer

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

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
	isLarge bool   // whether the answer is left out: it is too large for a stub
	// isPreflight says whether a browser asks whether a page may send another request.
	isPreflight bool
}

// name is how messages name the exchange.
func (x exchange) name() string {
	return fmt.Sprintf("exchange %d, %s %s", x.number, x.method, wording.Shorten(x.path))
}

// accepted reports whether the service accepted the request.
func (x exchange) accepted() bool { return x.status >= 200 && x.status < 300 }

// to returns the exchange with the operation that its URL is for. The base URL may have a path.
func (x exchange) to(address string) (exchange, error) {
	u, err := url.Parse(address)
	if err != nil {
		return x, fmt.Errorf("the URL %s can't be read", wording.Quote(redact.URL(address)))
	}
	x.path = u.EscapedPath()
	for _, op := range contract.AllOperations() { // those of the document first: their paths are longer
		path, ok := lastSegments(x.path, strings.Count(op.Path, "/"))
		if ok && op.Takes(x.method) && match.Covers(op.Path, path) {
			if strings.Count(u.RawQuery, "&") >= maxPairs {
				return x, fmt.Errorf("its URL has more than %d parameters: leave the exchange out", maxPairs)
			}
			x.op, x.path, x.vars, x.query = op, path, pathVars(op.Path, path), u.Query()
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

// until yields exchanges in their order, until the context ends.
func until(ctx context.Context, all []exchange) iter.Seq[exchange] {
	return func(yield func(exchange) bool) {
		for _, x := range all {
			if ctx.Err() != nil || !yield(x) {
				return
			}
		}
	}
}

// isOfInterface reports whether an exchange is of an operation, and has an answer: without one, its client gave up.
func (x exchange) isOfInterface() bool { return x.op != nil && x.status > 0 }

// requestsOf returns what exchanges that are not the interface's ask for, by how often.
func requestsOf(all []exchange) (names []string) {
	counts := map[string]int{}
	for _, x := range all {
		if x.isPreflight {
			continue
		}
		name := x.method + " " + wording.Shorten(x.path)
		if x.status == 0 {
			name += " without an answer"
		}
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if counts[name] > 1 {
			names[i] += " (" + strconv.Itoa(counts[name]) + ")"
		}
	}
	return names
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
