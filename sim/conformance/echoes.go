package conformance

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

// echoes are the values that an answer may repeat.
type echoes struct {
	sent              map[string][]string // by the names of members and parameters
	drawn             []string            // the names that the replay drew
	simulated, served fixtures.IDs        // the ids that the simulator and the service have given
}

func newEchoes(e fixtures.Exchange, s *substitution, simulated, served fixtures.IDs) echoes {
	x := echoes{map[string][]string{}, s.drawn(), simulated, served}
	for _, r := range requests(e) {
		sent := s.request(r)
		_, query, _ := strings.Cut(sent.Path, "?")
		for _, text := range []string{query, sent.Body} {
			values, _ := url.ParseQuery(text) // no form: nothing is repeated
			for name, all := range values {
				x.sent[name] = append(x.sent[name], all...)
			}
		}
		var body any
		if decode(sent.JSON, &body) == nil {
			x.add("", body)
		}
	}
	x.sent["paperWaiver"] = x.sent["activateEstatement"]
	return x
}

// add adds the values in a JSON value.
func (x echoes) add(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			x.add(name, member)
		}
	case []any:
		for _, element := range value {
			x.add(name, element)
		}
	default:
		x.sent[name] = append(x.sent[name], fmt.Sprint(value))
	}
}

// of returns what the service has to repeat where the simulator gives a member a value, and whether it has to.
func (x echoes) of(name, want string) (value string, repeats bool) {
	if id, given := x.simulated[name]; given && id == want {
		return x.served[name], true
	}
	return want, x.sends(name, want) || slices.Contains(x.drawn, want)
}

func (x echoes) sends(name, value string) bool { return slices.Contains(x.sent[name], value) }

// drawn returns the names that the replay drew.
func (s *substitution) drawn() (names []string) {
	for quotedName := range maps.Values(s.names) {
		name, _ := strconv.Unquote(quotedName)
		names = append(names, name)
	}
	return names
}
