package contract

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// A familyChange changes a copy of a family into the family of the public dialect.
type familyChange func(*Family)

// identifiedBy sets the header that identifies a request.
func identifiedBy(header string) familyChange { return func(f *Family) { f.RequestID = header } }

// refusesWith sets the refusal of a rule.
func refusesWith(rule sim.Code, status int, code string, e *Entry) familyChange {
	return func(f *Family) {
		f.Refusals = slices.DeleteFunc(f.Refusals, func(r Refusal) bool { return r.Rule == rule })
		f.Refusals = append(f.Refusals, Refusal{rule, status, code, e})
	}
}

// errorBody sets the error body, and the entry that it comes from.
func errorBody(body *Object, e *Entry) familyChange {
	return func(f *Family) { f.ErrorBody, f.ErrorCites = body, []*Entry{e} }
}

// An operationChange changes a copy of an operation into the operation of the public dialect.
type operationChange func(*Operation)

// describedAs sets the description.
func describedAs(text string) operationChange { return func(op *Operation) { op.About = text } }

// takes sets all parameters.
func takes(parameters ...Parameter) operationChange {
	return func(op *Operation) { op.Parameters = parameters }
}

// withParameter adds a parameter after loginId.
func withParameter(added Parameter) operationChange {
	return func(op *Operation) {
		at := slices.IndexFunc(op.Parameters, func(p Parameter) bool { return p.Name == "loginId" })
		op.Parameters = slices.Insert(op.Parameters, at+1, added)
	}
}

// withoutParameter removes a parameter.
func withoutParameter(name string) operationChange {
	return func(op *Operation) {
		op.Parameters = slices.DeleteFunc(op.Parameters, func(p Parameter) bool { return p.Name == name })
	}
}

// requests sets all members of the body.
func requests(members ...Member) operationChange {
	return func(op *Operation) { op.Request = sent(members...) }
}

// withMember adds a member to the body.
func withMember(m Member) operationChange {
	return func(op *Operation) { op.Request = op.Request.with(m) }
}

// withoutMember removes a member of the body.
func withoutMember(name string) operationChange {
	return func(op *Operation) { op.Request = op.Request.without(name) }
}

// describesMember sets the description of a member of the body.
func describesMember(name, text string) operationChange {
	return func(op *Operation) {
		m, _ := op.Request.Member(name)
		m.Type.About = text
		op.Request = op.Request.with(m)
	}
}

// formOnly makes the body a form.
func formOnly(op *Operation) { op.FormOnly = true }

// returns sets all answers to requests that are accepted.
func returns(all ...Answer) operationChange { return func(op *Operation) { op.Answers = all } }

// refuses adds rules that refuse requests.
func refuses(rules ...sim.Code) operationChange {
	return func(op *Operation) { op.Refuses = append(op.Refuses, rules...) }
}

// neverRefuses removes rules that refuse requests.
func neverRefuses(rules ...sim.Code) operationChange {
	return func(op *Operation) {
		op.Refuses = slices.DeleteFunc(op.Refuses, func(rule sim.Code) bool { return slices.Contains(rules, rule) })
	}
}
