package contract_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

func TestOperationsAreWhole(t *testing.T) {
	ids := map[string]bool{}
	for _, op := range contract.AllOperations() {
		t.Run(op.ID, func(t *testing.T) {
			assert.False(t, ids[op.ID], "the id is taken")
			ids[op.ID] = true
			assert.Regexp(t, `^[a-z]+\.[a-zA-Z]+$`, op.Name)
			assert.Equal(t, op.Dialect, contract.DialectOf(op.Path))
			assert.Equal(t, op.Dialect, op.Family.Dialect)
			nearest, begins := contract.NearestFamily(op.Path)
			assert.True(t, begins && nearest == op.Family, "its path is its family's")
			assert.NotEmpty(t, op.About)
			assert.NotEmpty(t, contract.AboutKind(op.Kind()))
			require.NotEmpty(t, op.Uses)
			require.NotEmpty(t, op.Answers)
			for _, e := range op.Uses {
				assert.True(t, e.Concerns(op.Name), e.ID)
			}
			for _, r := range op.Refusals() {
				assert.NotEqual(t, contract.InternalFault, r.Rule, "the family has a refusal for each rule")
				assert.True(t, r.Entry.Concerns(op.Name), "%s rests on %s", r.Rule, r.Entry.ID)
				assert.NotEmpty(t, r.Code)
			}
			for _, status := range op.Errors {
				rule, ok := op.Family.Injected[status]
				require.True(t, ok, "status %d can be injected", status)
				assert.Equal(t, status, op.Family.Refusal(rule).Status)
			}
			for _, status := range op.Documented {
				assert.Contains(t, op.Errors, status)
			}
			standard := contract.NewPolicies(sim.DefaultBehavior()).In(op.Dialect)
			assert.Equal(t, op.Answers[0].Status, op.Answer(standard).Status, "the default answer comes first")
			if op.Dialect == sim.DialectPublic {
				checkPublic(t, op, standard)
			}
		})
	}
}

// document returns the policy of the document's dialect in a bank with a behaviour.
func document(b sim.Behavior) *sim.Policy { return contract.NewPolicies(b).Document }

// checkPublic checks what holds for operations in the public dialect alone.
func checkPublic(t *testing.T, op *contract.Operation, p *sim.Policy) {
	assert.NotEqual(t, contract.OptionalBearer, op.Security)
	assert.True(t, slices.ContainsFunc(op.Parameters, func(p contract.Parameter) bool {
		return p.Name == op.Family.RequestID && p.Required && p.Type.Pattern != ""
	}), "a request is identified by a UUID")
	for _, e := range op.Uses {
		if e.Public != nil {
			assert.Equal(t, e.Public.Basis, e.BasisUnder(p), e.ID)
			assert.Equal(t, e.Answer(p.Dialect), e.AnswerUnder(p), e.ID)
		}
	}
}

func TestErrorBodies(t *testing.T) {
	p := document(sim.DefaultBehavior())
	for _, test := range []struct {
		op   *contract.Operation
		rule sim.Code
		want string
	}{
		{contract.EstatementsUpdateUser, sim.NoAccounts, `{"status":400,"code":"UXESTMT_11020","message":"a \"<b>\""}`},
		{contract.TokensRevoke, sim.ClientUnknown,
			`{"statusMessage":"a \"<b>\"","errorInfo":` +
				`{"errorType":"USER_ERROR","errorCode":"CMN_90004","errorMessage":"a \"<b>\""}}`},
		{contract.TokensRevoke, contract.InternalFault,
			`{"statusMessage":"a \"<b>\"","errorInfo":` +
				`{"errorType":"SYSTEM_ERROR","errorCode":"CMN_90000","errorMessage":"a \"<b>\""}}`},
		{contract.GroupsCreate, sim.GroupExists, `{"code":"2004","message":"a \"<b>\""}`},
	} {
		r := test.op.Family.Refusal(test.rule)
		got := test.op.Family.Error(test.op.Family.Status(r, p), r.Code, `a "<b>"`)
		assert.Equal(t, test.want, string(got))
		assert.Equal(t, r.Code, contract.ErrorCode(got))
	}
	assert.True(t, json.Valid(contract.GroupsCreate.Family.Error(400, "2000", "\x80")), "whatever the message holds")
}

// Each error of a family that can be injected has a message and is found by its code. Those that an operation answers
// with by a status alone rest on entries that concern it.
func TestInjections(t *testing.T) {
	for _, op := range contract.AllOperations() {
		own := op.Family.Injections()
		for _, i := range append(op.Injections(), own...) {
			assert.NotEmpty(t, i.Message, "%s %d %s", i.Rule, i.Status, i.Code)
			found, ok := op.Family.InjectionOf(i.Status, i.Code)
			assert.True(t, ok, i.Code)
			assert.Equal(t, i.Status, found.Status, i.Code)
			assert.Contains(t, own, i)
			assert.Contains(t, contract.Codes(), i.Code)
		}
		for _, status := range op.Errors {
			assert.False(t, contract.OwnCode(op.Family.Injection(status).Code), "%s has a code for %d", op.Name, status)
		}
		assert.Equal(t, contract.InjectedCode, op.Family.Injection(418).Code)
		for _, i := range op.Injections() {
			assert.True(t, i.Entry.Concerns(op.Name), "%s rests on %s", i.Rule, i.Entry.ID)
		}
		_, ok := op.Family.InjectionOf(400, "UNKNOWN")
		assert.False(t, ok)
	}
}

func TestEntryNamesScopesOfOperations(t *testing.T) {
	_, table, _ := strings.Cut(contract.EverywhereScopes.Answer(sim.DialectDocument), "operation: ")
	table, _, _ = strings.Cut(table, ". ")
	for _, op := range contract.Document().Operations {
		first := ""
		for part := range strings.SplitSeq(table, ", ") {
			scope, patterns, _ := strings.Cut(part, " for ")
			isFor := func(pattern string) bool { return contract.Matches(pattern, op.Name) }
			if first == "" && slices.ContainsFunc(strings.Split(patterns, " and "), isFor) {
				first = scope
			}
		}
		assert.Equal(t, first, op.Scope, op.Name)
		readsAccounts := slices.Contains(op.Scopes(), "accounts:read")
		assert.Equal(t, strings.HasPrefix(first, "disclosures:"), readsAccounts, op.Name)
	}
}
