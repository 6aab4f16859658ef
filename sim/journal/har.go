package journal

import (
	"cmp"
	"iter"
	"maps"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// WriteHAR writes exchanges as an HTTP archive (HAR 1.2) whose creator is banksim in the given version, one at a time.
// The format allows other members that begin with "_": they hold the rest of an exchange.
func WriteHAR(w *strictjson.Writer, exchanges iter.Seq[Exchange], version string) {
	w.Object(func() {
		w.Name("log")
		w.Object(func() {
			w.Member("version", "1.2")
			w.Member("creator", object{"name": Creator, "version": version})
			strictjson.WriteList(w, "entries", exchanges, func(x Exchange) { w.Value(harEntry(x)) })
		})
	})
}

type object = map[string]any

func harEntry(x Exchange) object {
	took := float64(x.TookMicros) / 1000 // milliseconds
	version := cmp.Or(x.Request.HTTPVersion, "HTTP/1.1")
	request := object{
		"method":      x.Request.Method,
		"url":         x.Request.URL,
		"httpVersion": version,
		"cookies":     []any{}, // they are among the headers, as fingerprints
		"headers":     harPairs(x.Request.Headers.Values()),
		"queryString": harPairs(x.Request.Query.Values()),
		"headersSize": -1, // not known
		"bodySize":    x.Request.BodyBytes,
	}
	if x.Request.BodyBytes > 0 {
		request["postData"] = harContent(x.Request.Headers, x.Request.Body, x.Request.BodyTruncated)
	}
	content := harContent(x.Response.Headers, x.Response.Body, x.Response.BodyTruncated)
	content["size"] = x.Response.BodyBytes
	return object{
		"startedDateTime": x.RealAt,
		"time":            took,
		"timings":         object{"send": 0, "wait": took, "receive": 0}, // the journal sees only the wait
		"cache":           object{},
		"request":         request,
		"response": object{
			"status":      x.Response.Status,
			"statusText":  http.StatusText(x.Response.Status),
			"httpVersion": version,
			"cookies":     []any{},
			"headers":     harPairs(x.Response.Headers.Values()),
			"content":     content,
			"redirectURL": x.Response.Headers.Get("Location"),
			"headersSize": -1,
			"bodySize":    x.Response.BodyBytes,
		},
		"_id":          x.ID,
		"_sandbox":     x.Sandbox,
		"_operation":   x.Operation,
		"_virtualTime": x.At,
		"_decision":    x.Decision,
		"_changed":     x.Changed,
		"_lints":       x.Lints,
		"_fault":       x.Fault,
	}
}

// Creator is the name of the program that writes archives.
const Creator = "banksim"

// CutComment is the comment of a body in an archive that has only its beginning.
const CutComment = "only the beginning was kept"

func harContent(headers Header, text string, cut bool) object {
	content := object{"mimeType": headers.Get("Content-Type")}
	if text != "" {
		content["text"] = text
	}
	if cut {
		content["comment"] = CutComment
	}
	return content
}

func harPairs(values map[string][]string) []object {
	pairs := make([]object, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			pairs = append(pairs, object{"name": name, "value": value})
		}
	}
	return pairs
}
