package bankapi

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// nearOperation returns the operation that a request means which is none's: it has the method, is spoken in the dialect of the path,
// and one segment of its path is written otherwise, by a slip or within the family. Nil: there is none.
func nearOperation(method, path string) *contract.Operation {
	given, dialect := strings.Split(path, "/"), contract.DialectOf(path)
	family, begins := contract.NearestFamily(path)
	for _, op := range contract.AllOperations() {
		known := strings.Split(op.Path, "/")
		if op.Method != method || op.Dialect != dialect || len(known) != len(given) {
			continue
		}
		var differs []int
		for i, segment := range known {
			if segment != given[i] && !strings.HasPrefix(segment, "{") {
				differs = append(differs, i)
			}
		}
		if len(differs) != 1 {
			continue
		}
		if _, slip := phrase.Slip(given[differs[0]], known[differs[0]:differs[0]+1]); slip || begins && op.Family == family {
			return op
		}
	}
	return nil
}
