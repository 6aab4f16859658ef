package infer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// The limits of a capture (choice).
const (
	MaxBytes     = 64 << 20
	maxExchanges = 10_000
	maxBody      = 1 << 20 // bytes of a request or an answer of the interface
	maxPairs     = 100     // headers or parameters of a request
)

// entry is an exchange in an HTTP archive (HAR 1.2). A journal's export adds members that begin with _.
type entry struct {
	Started     time.Time `json:"startedDateTime"`
	VirtualTime time.Time `json:"_virtualTime"`
	Request     struct {
		Method   string  `json:"method"`
		URL      string  `json:"url"`
		Headers  pairs   `json:"headers"`
		PostData content `json:"postData"`
	} `json:"request"`
	Response struct {
		Status  int     `json:"status"`
		Headers pairs   `json:"headers"`
		Content content `json:"content"`
	} `json:"response"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// pairs are the headers of a message, or the parameters of a form.
type pairs []pair

// UnmarshalJSON implements json.Unmarshaler. It refuses too many pairs before they take memory.
func (p *pairs) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('[') {
		return err // null, or another value: there are none
	}
	for decoder.More() {
		if len(*p) == maxPairs {
			return fmt.Errorf("it has more than %d headers or parameters: leave the exchange out", maxPairs)
		}
		var one pair
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

type content struct {
	Text     string `json:"text"`
	Size     int    `json:"size"`
	Encoding string `json:"encoding"`
	Comment  string `json:"comment"`
	Params   pairs  `json:"params"` // of a form, where there is no text
}

// skipped is a member without a use here.
type skipped struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*skipped) UnmarshalJSON([]byte) error { return nil }

// archive reads an HTTP archive one exchange at a time. It keeps of each what the search needs.
type archive struct {
	decoder   *json.Decoder
	stubs     bool // whether answers to requests to other paths are needed
	isJournal bool // whether a simulator wrote it
	all       []exchange
	short     []int // the places of exchanges with a body that is shorter than its size
}

// read reads a capture.
func read(ctx context.Context, capture []byte, stubs bool) ([]exchange, error) {
	if len(capture) > MaxBytes {
		return nil, fmt.Errorf("the capture is larger than %d MiB: record a shorter session", MaxBytes>>20)
	}
	a := archive{
		decoder: json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(capture, byteOrderMark))), stubs: stubs,
	}
	err := a.members(map[string]func() error{"log": func() error {
		return a.members(map[string]func() error{
			"creator": a.creator,
			"entries": func() error { return a.entries(ctx) },
		})
	}})
	if err == nil {
		err = a.end()
	}
	var wrong exchangeError
	switch {
	case errors.As(err, &wrong):
		return nil, wrong
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("the capture is no HTTP archive (HAR): %w", withoutTypes(err))
	case len(a.all) == 0:
		return nil, errors.New("the capture has no exchanges: an HTTP archive (HAR) has them in log.entries; " +
			"a simulator's journal is one under journal.har")
	}
	for _, i := range a.short {
		a.all[i].cut = a.all[i].cut || !a.isJournal // masks of a journal are shorter than what they hide
	}
	slices.SortStableFunc(a.all, func(a, b exchange) int { return a.started.Compare(b.started) })
	return a.all, nil
}

// exchangeError is an error whose text says all: it gets no prefix.
type exchangeError struct{ error }

// members reads an object. Each member that is needed has a function that reads its value.
func (a *archive) members(of map[string]func() error) error {
	if err := a.open('{'); err != nil {
		return err
	}
	for a.decoder.More() {
		name, err := a.decoder.Token()
		if err != nil {
			return err
		}
		value := func() error { return a.decoder.Decode(new(skipped)) }
		if needed := of[fmt.Sprint(name)]; needed != nil {
			value = needed
		}
		if err := value(); err != nil {
			return err
		}
	}
	_, err := a.decoder.Token()
	return err
}

// open reads the beginning of an object or an array.
func (a *archive) open(delim json.Delim) error {
	token, err := a.decoder.Token()
	if err == nil && token != delim {
		err = fmt.Errorf("it has another value where an archive has %v, at byte %d", delim, a.decoder.InputOffset())
	}
	return err
}

// end fails if another value follows.
func (a *archive) end() error {
	if _, err := a.decoder.Token(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, errors.New("another value follows it"))
	}
	return nil
}

func (a *archive) creator() error {
	var creator struct {
		Name string `json:"name"`
	}
	err := a.decoder.Decode(&creator)
	a.isJournal = creator.Name == journal.Creator
	return err
}

func (a *archive) entries(ctx context.Context) error {
	if err := a.open('['); err != nil {
		return err
	}
	for a.decoder.More() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(a.all) == maxExchanges {
			return exchangeError{fmt.Errorf("the capture has more than %d exchanges: record a shorter session",
				maxExchanges)}
		}
		var e entry
		err := a.decoder.Decode(&e)
		if err == nil {
			err = a.add(e)
		}
		if err != nil {
			return exchangeError{fmt.Errorf("exchange %d: %w", len(a.all)+1, withoutTypes(err))}
		}
	}
	_, err := a.decoder.Token()
	return err
}

// add adds an exchange. One that is not the interface's has no headers, and a body only if a stub may need it.
func (a *archive) add(e entry) error {
	x, isShort, err := e.exchange(len(a.all) + 1)
	if err != nil {
		return err
	}
	switch {
	case !x.isOfInterface():
		x.isPreflight = x.method == http.MethodOptions && x.header.Get("Access-Control-Request-Method") != ""
		x.header, x.body = nil, nil
		if !a.stubs || len(x.answer) > maxBody {
			x.answer, x.isLarge = nil, len(x.answer) > maxBody
		}
	case len(x.body) > maxBody || len(x.answer) > maxBody:
		return fmt.Errorf("%s %s has a body of more than %d MiB: leave the exchange out", x.method, x.path, maxBody>>20)
	}
	if isShort {
		a.short = append(a.short, len(a.all))
	}
	a.all = append(a.all, x)
	return nil
}

// withoutTypes returns an error of decoding without the types of this program.
func withoutTypes(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped):
		return fmt.Errorf("it has %s where an archive has another type", wording.Shorten(mistyped.Value))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends early")
	}
	return err
}

// exchange returns the exchange of an entry, and whether a body is shorter than its size.
func (e entry) exchange(number int) (x exchange, isShort bool, err error) {
	x = exchange{
		number: number, started: e.Started, at: e.Started, method: wording.Line(e.Request.Method),
		status: e.Response.Status, header: http.Header{},
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
	for _, c := range []content{e.Request.PostData, e.Response.Content} {
		x.cut = x.cut || strings.Contains(c.Comment, journal.CutComment)
		isShort = isShort || c.Encoding == "" && c.Text != "" && len(c.Text) < c.Size
	}
	if x.body, err = e.Request.PostData.bytes(); err != nil {
		return x, false, fmt.Errorf("the body of the request: %w", err)
	}
	if x.answer, err = e.Response.Content.bytes(); err != nil {
		return x, false, fmt.Errorf("the body of the answer: %w", err)
	}
	x, err = x.to(e.Request.URL)
	return x, isShort, err
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
