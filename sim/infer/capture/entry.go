package capture

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Exchange is a recorded request and its answer.
type Exchange struct {
	Number       int // in the capture, from 1
	Started      time.Time
	At           time.Time // on the clock of the bank, which a simulator notes
	Method       string
	URL          *url.URL
	Header       http.Header // of the request
	Body         []byte
	Status       int // from 200 to 599
	AnswerHeader http.Header
	Answer       []byte
	IsCut        bool // whether the capture has only the beginning of a body
	LacksBody    bool // whether the capture doesn't have the body of the request
	LacksAnswer  bool // whether the capture doesn't have the body of the answer
}

func (x Exchange) name() string {
	switch {
	case x.Method == "":
		return "without a request"
	case x.URL == nil:
		return x.Method
	}
	return x.Method + " " + ShownPath(x.URL.EscapedPath())
}

// MaxShownSegment is how long a segment of a path may be to be shown (choice): a longer one may be a token.
const MaxShownSegment = 40

var address = lazy.Regexp(`[^/@]+(@|%40)[^/]+`)

// ShownPath returns what a message may show of a path: no e-mail addresses, and no long segments.
func ShownPath(path string) string {
	segments := strings.Split(address().ReplaceAllString(path, "…@…"), "/")
	for i, segment := range segments {
		if len(segment) > MaxShownSegment {
			segments[i] = "…"
		}
	}
	return wording.Shorten(strings.Join(segments, "/"))
}

// method returns the method of a request as messages show it.
func method(text string) string { return wording.Shorten(wording.Line(text)) }

// entry is an exchange in an archive. Tools add members that begin with _.
type entry struct {
	Started     moment `json:"startedDateTime"`
	VirtualTime moment `json:"_virtualTime"` // of a simulator's journal
	Request     struct {
		Method   string  `json:"method"`
		URL      string  `json:"url"`
		Headers  pairs   `json:"headers"`
		BodySize int64   `json:"bodySize"`
		PostData content `json:"postData"`
	} `json:"request"`
	Response struct {
		Status  int     `json:"status"`
		Headers pairs   `json:"headers"`
		Content content `json:"content"`
	} `json:"response"`
}

type content struct {
	Text        *string `json:"text"`
	Size        int64   `json:"size"`
	Compression int64   `json:"compression"`
	MIMEType    string  `json:"mimeType"`
	Encoding    string  `json:"encoding"`
	Comment     string  `json:"comment"`
	Params      pairs   `json:"params"` // of a form, where there is no text
	File        string  `json:"_file"`  // of Playwright: the name of the file that has the body
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
			return fmt.Errorf("it has more than %d headers or parameters", maxPairs)
		}
		var one pair
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// folded matches the break of a header's line (RFC 9112 section 5.2): some tools keep it.
var folded = lazy.Regexp(`[\r\n]+[ \t]*`)

// header returns the headers. It leaves out the pseudo-headers of HTTP/2, such as :path.
func (p pairs) header() http.Header {
	h := http.Header{}
	for _, one := range p {
		if !strings.HasPrefix(one.Name, ":") {
			h.Add(one.Name, folded().ReplaceAllString(one.Value, " "))
		}
	}
	return h
}

// moment is a time. Without an offset it is UTC.
type moment struct {
	time.Time
	unread string // what can't be read, or empty
}

// layouts are how tools write times beside RFC 3339.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z0700", "2006-01-02 15:04:05", time.RFC1123, time.RFC1123Z,
}

// UnmarshalJSON implements json.Unmarshaler. An empty text or null is no time.
func (m *moment) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		m.unread = string(data)
		return nil
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil && at.UTC().Year() >= 1970 && at.UTC().Year() <= 9999 {
			m.Time = at
			return nil
		}
	}
	m.unread = text
	return nil
}

// exchange returns the exchange of an entry. It fails if the entry says nothing.
func (e entry) exchange(files *bodies) (x Exchange, err error) {
	x = Exchange{
		Started: e.Started.Time, At: e.Started.Time, Method: method(e.Request.Method), Status: e.Response.Status,
		Header: e.Request.Headers.header(), AnswerHeader: e.Response.Headers.header(),
	}
	if !e.VirtualTime.IsZero() {
		x.At = e.VirtualTime.Time
	}
	u, err := url.Parse(e.Request.URL)
	if err != nil {
		return x, errors.New("its URL can't be read")
	}
	x.URL = u
	if strings.Count(u.RawQuery, "&") >= maxPairs {
		return x, fmt.Errorf("its URL has more than %d parameters", maxPairs)
	}
	switch status := e.Response.Status; {
	case e.Started.unread+e.VirtualTime.unread != "":
		return x, fmt.Errorf("its time, %s, can't be read: write it like 2026-01-15T09:00:00Z",
			wording.Quote(cmp.Or(e.Started.unread, e.VirtualTime.unread)))
	case status == 0:
		return x, errors.New("it has no answer")
	case status == http.StatusSwitchingProtocols:
		return x, errors.New("it opens a WebSocket, or another protocol")
	case status >= 100 && status < 200:
		return x, fmt.Errorf("status %d is not the end of an answer", status)
	case status < 100 || status > 599:
		return x, fmt.Errorf("%d is no status of HTTP", status)
	}
	if x.Body, err = e.Request.PostData.bytes(files); err != nil {
		return x, fmt.Errorf("the body of the request: %w", err)
	}
	if x.Answer, err = e.Response.Content.bytes(files); err != nil {
		return x, fmt.Errorf("the body of the answer: %w", err)
	}
	x.LacksBody = len(x.Body) == 0 && e.Request.BodySize > 0
	x.LacksAnswer = e.Response.Content.isMissing(x.Status)
	x.IsCut = strings.Contains(e.Request.PostData.Comment+e.Response.Content.Comment, journal.CutComment) ||
		e.Response.Content.isCut(x)
	return x, nil
}

// bytes returns a body.
func (c content) bytes(files *bodies) ([]byte, error) {
	switch {
	case c.File != "" && c.Text == nil:
		return files.read(c.File)
	case c.Text == nil || *c.Text == "" && len(c.Params) > 0:
		var form []string
		for _, p := range c.Params {
			form = append(form, url.QueryEscape(p.Name)+"="+url.QueryEscape(p.Value))
		}
		return []byte(strings.Join(form, "&")), nil
	case strings.EqualFold(c.Encoding, "base64"):
		decoded, err := base64.StdEncoding.DecodeString(*c.Text)
		if err != nil {
			return nil, errors.New("it is not in base64, as its encoding says")
		}
		return decoded, nil
	}
	return []byte(*c.Text), nil
}

// isMissing reports whether the answer with a status had a body, and the capture doesn't have it.
func (c content) isMissing(status int) bool {
	if c.Text != nil || c.File != "" || status == http.StatusNoContent || status == http.StatusNotModified {
		return false
	}
	return c.Size != 0 || strings.Contains(c.MIMEType, "json")
}

// isCut reports whether the capture has only the beginning of the body of an answer. Its size shows that only if it is
// the size of the text: not if the body was compressed, and not if the text is whole JSON.
func (c content) isCut(x Exchange) bool {
	if c.Text == nil || *c.Text == "" || c.Encoding != "" || c.Compression != 0 {
		return false
	}
	isCompressed := x.AnswerHeader.Get("Content-Encoding") != ""
	return !isCompressed && int64(len(*c.Text)) < c.Size && !json.Valid(x.Answer)
}
