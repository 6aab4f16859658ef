package bankapi

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/memory"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// request is a request to the interface, read to its end. Nothing of it changes but its leases.
type request struct {
	*http.Request // as it came: its URL is the whole one, and its body has been read into content
	address
	route
	started     time.Time
	soleSandbox string // the one sandbox that the listener serves, or ""
	query       url.Values
	wrapped     bool   // whether parameters of a list came as members of pageable
	unread      bool   // whether a part of the query can't be read
	media       string // of the body, see mediaType
	content     content
	leases      *leases
	unframed    bool // see isUnframed

	goesToOther bool // whether another service answers it, unless a stub does
}

// parse reads a request: where it goes, its query and its body.
func (h *Handler) parse(w http.ResponseWriter, r *http.Request, soleSandbox string) (req *request) {
	started := time.Now()
	to := h.address(r, soleSandbox)
	found := findRoute(r, to.below)
	if to.refusal != nil {
		found = route{family: found.family}
	}
	held := newLeases(h.Sandboxes.RequestsTo(to.sandboxName))
	defer func() {
		if req == nil { // panicking
			held.release()
		}
	}()
	query, err := url.ParseQuery(to.below.RawQuery)
	wrapped := false
	if found.asked != nil {
		wrapped = unwrapPageable(found.asked, query)
	}
	all := &request{
		Request: r, address: to, route: found, started: started, soleSandbox: soleSandbox,
		query: query, wrapped: wrapped, unread: err != nil,
		media:    mediaType(r.Header.Get("Content-Type")),
		content:  h.read(w, r, found.asked, to, &held.body),
		leases:   held,
		unframed: isUnframed(r, found.asked),
	}
	all.goesToOther = h.goesToOther(all)
	return all
}

// unparsed returns a request that could not be parsed, with its default sandbox and the nearest family.
func unparsed(r *http.Request, soleSandbox string) *request {
	family, _ := contract.NearestFamily(r.URL.Path)
	to := address{sandboxName: cmp.Or(soleSandbox, sandbox.Default), below: r.URL}
	return &request{
		Request: r, address: to, route: route{family: family}, started: time.Now(), soleSandbox: soleSandbox,
		leases: newLeases(nil),
	}
}

// withoutLargeBody returns the request without its body, if that is large.
func (r *request) withoutLargeBody() *request {
	if len(r.content.data) <= smallBody {
		return r
	}
	light := *r
	light.content = content{size: r.content.size}
	return &light
}

// path returns the path below the base URL, escaped.
func (r *request) path() string { return r.below.EscapedPath() }

// header returns the first value of a header, or "" if it is missing.
func (r *request) header(name string) string {
	canonical, known := canonicalNames[name]
	if !known {
		canonical = http.CanonicalHeaderKey(name)
	}
	if values := r.Header[canonical]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// canonicalNames are the names of the interface's headers as net/http spells them. Spelling a name again for each
// request would allocate memory.
var canonicalNames = func() map[string]string {
	names := map[string]string{}
	for _, name := range contract.RequestHeaders() {
		names[name] = http.CanonicalHeaderKey(name)
	}
	return names
}()

// pathVar returns a variable of the path.
func (r *request) pathVar(name string) string {
	value, _ := url.PathUnescape(r.vars[name]) // net/http has parsed it
	return value
}

// authorization returns the Authorization header. Several such headers are not well-formed.
func (r *request) authorization() string { return strings.Join(r.Header["Authorization"], ", ") }

const bearerScheme = "Bearer"

// bearerToken returns the text of the request's bearer token, or "" without a token.
func (r *request) bearerToken() string {
	scheme, token, _ := strings.Cut(r.authorization(), " ")
	if !strings.EqualFold(scheme, bearerScheme) {
		return ""
	}
	return token
}

// isUnframed reports whether a request should have a body, but doesn't say where its body ends. HTTP/1 takes it for a
// request without a body (RFC 9112 6.3). If the client has sent a body all the same, HTTP/1 takes that for the next
// request of the connection. In HTTP/2, a stream has its own end (RFC 9113 8.1).
func isUnframed(r *http.Request, op *contract.Operation) bool {
	if r.ProtoMajor > 1 || r.ContentLength != 0 || len(r.Header["Content-Length"]) > 0 {
		return false
	}
	if op != nil {
		return op.Request != nil
	}
	// A body that is sent to another path by mistake does the same harm.
	return slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, r.Method)
}

// maxBody is how many bytes of a request to no operation are held (choice).
const maxBody = 1 << 20

// content is a request's body. It is read first, because the bank must not wait for a client while it changes. An error
// while reading matters only if the operation wants the body.
type content struct {
	data []byte
	size int // of the whole body, of which data may be only the beginning
	err  error
	rest io.Reader // after data, of a large body that may be forwarded; or nil
}

