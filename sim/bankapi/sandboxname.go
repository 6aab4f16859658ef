package bankapi

import (
	"fmt"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// naming is a sandbox that a request names, and by what.
type naming struct{ sandbox, by string }

// findNames finds the sandbox that the host and the header of a request name, besides its path. It returns the refusal of one
// that names two, and false.
func (x *exchange) findNames(host string) (refusal reply, ok bool) {
	r := &x.request
	var room [4]naming // on the stack: hardly a request names more
	all := room[:0]
	if r.named {
		all = append(all, naming{r.sandbox, "its path"})
	}
	if name, ok := sandboxOfHost(x.SandboxHosts, host); ok {
		all = append(all, naming{name, "its host"})
	}
	for _, name := range x.r.Header[contract.SandboxHeader] {
		all = append(all, naming{name, "the header " + contract.SandboxHeader})
	}
	if len(all) == 0 {
		return reply{}, true
	}
	r.sandbox, r.named = all[0].sandbox, true
	if other := slices.IndexFunc(all, func(n naming) bool { return n.sandbox != r.sandbox }); other >= 0 {
		return x.contradiction(all, all[other]), false
	}
	return reply{}, true
}

// lintIgnoredName notes that the request names a sandbox by a header that doesn't count.
func (x *exchange) lintIgnoredName() {
	if x.only != "" && len(x.r.Header[contract.SandboxHeader]) > 0 {
		x.call.lint("sandbox-header-ignored", "header "+contract.SandboxHeader+" is ignored: this listener serves one sandbox alone")
	}
}

// contradiction replies to a request that names a sandbox in several ways, and another one by one of them. It is in the journal
// of the first that is there.
func (x *exchange) contradiction(all []naming, other naming) reply {
	c, first := &x.call, all[0]
	for _, n := range all {
		if sb, ok := x.Sandboxes.Get(n.sandbox); ok {
			x.sandbox, x.request.sandbox, c.Moment = sb, n.sandbox, sb.Now()
			break
		}
	}
	return refuse(c.family, c.behavior(), sim.Refuse(contract.SandboxContradiction, "the request names two sandboxes, %s by %s and %s by %s: name one",
		phrase.Quote(first.sandbox), first.by, phrase.Quote(other.sandbox), other.by))
}

// unknownSandbox replies to a request to a sandbox that isn't there.
func (x *exchange) unknownSandbox() reply {
	name := x.request.sandbox
	remedy := fmt.Sprintf("create it with POST /v1/sandboxes {\"name\": %q} on the control API", name)
	if !sandbox.IsName(name) {
		remedy = sandbox.ErrBadName.Error()
	}
	return refuse(x.call.family, x.call.behavior(), sim.Refuse(contract.SandboxUnknown, "there is no sandbox %q: %s", name, remedy))
}

// missingSandbox replies to a request that names no sandbox, where the default one doesn't take it. It is in the journal of
// that one nevertheless: there is no better place to look for it.
func (x *exchange) missingSandbox() reply {
	c := &x.call
	x.sandbox = x.Sandboxes.Default()
	c.Moment = x.sandbox.Now()
	forms := c.baseURL + sandboxesPrefix + "NAME"
	for _, pattern := range x.SandboxHosts {
		forms += " or " + SandboxHostURL(pattern, "NAME", c.baseURL)
	}
	return refuse(c.family, c.behavior(), sim.Refuse(contract.SandboxMissing,
		"the URL names no sandbox, and the simulator was started with --no-default-sandbox: a base URL is %s; has the client dropped its path?", forms))
}
