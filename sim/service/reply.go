package service

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// reply is the answer to a request, whole before any of it is sent.
type reply struct {
	status  int
	headers [][2]string
	body    []byte // JSON; nil: none

	decision journal.Decision // what led to the reply
}

// jsonReply returns a reply with a value as its body.
func jsonReply(status int, body any) reply {
	data, err := json.Marshal(body)
	if err != nil {
		panic("service: a reply doesn't marshal: " + err.Error())
	}
	return reply{status: status, body: data}
}

// emptyReply returns a reply without a body.
func emptyReply(status int) reply { return reply{status: status} }

// header adds a header, in the spelling given.
func (rep *reply) header(name, value string) {
	rep.headers = append(rep.headers, [2]string{name, value})
}

// notStored adds the headers that keep tokens out of caches (RFC 6749 5.1).
func (rep *reply) notStored() {
	rep.header("Cache-Control", "no-store")
	rep.header("Pragma", "no-cache")
}

// frame adds the headers that tell of the body.
func (rep *reply) frame() {
	if rep.body != nil {
		rep.header("Content-Type", mediaJSON)
	}
	if rep.status != http.StatusNoContent { // RFC 9110 8.6
		rep.header("Content-Length", strconv.Itoa(len(rep.body)))
	}
}

func (rep *reply) write(w http.ResponseWriter) {
	header := w.Header()
	values := make([]string, len(rep.headers)) // one for all
	for i, h := range rep.headers {
		values[i] = h[1]
		header[h[0]] = values[i : i+1 : i+1]
	}
	w.WriteHeader(rep.status)
	// A failed write means that the caller is gone: there is nobody to tell.
	_, _ = w.Write(rep.body)
}
