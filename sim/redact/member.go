package redact

import (
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// treatment says what becomes of a JSON member's value.
type treatment uint8

const (
	hidden treatment = iota // the whole value becomes one fingerprint
	named                   // an object keeps the names of its members; their values are hidden
	plain                   // it is kept; in an object, each member is treated by its own name
)

// members says by name how the members of JSON bodies are treated. A name that is not in it is hidden.
type members map[string]treatment

// The members of the bodies that operations are sent, as JSON or as a form, and of their answers. The answers of an
// operation that has no secrets are kept as they are.
var requestMembers, answerMembers, answersSecrets = declared()

func declared() (requests, answers members, secrets map[string]bool) {
	requests, answers, secrets = members{}, members{}, map[string]bool{}
	for _, op := range contract.AllSpoken() {
		requests.declare(op.Request)
		if !op.AnswersSecrets() {
			continue
		}
		secrets[op.Name] = true
		answers.declare(op.Family.ErrorBody)
		for _, answer := range op.Answers {
			answers.declare(answer.Body)
		}
	}
	return requests, answers, secrets
}

// declare adds the members of an object of the contract. Where operations declare the same name in different ways, the
// way that shows less applies to all of them.
func (m members) declare(object *contract.Object) {
	if object == nil {
		return
	}
	object.Walk(func(of contract.Member) {
		t := plain
		switch {
		case of.Secret, len(of.Type.FileTypes) > 0:
			t = hidden
		case of.Type.Object.IsFree():
			t = named
		}
		if known, ok := m[of.Name]; ok {
			t = min(t, known)
		}
		m[of.Name] = t
	})
}

func (m members) isPlain(name string) bool { return m[name] == plain }

// at returns the treatment of the member at a path of names.
func (m members) at(path []string) treatment {
	n := len(path)
	switch {
	case n == 0:
		return plain
	case n > 1 && m[path[n-2]] == named:
		return hidden
	}
	return m[path[n-1]]
}

// Member returns the fingerprint that is kept in place of a value in a request's body, given the names of the members
// that lead to it. It returns "" for a value that is kept as it is.
func Member(path []string, value any) string {
	switch t := requestMembers.at(path); {
	case t == plain, t == named && holdsValues(value):
		return ""
	}
	return Text(secretText(wire.MustEncode(value)))
}

// holdsValues reports whether a JSON value is an object or an array.
func holdsValues(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
