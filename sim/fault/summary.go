package fault

import (
	"fmt"
	"slices"
	"strings"
)

// Summary says in a few words which requests the rule fires for, such as "groups.list, nth 2".
func (r *Rule) Summary() string {
	parts := []string{r.subject()}
	for _, count := range []struct {
		name  string
		value int
	}{{"first", r.When.First}, {"nth", r.When.Nth}, {"every", r.When.Every}, {"after", r.When.After}} {
		if count.value != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", count.name, count.value))
		}
	}
	if rate := r.When.Rate; rate != nil {
		text := fmt.Sprintf("beyond %d in %s by %s", rate.Requests, rate.Per, rate.By)
		parts = append(parts, strings.TrimSuffix(text, " by "))
	}
	if p := r.When.Probability; p != 0 {
		parts = append(parts, fmt.Sprintf("probability %v", p))
	}
	if r.When.During != nil {
		parts = append(parts, "during "+r.When.During.summary())
	}
	if r.When.Request != nil {
		parts = append(parts, "certain requests")
	}
	if r.Off {
		parts = append(parts, "off")
	}
	return strings.Join(parts, ", ")
}

// subject names the operations of the rule, or the path of a stub.
func (r *Rule) subject() string {
	switch {
	case r.Path != "":
		return strings.TrimSpace(r.Method + " " + r.Path)
	case len(r.Operation) == 0 || slices.Contains(r.Operation, "*"):
		return "all operations"
	}
	return strings.Join(r.Operation, ", ")
}

// summary says when the window begins and ends.
func (d *During) summary() string {
	var parts []string
	for _, bound := range []struct {
		name   string
		moment Moment
	}{{"from", d.From}, {"until", d.Until}} {
		if text, err := bound.moment.MarshalText(); err == nil && !bound.moment.IsZero() {
			parts = append(parts, bound.name+" "+string(text))
		}
	}
	if d.For != 0 {
		parts = append(parts, "for "+d.For.String())
	}
	if d.Daily != "" {
		parts = append(parts, strings.TrimSpace("daily "+d.Daily+" "+d.Zone))
	}
	return strings.Join(parts, " ")
}
