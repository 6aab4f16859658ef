package contract

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Statuses returns the statuses that the operation can answer with, under any behaviour and without a fault, and those that
// its description lists. They are sorted.
func (op *Operation) Statuses() []int {
	all := slices.Concat(op.Errors, op.Documented)
	for _, a := range op.Answers {
		all = append(all, a.Status)
	}
	for _, r := range slices.Concat(op.Refusals(), op.Conditions()) {
		all = append(all, op.Family.Statuses(r)...)
	}
	return sortedOnce(all)
}

// StatusesOfNone returns the statuses of answers in a journal to requests that are no operation's. They are sorted.
func StatusesOfNone() []int {
	all := []int{PreflightStatus}
	for _, f := range Families {
		for _, rule := range []sim.Code{PathUnknown, MethodNotAllowed, SandboxMissing, SandboxContradiction, OriginRefused, InternalFault} {
			all = append(all, f.Statuses(f.Refusal(rule))...)
		}
	}
	return sortedOnce(all)
}

func sortedOnce(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// RequestHeaders returns the names of the headers that operations read, each once.
func RequestHeaders() []string {
	all := []string{"Authorization", ContentType.Name}
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, op := range Operations {
		add(op.Family.RequestID)
		for _, p := range op.Parameters {
			if p.In == "header" {
				add(p.Name)
			}
		}
	}
	return all
}

// QueryParameters returns the names of the query parameters of operations, each once.
func QueryParameters(operations []*Operation) []string {
	var all []string
	for _, op := range operations {
		for _, p := range op.Parameters {
			if p.In == "query" && !slices.Contains(all, p.Name) {
				all = append(all, p.Name)
			}
		}
	}
	return all
}