// byteOrderMark may precede JSON, and is ignored then (RFC 8259 8.1).
var byteOrderMark = []byte("\uFEFF")

// withoutMark returns the body without a byte order mark before it.
func (c content) withoutMark() []byte { return bytes.TrimPrefix(c.data, byteOrderMark) }

// read reads the body of a request if its operation has a body or a stub may answer. It takes the room for the body
// first. Of a body that says it is too large, it reads the beginning if it may be forwarded.
func (h *Handler) read(
	w http.ResponseWriter, r *http.Request, op *contract.Operation, to address, lease *memory.Lease,
) content {
	length, body := r.ContentLength, r.Body
	limit := h.bodyLimit(op, to)
	switch {
	case op != nil && op.Request == nil, op == nil && !h.mayBeStubbed(r, to):
		return content{}
	case length > limit && op != nil:
		return content{size: int(length), err: tooLarge(limit)}
	case op == nil && (length > maxBody || length < 0):
		return readBeginning(w, r, lease)
	}
	weight := int64(1)
	if op != nil && op.Multipart != nil {
		weight = multipartWeight
	}
	switch {
	case length < 0: // unknown before the end
		body = lease.Body(body, weight)
	case length > smallBody && lease.Take(weight*length) != nil:
		return content{size: int(length), err: noRoomForBody()}
	}
	buffer := bytes.NewBuffer(make([]byte, 0, max(length, 0)+bytes.MinRead))
	_, err := buffer.ReadFrom(http.MaxBytesReader(w, body, limit))
	switch {
	case err == nil:
	case errors.Is(err, memory.ErrNoRoom):
		err = noRoomForBody()
	case errors.As(err, new(*http.MaxBytesError)):
		err = tooLarge(limit)
	default:
		err = sim.Refuse(contract.BodyMalformed, "the body could not be read to its end")
	}
	return content{data: buffer.Bytes(), size: buffer.Len(), err: err}
}

// readBeginning reads a body that may be too large for the bank. Only its beginning is held. The rest can be forwarded.
func readBeginning(w http.ResponseWriter, r *http.Request, lease *memory.Lease) content {
	body := patientReader{http.NewResponseController(w), r.Body, time.Now().Add(uploadTime)}
	beginning, err := io.ReadAll(io.LimitReader(lease.Body(io.NopCloser(body), 1), maxBody+1))
	c := content{data: beginning, size: len(beginning)}
	switch {
	case errors.Is(err, memory.ErrNoRoom):
		c.err = noRoomForBody()
	case err != nil:
		c.err = sim.Refuse(contract.BodyMalformed, "the body could not be read to its end")
	case len(beginning) > maxBody:
		c.err = tooLarge(maxBody)
		_ = body.controller.EnableFullDuplex() // the answer may begin before the rest was read
		// The writer isn't given: another goroutine reads, and this one writes to it.
		c.rest = http.MaxBytesReader(nil, io.NopCloser(body), maxForwarded-maxBody)
		c.size = max(c.size, int(r.ContentLength))
	}
	return c
}

// patientReader gives a client time for each piece of a body, and for the whole.
type patientReader struct {
	controller *http.ResponseController
	io.Reader
	until time.Time
}

// Read implements io.Reader.
func (p patientReader) Read(data []byte) (int, error) {
	deadline := time.Now().Add(pieceTimeout)
	if deadline.After(p.until) {
		deadline = p.until
	}
	_ = p.controller.SetReadDeadline(deadline) // a writer without deadlines needs none
	return p.Reader.Read(data)
}

func tooLarge(limit int64) error {
	return sim.Refuse(contract.BodyTooLarge, "the body is larger than %d bytes", limit)
}

// bodyLimit returns how many bytes a body may have. The behaviour of the bank that the request names decides.
func (h *Handler) bodyLimit(op *contract.Operation, to address) int64 {
	limits := standardPolicy.Limits
	if sb, ok := h.Sandboxes.Known(to.sandboxName); ok {
		limits = sb.Known().World.Behavior().Limits
	}
	switch {
	case op == nil:
		return maxBody
	case op.Multipart != nil:
		return int64(limits.UploadKiB) << 10
	}
	return int64(limits.BodyKiB) << 10
}

// mayBeStubbed reports whether a stub or another service may answer a request to no operation. In a shared bank a stub
// always may: another process may have added one.
func (h *Handler) mayBeStubbed(r *http.Request, to address) bool {
	sb, err := h.Sandboxes.Find(r.Context(), to.sandboxName)
	return to.refusal == nil && err == nil &&
		(h.unknown != nil || h.Sandboxes.IsShared() || sb.Known().Faults.Stubs(r.Method, to.below.EscapedPath()))
}
