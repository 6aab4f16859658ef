package controlapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody is how large a request body may be, in bytes.
const maxBody = 1 << 20

// The media types that a body may come as. One that says nothing, or what curl says of any body, is taken for the
// first of them.
var (
	jsonMedia  = []string{"application/json"}
	mergeMedia = []string{"application/merge-patch+json", "application/json"} // RFC 7396
	yamlMedia  = []string{"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "text/plain"}
)

// curlMedia is what curl says of a body where it isn't told.
const curlMedia = "application/x-www-form-urlencoded"

// readBody reads a request's body to its end. It refuses other media types than those given (415), a body that is
// too large (413) and one that breaks off (400).
func readBody(r *http.Request, media []string) ([]byte, error) {
	if said := r.Header.Get("Content-Type"); said != "" {
		media = append([]string{curlMedia}, media...)
		if is, _, err := mime.ParseMediaType(said); err != nil || !slices.Contains(media, is) {
			return nil, refuse(http.StatusUnsupportedMediaType, "the Content-Type of the body must be %s", strings.Join(media[1:], " or "))
		}
	}
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

// decode reads a request's body, a JSON object, into a struct. It refuses (400) members that the struct has no
// place for. An empty body is an empty object.
func decode(r *http.Request, into any) error {
	data, err := readBody(r, jsonMedia)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	return unmarshal(data, into)
}

// unmarshal reads a JSON object into a struct. Its error names members, and never a value: that may be a secret.
func unmarshal(data []byte, into any) error {
	if jsontext.Value(data).Kind() != '{' {
		return refuse(http.StatusBadRequest, "the body must be a JSON object")
	}
	err := json.Unmarshal(data, into, json.RejectUnknownMembers(true))
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return refuse(http.StatusBadRequest, "member %s is given twice", member(syntax.JSONPointer))
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &semantic):
		return refuse(http.StatusBadRequest, "unknown member %s: the members are %s",
			member(semantic.JSONPointer), strings.Join(members(into), ", "))
	case errors.As(err, &semantic) && semantic.JSONPointer != "":
		return refuse(http.StatusBadRequest, "member %s must be %s", member(semantic.JSONPointer), wanted(semantic.GoType))
	case errors.As(err, &syntax):
		return refuse(http.StatusBadRequest, "the body is not valid JSON: see its byte %d", syntax.ByteOffset)
	}
	return refuse(http.StatusBadRequest, "the body is not what is wanted here: its members are %s", strings.Join(members(into), ", "))
}

// member shows which member of the body a pointer means.
func member(p jsontext.Pointer) string {
	return shown(strings.ReplaceAll(strings.TrimPrefix(string(p), "/"), "/", "."))
}

// members returns the names of a struct's members.
func members(of any) []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.Indirect(reflect.ValueOf(of)).Type()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// wanted says what a Go type stands for in JSON.
func wanted(t reflect.Type) string {
	if t == nil {
		return "of another type"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[time.Time]() {
		return "a time such as 2026-01-15T09:00:00Z"
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

// duration parses the value of a member or a parameter as a duration longer than none.
func duration(name, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, refuse(http.StatusBadRequest, "%s must be a duration above 0, such as 90s, 15m or 24h", name)
	}
	return d, nil
}
