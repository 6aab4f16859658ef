package journal

import (
	"slices"
	"unsafe"
)

// worldBytes is about how much memory a world takes beside its rows: the nodes of the trees that a change copies.
const worldBytes = 3 << 10

// bytes returns about how much memory an exchange takes, its place in a journal included. Names of the contract, and of
// the sandbox, are shared.
func (x *Exchange) bytes() int {
	size := int(unsafe.Sizeof(*x)) + 2*int(unsafe.Sizeof(slot{})) + idBytes + len(x.User)
	for _, text := range []string{
		x.Request.Method, x.Request.URL, string(x.Request.Headers), x.Request.Body, // the path is a part of the URL
		string(x.Response.Headers), x.Response.Body, x.Decision.Row, x.Decision.Message,
	} {
		size += len(text)
	}
	size += len(x.Decision.Entries) * int(unsafe.Sizeof(""))
	for _, l := range x.Lints {
		size += int(unsafe.Sizeof(l)) + len(l.Code) + len(l.Message)
	}
	if x.Fault != nil {
		size += int(unsafe.Sizeof(*x.Fault))
		for _, name := range slices.Concat(x.Fault.Fired, x.Fault.WithoutEffect) {
			size += int(unsafe.Sizeof(name)) + len(name)
		}
	}
	return size
}

// idBytes is about what the id of an exchange takes, and its place among the ids of requests.
const idBytes = 64
