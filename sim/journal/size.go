package journal

import "unsafe"

// worldBytes is about how much memory a world takes beside its rows: the nodes of the trees that a change copies.
const worldBytes = 3 << 10

// bytes returns about how much memory a record takes without its worlds, its place in a journal included. Names of the
// contract, and of the sandbox, are shared.
func (r *Record) bytes() int {
	size := int(unsafe.Sizeof(*r)) + 2*int(unsafe.Sizeof(held{})) + idBytes + len(r.User)
	for _, text := range []string{
		r.Request.Method, r.Request.URL, string(r.Request.Headers), r.Request.Body, // the path is a part of the URL
		string(r.Response.Headers), r.Response.Body, r.Decision.Row, r.Decision.Message,
	} {
		size += len(text)
	}
	size += len(r.Decision.Entries) * int(unsafe.Sizeof(""))
	for _, l := range r.Lints {
		size += int(unsafe.Sizeof(l)) + len(l.Code) + len(l.Message)
	}
	if r.Fault != nil {
		size += int(unsafe.Sizeof(*r.Fault))
		for _, name := range r.Fault.Fired {
			size += int(unsafe.Sizeof(name)) + len(name)
		}
	}
	for _, kept := range r.Step.Faults {
		if kept != nil {
			size += kept.Bytes()
		}
	}
	return size
}

// idBytes is about what the id of an exchange takes, and its place among the ids of requests.
const idBytes = 64
