package match

import (
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// headerName is what a header can be called (RFC 9110 5.6.2).
var headerName = lazy.Regexp("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// IsHeaderName reports whether a header can have a name.
func IsHeaderName(name string) bool { return headerName().MatchString(name) }

// removed are the headers that net/http takes out of a request.
var removed = []string{"host", "trailer", "transfer-encoding"}

func (r Requests) checkHeaders() (all []Mistake) {
	known := append(contract.RequestHeaders(), contract.FaultHeader, contract.SandboxHeader)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		lower, quoted, problem := strings.ToLower(name), wording.Quote(name), ""
		near, isSlip := wording.Slip(name, known)
		switch {
		case isSlip && strings.EqualFold(near, name):
		case isSlip && !strings.HasPrefix(lower, "x-"):
			problem = "unknown header " + quoted + ": did you mean " + wording.Quote(near) + "?"
		case !IsHeaderName(name):
			problem = quoted + " can't be the name of a header: use letters, digits and dashes"
		case slices.Contains(removed, lower):
			problem = "header " + quoted + " can't be compared: it belongs to the connection"
		}
		if problem != "" {
			all = append(all, Mistake{Field: []string{"header", name}, Text: problem})
		}
	}
	return all
}
