package bankapi_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The gateway of the public interface refuses a header of more than 8 KiB, and characters outside printable ASCII
// wherever they are, before it looks at the credentials. The document's paths take them.
func TestGateway(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	long := strings.Repeat("x", 8<<10+1)
	codes := map[string]string{"estatements": "UXESTMT_11018", "alerts": "PRMSYS_10016", "disclosures": "DSC_12001",
		"users": "ISR_11004"}
	for _, op := range contract.Public().Operations {
		call := exampleCall(op).Without("Authorization")
		characters := cmp.Or(codes[op.Kind()], "CMN_90017")
		for says, refused := range map[string]simtest.Call{
			"CMN_90010 header X-Trace is longer than 8192 bytes": call.With("X-Trace", long),
			characters + " the query has a character":            call.WithQuery("x=%C3%A9"),
			characters + " header X-Who has a character":         call.With("X-Who", "é"),
		} {
			res := refused.Send(b)
			code, message, _ := strings.Cut(says, " ")
			assert.Equal(t, []any{http.StatusBadRequest, code}, []any{res.StatusCode, res.Code()}, op.Name)
			assert.Contains(t, res.Body, message, op.Name)
		}
	}
	list := publicly(contract.GroupsList, "")
	list.With("X-Trace", long[1:]).Expect(b, 200)
	listGroups.With("X-Trace", long).Expect(b, 200)
	assert.Contains(t, list.WithMethod(http.MethodDelete).At("/v3/groups/gr%C3%BCn").Send(b).Body,
		"the path has a character")
	for body, status := range map[string]int{
		"{\"groupName\":\"\x7f\"}":                     400,
		`{"groupName":"Caf\u00e9"}`:                    200,
		"\uFEFF{\r\n\t\"groupName\":\"After a mark\"}": 200,
	} {
		publicly(contract.GroupsCreate, body).Expect(b, status, body)
	}
}
