package contract

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// A familyChange changes a family of the public interface while the interface is built.
type familyChange func(*Family)

// identifiedBy names the header that identifies a request.
func identifiedBy(header string) familyChange { return func(f *Family) { f.RequestID = header } }

// answers sets the refusal of a rule.
func answers(rule sim.Code, status int, code string, entry *Entry) familyChange {
	return func(f *Family) {
		f.Refusals = slices.DeleteFunc(f.Refusals, func(r Refusal) bool { return r.Rule == rule })
		f.Refusals = append(f.Refusals, Refusal{rule, status, code, entry})
	}
}

// errorBody sets the error body and the entry that it rests on.
func errorBody(body *Object, rests *Entry) familyChange {
	return func(f *Family) { f.ErrorBody, f.ErrorRests = body, []*Entry{rests} }
}

// An operationChange changes an operation of the public interface while the interface is built.
type operationChange func(*Operation)

// about sets the description.
func about(text string) operationChange { return func(op *Operation) { op.About = text } }

// takes sets all parameters.
func takes(parameters ...Parameter) operationChange {
	return func(op *Operation) { op.Parameters = parameters }
}

// withParameter adds a parameter after the last one that names a user.
func withParameter(p Parameter) operationChange {
	return func(op *Operation) {
		at := slices.IndexFunc(op.Parameters, func(p Parameter) bool { return p.Name == "loginId" })
		op.Parameters = slices.Insert(op.Parameters, at+1, p)
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
	return func(op *Operation) {
		op.Request = &Object{Members: append(slices.Clone(op.Request.Members), m), Open: true}
	}
}

// withoutMember removes a member of the body.
func withoutMember(name string) operationChange {
	return func(op *Operation) {
		members := slices.DeleteFunc(slices.Clone(op.Request.Members), func(m Member) bool { return m.Name == name })
		op.Request = &Object{Members: members, Open: true}
	}
}

// describesMember sets the description of a member of the body.
func describesMember(name, text string) operationChange {
	return func(op *Operation) {
		members := slices.Clone(op.Request.Members)
		for i := range members {
			if members[i].Name == name {
				members[i].Type.About = text
			}
		}
		op.Request = &Object{Members: members, Open: true}
	}
}

// formOnly makes the body a form.
func formOnly(op *Operation) { op.FormOnly = true }

// returns sets all answers to requests that are accepted.
func returns(answers ...Answer) operationChange { return func(op *Operation) { op.Answers = answers } }

// refuses adds rules that refuse requests.
func refuses(rules ...sim.Code) operationChange {
	return func(op *Operation) { op.Refuses = append(op.Refuses, rules...) }
}

// neverRefuses removes rules.
func neverRefuses(rules ...sim.Code) operationChange {
	return func(op *Operation) {
		op.Refuses = slices.DeleteFunc(op.Refuses, func(rule sim.Code) bool { return slices.Contains(rules, rule) })
	}
}
