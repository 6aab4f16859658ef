package simtest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/stretchr/testify/assert"
)

// Call is a request of the interface, as a value: its methods return changed copies.
type Call struct {
	Method, Path string // the path with its query, below the base URL
	Body         string
	Header       http.Header
}

// NewCall returns a call with "Name: value" headers.
func NewCall(method, path, body string, headers ...string) Call {
	c := Call{method, path, body, http.Header{}}
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ": ")
		if !ok {
			panic("simtest: not a header: " + h)
		}
		c.Header.Add(name, value)
	}
	return c
}

// String returns the call on one line, long texts shortened, for messages.
func (c Call) String() string {
	return fmt.Sprintf("%s %.300s %v %.300s", c.Method, c.Path, c.Header, c.Body)
}

// With returns the call with a header set.
func (c Call) With(name, value string) Call {
	c.Header = c.Header.Clone()
	c.Header.Set(name, value)
	return c
}

// Adding returns the call with one more value of a header.
func (c Call) Adding(name, value string) Call {
	c.Header = c.Header.Clone()
	c.Header.Add(name, value)
	return c
}

// Without returns the call without a header.
func (c Call) Without(name string) Call {
	c.Header = c.Header.Clone()
	c.Header.Del(name)
	return c
}

// WithToken returns the call with a bearer token.
func (c Call) WithToken(token string) Call { return c.With("authorization", "Bearer "+token) }

// WithBody returns the call with a body.
func (c Call) WithBody(body string) Call {
	c.Body = body
	return c
}

// WithForm returns the call with a body that is a form.
func (c Call) WithForm(body string) Call {
	return c.WithBody(body).With("content-type", "application/x-www-form-urlencoded")
}

// WithMethod returns the call with another method.
func (c Call) WithMethod(method string) Call {
	c.Method = method
	return c
}

// At returns the call at another path, with its query.
func (c Call) At(path string) Call {
	c.Path = path
	return c
}

// WithQuery returns the call with parameters, such as "page=1&size=5", added to its path.
func (c Call) WithQuery(query string) Call {
	separator := "?"
	if strings.Contains(c.Path, "?") {
		separator = "&"
	}
	return c.At(c.Path + separator + query)
}

// Request returns the call as a request to a bank.
func (c Call) Request(b *Bank) *http.Request {
	b.t.Helper()
	r := b.Request(c.Method, b.BaseURL()+c.Path, c.Body)
	r.Header = c.Header.Clone()
	return r
}

// Send sends the call to a bank. It must be answered.
func (c Call) Send(b *Bank) Answer {
	b.t.Helper()
	return b.Do(c.Request(b))
}

// Expect sends the call to a bank, whose answer must have a status. It may be given why.
func (c Call) Expect(b *Bank, status int, why ...any) Answer {
	b.t.Helper()
	res := c.Send(b)
	assert.Equal(b.t, status, res.StatusCode, "%s: %s %s", c, res.Body, fmt.Sprintln(why...))
	return res
}

// Try sends the call to a bank. It may fail.
func (c Call) Try(b *Bank) (Answer, error) {
	b.t.Helper()
	return b.Try(c.Request(b))
}
