package conformance_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// never are the operations of which a check asks nothing that it could compare, with the reason.
var never = map[*contract.Operation]string{
	contract.TokensCreateCode:         "no request takes a code back",
	contract.DisclosuresCreateUser:    "no request puts back when a user answered",
	contract.DisclosuresUpdateUser:    "no request puts back when a user answered",
	contract.DisclosuresDeleteUser:    "no request puts back when a user answered",
	contract.GroupsUploadParticipants: "a group with a running job can't be deleted",
}

// generated returns differences of each kind for each operation in a dialect: what every answer of the contract could
// have otherwise.
func generated(d sim.Dialect) (all []planted) {
	for _, op := range contract.In(d).Operations {
		if never[contract.Document().Operation(op.Name)] != "" {
			continue
		}
		add := func(kind, what string, answer func(*call)) {
			all = append(all, planted{name: kind + ": " + op.Name + " " + what, operation: op.Name, dialect: d, answer: answer})
		}
		standard := op.Answer(contract.NewPolicies(sim.DefaultBehavior()).In(d))
		add("status", "another success", func(c *call) {
			if c.status == standard.Status {
				c.status = map[int]int{200: 202, 201: 202, 204: 202}[c.status]
			}
		})
		add("header", "no request id", noHeader(op.Family.RequestID))
		if standard.Body != nil {
			add("header", "another media type", header("Content-Type", "text/html"))
			add("header", "another charset", header("Content-Type", "application/json; charset=iso-8859-1"))
			add("body", "none", onSuccess(func(c *call) { c.body = nil }))
			add("body", "with a bracket after it", onSuccess(func(c *call) { c.body = append(slices.Clip(c.body), '}') }))
			members(standard.Body, func(m contract.Member) {
				add("renamed", m.Name, onSuccess(rename(m.Name, m.Name+"2")))
				add("type", m.Name, onSuccess(changed(m.Name, otherType)))
			})
		}
		if op.Changes {
			add("state", "is lost", func(c *call) { c.isLost = true })
		}
		add("error", "no code", onError(rename(codeMember(op), "error")))
		add("error", "another code", onError(set(codeMember(op), "XX_1")))
		add("error", "another status", onError(func(c *call) { c.status = 418 }))
		add("refusal", "accepted", onError(func(c *call) {
			isInvalid := c.status == http.StatusBadRequest && contract.ErrorCode(c.body) != ""
			if c.status == http.StatusUnauthorized || isInvalid {
				c.status, c.body = standard.Status, nil
			}
		}))
	}
	return all
}

func codeMember(op *contract.Operation) string {
	if op.Family.ErrorBody.Has("code") {
		return "code"
	}
	return "errorCode"
}

func onSuccess(change func(*call)) func(*call) {
	return func(c *call) {
		if c.status < 300 {
			change(c)
		}
	}
}

func onError(change func(*call)) func(*call) {
	return func(c *call) {
		if c.status >= 400 {
			change(c)
		}
	}
}

// members calls fn for each required member that answers always have, once for each name.
func members(o *contract.Object, fn func(contract.Member)) {
	names := map[string]bool{}
	var walk func(*contract.Object)
	walk = func(o *contract.Object) {
		for _, m := range o.Members {
			if m.Required && !names[m.Name] {
				names[m.Name] = true
				fn(m)
			}
			if m.Required && m.Type.Object != nil {
				walk(m.Type.Object)
			}
		}
	}
	walk(o)
}

func otherType(value any) any {
	switch value.(type) {
	case string:
		return true
	case json.Number:
		return "many"
	case bool:
		return "perhaps"
	case []any:
		return map[string]any{}
	}
	return "else"
}

// unseen are generated differences that a check can't find, with the reason.
var unseen = map[string]string{}

// A check finds what is generated, but for what it can't.
func TestACheckFindsWhatIsGenerated(t *testing.T) {
	url, current := startPlanted(t)
	found, missed := map[string]int{}, map[string][]string{}
	for _, d := range []sim.Dialect{sim.DialectDocument, public} {
		all := generated(d)
		step := simtest.Times(40, 1)
		for i := 0; i < len(all); i += step {
			p := all[i]
			kind, _, _ := strings.Cut(p.name, ":")
			current.Store(&p)
			report := checkPlanted(t, url, p)
			name := string(d) + " " + p.name
			if len(report.Differences())+len(report.LeftBehind()) == 0 && report.Stopped == "" {
				missed[kind] = append(missed[kind], name)
				assert.NotEmpty(t, unseen[name], "not found: %s", name)
			}
			found[kind]++
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%s: %d of %d found", kind, found[kind]-len(missed[kind]), found[kind])
	}
}
