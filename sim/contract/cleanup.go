package contract

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Cleanup is a published operation that deletes what a create made: it is here for those who create something at a service
// and want to leave nothing behind.
type Cleanup struct {
	Of     *Operation // the create
	Method string
	Path   string   // with the id in braces, its only variable
	ID     []string // the member of the create's answer that has the id, from the outermost object on
	User   string   // the header of the create that has the hostUserId of the query; empty: there is none
}

// PathIn returns its path in a dialect.
func (c Cleanup) PathIn(d sim.Dialect) string {
	if d == sim.DialectPublic {
		return barePath(c.Path)
	}
	return c.Path
}

// Cleanups are all of them.
var Cleanups = []Cleanup{groupsCleanup, alertsCleanup}

// CleanupOf returns what deletes what an operation creates.
func CleanupOf(op *Operation) (Cleanup, bool) {
	for _, c := range Cleanups {
		if c.Of == op {
			return c, true
		}
	}
	return Cleanup{}, false
}

// deletes returns the cleanup of a create whose path, followed by an id, is that of what it creates.
func deletes(create *Operation, variable, user string, id ...string) Cleanup {
	return Cleanup{create, http.MethodDelete, create.Path + "/{" + variable + "}", id, user}
}
