package explore

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// goFaults returns the failures of a run as Go: composite literals of package testkit, separated by commas, as Bank.Inject takes them.
func goFaults(r Run) string {
	literals := make([]string, len(r.Faults))
	for i, a := range r.Faults {
		literals[i] = goFault(a)
	}
	return strings.Join(literals, ",\n")
}

func goFault(a Aimed) string {
	rule := a.rule("")
	fields := []string{"Operation: " + strconv.Quote(a.Call.Operation), "When: testkit.When{" + goWhen(rule.When) + "}"}
	if rule.Phase == fault.After {
		fields = append(fields, "Phase: testkit.AfterOperation")
	}
	fields = append(fields, "Then: testkit.Then{"+goThen(rule.Then)+"}")
	return "testkit.Fault{" + strings.Join(fields, ", ") + "}"
}

func goWhen(w fault.When) string {
	text := fmt.Sprintf("Nth: %d", w.Nth)
	if w.Request == nil {
		return text
	}
	var fields []string
	for _, part := range []struct {
		name   string
		values map[string]*string
	}{{"Header", w.Request.Header}, {"Query", w.Request.Query}} {
		var values []string
		for _, name := range slices.Sorted(maps.Keys(part.values)) {
			value := "nil"
			if text := part.values[name]; text != nil {
				value = "testkit.Text(" + strconv.Quote(*text) + ")"
			}
			values = append(values, fmt.Sprintf("%q: %s", name, value))
		}
		if len(values) > 0 {
			fields = append(fields, part.name+": map[string]*string{"+strings.Join(values, ", ")+"}")
		}
	}
	if len(w.Request.Body) > 0 {
		fields = append(fields, "Body: "+goValue(w.Request.Body))
	}
	return text + ", Request: testkit.RequestMatcher{" + strings.Join(fields, ", ") + "}"
}

// goValue returns a JSON value as Go.
func goValue(value any) string {
	switch value := value.(type) {
	case map[string]any:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			members = append(members, fmt.Sprintf("%q: %s", name, goValue(value[name])))
		}
		return "map[string]any{" + strings.Join(members, ", ") + "}"
	case string:
		return strconv.Quote(value)
	case json.Number:
		return value.String()
	case nil:
		return "nil"
	}
	return fmt.Sprint(value)
}

func goThen(then fault.Then) string {
	var fields []string
	if then.Status != 0 {
		fields = append(fields, fmt.Sprintf("Status: %d", then.Status))
	}
	if then.Error != nil {
		parts := []string{"Code: " + strconv.Quote(then.Error.Code)}
		if then.Error.Message != "" {
			parts = append(parts, "Message: "+strconv.Quote(then.Error.Message))
		}
		fields = append(fields, "Error: testkit.FaultError{"+strings.Join(parts, ", ")+"}")
	}
	if c := then.Connection; c != nil {
		kind := "Kind: testkit." + map[fault.Kind]string{
			fault.Reset: "ConnectionReset", fault.Hang: "ConnectionHang", fault.Truncate: "ConnectionTruncate", fault.Malformed: "ConnectionMalformed",
		}[c.Kind]
		if c.Hang != 0 {
			kind += fmt.Sprintf(", Hang: %d * time.Minute", time.Duration(c.Hang)/time.Minute)
		}
		fields = append(fields, "Connection: testkit.Connection{"+kind+"}")
	}
	return strings.Join(fields, ", ")
}

// yamlFaults returns the failures of a run as the faults of a scenario.
func yamlFaults(r Run) string {
	var b strings.Builder
	b.WriteString("faults:\n")
	for i, rule := range r.Rules() {
		encoded, err := json.Marshal(rule)
		if err != nil {
			panic("explore: a rule that can't be written: " + err.Error()) // it is made here
		}
		whole := object(encoded)
		fmt.Fprintf(&b, "  - name: %s\n", ruleName(i))
		for _, key := range []string{"operation", "when", "phase", "then"} {
			if value, ok := whole[key]; ok {
				fmt.Fprintf(&b, "    %s: %s\n", key, scenario.Flow(value))
			}
		}
	}
	return b.String()
}
