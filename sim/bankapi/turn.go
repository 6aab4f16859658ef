package bankapi

import (
	"errors"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// isShared reports whether other processes use the sandbox of the request, too.
func (x *exchange) isShared() bool { return x.sandbox != nil && x.sandbox.IsShared() }

// take has the sandbox used by nobody else from here on, and finds the route once more, in the bank as others have left it. The body has
// been read before: nobody waits for a client that is slow.
func (x *exchange) take() (found bool) {
	var taken *sandbox.Sandbox
	err := x.handler.Sandboxes.Use(x.sandbox.Name(), func(sb *sandbox.Sandbox) error {
		taken = sb
		return sb.Take()
	})
	if err != nil {
		return x.denyUse(err)
	}
	again := x.handler.newExchange(x.w, x.r, x.only)
	again.started, again.content, again.bodyRoom, again.taken = x.started, x.content, x.bodyRoom, taken
	*x = *again
	return x.findRoute()
}

// release lets others use the sandbox again, once what the request has changed is committed.
func (x *exchange) release() error {
	taken := x.taken
	x.taken = nil
	if taken == nil {
		return nil
	}
	return taken.Release()
}

// whileReleased calls a function while others may use the sandbox.
func (x *exchange) whileReleased(fn func()) error {
	taken := x.taken
	if taken == nil {
		fn()
		return nil
	}
	if x.counted() {
		if err := taken.CommitCounts(); err != nil {
			return err
		}
	}
	if err := x.release(); err != nil {
		return err
	}
	fn()
	if err := taken.Take(); err != nil {
		return err
	}
	x.taken = taken
	return nil
}

// find returns a sandbox by its name: the one that the request has taken, or another.
func (x *exchange) find(name string) (*sandbox.Sandbox, error) {
	if x.taken != nil && x.taken.Name() == name {
		return x.taken, nil
	}
	return x.handler.Sandboxes.Find(name)
}

// denyUse refuses a request whose sandbox can't be used. It is in no journal.
func (x *exchange) denyUse(err error) bool {
	x.at, x.sandbox = sandbox.Moment{}, nil
	if errors.Is(err, sandbox.ErrNoSandbox) || errors.Is(err, sandbox.ErrDeleted) {
		return x.deny(x.unknownSandbox())
	}
	x.refuseUnstored(err)
	return false
}

// refuseUnstored refuses a request because of the store. It has changed nothing, unless the store doesn't say.
func (x *exchange) refuseUnstored(err error) {
	x.handler.Log.Error("not stored", "sandbox", x.sandboxName, "error", err)
	x.committed, x.changed, x.injected = false, false, nil
	if errors.Is(err, sandbox.ErrUnsure) {
		x.reply = x.refuse(sim.Refuse(contract.NotStored, "the store didn't say whether it has taken the change: it may have been made, "+
			"so look before you send the request again"))
		x.reply.headers = nil // no Retry-After
		return
	}
	x.reply = x.refuse(sim.Refuse(contract.NotStored,
		"the bank can't be stored at present: nothing was changed, so send the request again later"))
}
