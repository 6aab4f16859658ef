package bankapi

import (
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// newAuthenticationResult returns the object of section 2.5 for a revoked grant, in JSON: what the shape has room for, the
// value that the interface's document shows of each enumeration, and nothing else.
func newAuthenticationResult(w *sim.World, revoked *sim.Grant) []byte {
	user, ok := w.User(revoked.InstitutionID, revoked.HostUserID)
	if !ok {
		user = &sim.User{}
	}
	return appendBlank(nil, contract.AuthenticationResult, map[string]string{
		"userId":                revoked.HostUserID,
		"institutionCustomerId": revoked.HostUserID,
		"userName":              user.Username,
		"institutionId":         revoked.InstitutionID,
		"clientId":              revoked.SharedKey,
	})
}

// appendBlank appends an object with all its members: texts that are given by name, and what is blank for the others.
func appendBlank(b []byte, o *contract.Object, given map[string]string) []byte {
	b = append(b, '{')
	for i, m := range o.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, m.Name), ':')
		switch t := m.Type; {
		case t.JSON == "array":
			b = append(b, "[]"...)
		case t.Object != nil:
			b = appendBlank(b, t.Object, nil)
		case t.JSON == "boolean":
			b = strconv.AppendBool(b, false)
		case t.JSON == "integer":
			b = append(b, '0')
		case len(t.Enum) > 0:
			b = wire.AppendString(b, t.Enum[0])
		default:
			b = wire.AppendString(b, given[m.Name])
		}
	}
	return append(b, '}')
}
