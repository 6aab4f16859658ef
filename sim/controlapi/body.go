package controlapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// maxBody is the maximum size of a request body, in bytes.
const maxBody = 1 << 20

// readBody reads the body of a request. It refuses a body that is too large (413) and one that breaks off (400). Its content
// type doesn't matter: each call takes one format, and tools that send bodies name others, or none. What a page in a browser
// may send without asking, such as text/plain, is kept out by control.guard instead.
func readBody(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", maxBody)
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body could not be read to its end")
	}
	return data, nil
}

// decode reads the body of a request, a JSON object, into a struct. It refuses (400) members that the struct doesn't have.
// An empty body is an empty object.
func decode(r *http.Request, into any) error {
	data, err := readBody(r)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	return unmarshal(data, into)
}

// unmarshal reads a JSON object into a struct. Its error names members and never holds a value, which may be a secret.
func unmarshal(data []byte, into any) error {
	err := wire.DecodeKnown(data, into)
	var wrong *wire.Error
	if !errors.As(err, &wrong) {
		return err
	}
	detail, member := wrong.Error(), phrase.Quote(wrong.Member)
	switch wrong.Kind {
	case wire.Duplicate:
		detail = "member " + member + " is given twice"
	case wire.Unknown:
		detail = "unknown member " + member + ": the members are " + strings.Join(members(into), ", ")
	case wire.Mistyped:
		detail = "member " + member + " must be " + describe(wrong.Type)
	}
	return refuse(http.StatusBadRequest, "%s", detail)
}

// members returns the names of the members of a struct in JSON.
func members(of any) []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.Indirect(reflect.ValueOf(of)).Type()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// describe returns what JSON has for a Go type, with an article.
func describe(t reflect.Type) string {
	if t == nil {
		return "of another type"
	}
	if t == reflect.TypeFor[time.Time]() {
		return "a time such as 2026-01-15T09:00:00Z"
	}
	if t == reflect.TypeFor[headerValues]() {
		return "a string, or an array of strings"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, 0 or more"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "of another type"
}

// duration parses a member of a body as a duration above 0.
func duration(name, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, refuse(http.StatusBadRequest, "%s must be a duration above 0, such as 90s, 15m or 24h", name)
	}
	return d, nil
}
