package controlapi

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// BankConn is a connection to the service listener, for one request.
type BankConn struct {
	net.Conn
	Host     string                       // to which the listener answers
	Exchange func(context.Context) string // waits for the exchange of the request and returns its id; empty: it is in no journal, or the context ended
	Forget   func()                       // the exchange: nobody waits for it any more
}

// recordTimeout is how long a request that was not answered may take to be in the journal once its connection is closed: the
// bank then carries out nothing more (choice).
const recordTimeout = time.Second

// bankExchange is a request to the bank and what becomes of it.
type bankExchange struct {
	control
	ctx     context.Context
	conn    *BankConn
	end     func()
	isLarge bool // whether the answer has a place among the large ones

	came  int    // bytes
	first []byte // the beginning of what came
}

// maxFirst is how much is kept of the beginning of what came.
const maxFirst = 40

// dial opens the connection. It is open until end is called, or the time for a request is over.
func (a control) dial(ctx context.Context) (*bankExchange, error) {
	if a.Bank == nil {
		return nil, refuse(http.StatusServiceUnavailable, "the simulator has no service listener")
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	conn, err := a.Bank(ctx)
	if err != nil {
		cancel()
		return nil, refuse(http.StatusServiceUnavailable, "the service listener can't be reached")
	}
	x := &bankExchange{control: a, ctx: ctx, conn: conn}
	cut := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	x.end = func() {
		cut()
		cancel()
		_ = conn.Close()
		conn.Forget()
		if x.isLarge {
			a.large.leave()
		}
	}
	return x, nil
}

// Read reads what the bank sends.
func (x *bankExchange) Read(into []byte) (n int, err error) {
	n, err = x.conn.Read(into)
	x.came += n
	if room := maxFirst - len(x.first); room > 0 {
		x.first = append(x.first, into[:min(n, room)]...)
	}
	return n, err
}

// send sends the request and reads the answer.
func (x *bankExchange) send(r *http.Request) *sentRequest {
	started := time.Now()
	r.Host = x.conn.Host
	written := make(chan struct{})
	go func() { // the bank may answer, or end the connection, before it has read all
		defer close(written)
		_ = r.Write(x.conn) // if it fails, so does the reading
	}()
	sent := &sentRequest{}
	sent.Response, sent.Lost = x.receive(r)
	sent.TookMicros = time.Since(started).Microseconds()
	_ = x.conn.Close()
	<-written
	// An answer is sent once its exchange is recorded, and a request whose client is gone is recorded soon.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), recordTimeout)
	defer cancel()
	if sent.Response != nil {
		cancel()
	}
	sent.Exchange = x.conn.Exchange(ctx)
	return sent
}

// receive reads the answer. Without one, or with a part of it, it says why.
func (x *bankExchange) receive(r *http.Request) (*bankResponse, string) {
	res, err := x.readHead(r)
	if err != nil {
		return nil, x.whyNone(err)
	}
	body, err := x.readBody(res.Body)
	got := &bankResponse{Status: res.StatusCode, Headers: res.Header, Body: string(body)}
	if !utf8.Valid(body) {
		got.Body, got.BodyBase64 = strings.ToValidUTF8(got.Body, "\uFFFD"), base64.StdEncoding.EncodeToString(body)
	}
	switch {
	case err != nil:
		return got, x.whyPart(err, len(body), res.ContentLength)
	case got.BodyBase64 != "":
		return got, "the whole answer came, but its body is not UTF-8: bodyBase64 has it as it came"
	case len(body) > 0 && strings.HasPrefix(res.Header.Get("Content-Type"), jsonMedia) && !json.Valid(body):
		return got, "the whole answer came, but its body is not valid JSON"
	}
	return got, ""
}

// readHead reads the head of the answer, and those of interim answers before it.
func (x *bankExchange) readHead(r *http.Request) (*http.Response, error) {
	reader := bufio.NewReader(io.LimitReader(x, 2*maxBankBytes))
	for {
		res, err := http.ReadResponse(reader, r)
		if err != nil || res.StatusCode >= http.StatusOK || res.StatusCode == http.StatusSwitchingProtocols {
			return res, err
		}
	}
}

var errTooLarge = errors.New("the body is too large")

// readBody reads the body. One that is large waits for a place among the large answers.
func (x *bankExchange) readBody(from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, smallAnswer))
	if err != nil || len(body) < smallAnswer {
		return body, err
	}
	if err := x.large.take(x.ctx); err != nil {
		return body, err
	}
	x.isLarge = true
	rest, err := io.ReadAll(io.LimitReader(from, maxBankBytes-smallAnswer))
	body = append(body, rest...)
	if err == nil && len(body) == maxBankBytes {
		if n, _ := io.ReadFull(from, make([]byte, 1)); n > 0 {
			err = errTooLarge
		}
	}
	return body, err
}

// whyNone says why no answer came.
func (x *bankExchange) whyNone(err error) string {
	if why := x.whyEnded(); why != "" {
		return "no answer came: " + why
	}
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		return "the connection was reset"
	case x.came == 0:
		return "the connection was closed without an answer"
	}
	return fmt.Sprintf("what came is no answer of HTTP: it begins with %s", phrase.Quote(string(x.first)))
}

// whyPart says why only a part of the answer came: so many bytes of a body with this Content-Length, below 0 if it has none.
func (x *bankExchange) whyPart(err error, bytes int, of int64) string {
	part := fmt.Sprintf("%d bytes of the body", bytes)
	if of >= 0 {
		part = fmt.Sprintf("%d of %d bytes of the body", bytes, of)
	}
	var refusal *api.Problem
	switch why := x.whyEnded(); {
	case errors.Is(err, errTooLarge):
		return fmt.Sprintf("only %s are shown: no more than that is read", part)
	case errors.As(err, &refusal):
		return fmt.Sprintf("only %s are shown: %s", part, refusal.Detail)
	case why != "":
		return fmt.Sprintf("only %s came: %s", part, why)
	case errors.Is(err, syscall.ECONNRESET):
		return fmt.Sprintf("the connection was reset after %s", part)
	}
	return fmt.Sprintf("the connection was closed after %s", part)
}

// whyEnded says why the simulator has ended the connection; empty: it hasn't.
func (x *bankExchange) whyEnded() string {
	select {
	case <-x.Draining:
		return "the simulator is shutting down"
	default:
	}
	if errors.Is(x.ctx.Err(), context.DeadlineExceeded) {
		return fmt.Sprintf("the time for it is over after %s", sendTimeout)
	}
	return ""
}
