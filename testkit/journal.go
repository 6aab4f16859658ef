package testkit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// page is a part of a journal.
type page struct {
	Exchanges []Exchange `json:"exchanges"`
}

// Journal returns the last exchanges of an operation, at most a thousand, the newest last: "groups.*" stands for a
// family of operations, an empty name for all.
func (b *Bank) Journal(operation string) []Exchange {
	b.t.Helper()
	var page page
	b.in(http.MethodGet, "/journal?limit=1000&operation="+url.QueryEscape(operation), nil, &page)
	return page.Exchanges
}

// Await returns the first exchange, past or future, that a function accepts. The test ends if ctx does first.
func (b *Bank) Await(ctx context.Context, accepts func(Exchange) bool) Exchange {
	b.t.Helper()
	x, err := b.await(ctx, accepts)
	if err != nil {
		b.t.Fatalf("testkit: waiting for an exchange: %v", err)
	}
	return x
}

func (b *Bank) await(ctx context.Context, accepts func(Exchange) bool) (Exchange, error) {
	r, err := b.request(ctx, http.MethodGet, "/"+b.name+"/journal/stream?after=0", nil)
	if err != nil {
		return Exchange{}, err
	}
	stream := http.Client{Transport: b.client.Transport} // without a timeout: ctx has it
	res, err := stream.Do(r)
	if err != nil {
		return Exchange{}, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return Exchange{}, fmt.Errorf("the journal's stream answers %s", res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		var x Exchange
		if !isData || json.Unmarshal([]byte(data), &x) != nil || x.ID == "" {
			continue
		}
		if accepts(x) {
			return x, nil
		}
	}
	if ctx.Err() != nil {
		return Exchange{}, ctx.Err()
	}
	return Exchange{}, errors.Join(errors.New("the journal's stream ended"), lines.Err())
}
