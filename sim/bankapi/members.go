package bankapi

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// members says which members the body of a request has, whatever their values.
type members struct {
	present map[string]bool // by path, such as alertPreferenceDetails.alertTypeName, without those that are null
	unknown []string        // at the top, sorted
	// hasUnknown says whether a member anywhere is unknown, and hasNull whether one is null.
	hasUnknown, hasNull bool
}

// membersOf returns the members of a request's body, as far as the body can be read.
func membersOf(req *request, op *contract.Operation) members {
	if op.Request == nil || op.Multipart != nil || len(req.content.data) == 0 {
		return members{}
	}
	found := members{present: map[string]bool{}}
	switch {
	case req.mediaType() == mediaForm:
		form, _ := url.ParseQuery(string(req.content.data))
		for _, name := range slices.Sorted(maps.Keys(form)) {
			switch {
			case op.Request.Has(name):
				found.present[name] = true
			case name != tokenTypeHint:
				found.unknown = append(found.unknown, name)
			}
		}
		found.hasUnknown = len(found.unknown) > 0
	default:
		wire.EachMember(req.content.withoutMark(), func(path string, isNull bool) (enter bool) {
			member, known := find(op.Request, path)
			found.hasNull = found.hasNull || isNull
			if known {
				found.present[path] = !isNull
				return member.Type.Object != nil && !member.Type.Object.Free
			}
			found.hasUnknown = true
			if !strings.Contains(path, ".") {
				found.unknown = append(found.unknown, path)
			}
			return false
		})
		slices.Sort(found.unknown)
	}
	return found
}

// find returns a member of an object of the contract by its path.
func find(object *contract.Object, path string) (contract.Member, bool) {
	name, rest, nested := strings.Cut(path, ".")
	member, known := object.Member(name)
	if !known || !nested {
		return member, known
	}
	return find(member.Type.Object, rest)
}
