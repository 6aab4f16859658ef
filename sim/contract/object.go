package contract

import "slices"

// Object is a JSON object of the interface.
type Object struct {
	Name    string // of a resource, or empty
	Members []Member
	Open    bool // whether it may have other members, which are ignored, as in requests
	Free    bool // whether the caller chooses its members
	Null    bool // whether it is the JSON value null in the place of an object
}

// Member is a member of an object.
type Member struct {
	Name     string
	Type     Type
	Required bool
	Secret   bool     // whether its value is never shown
	Cites    []*Entry // of a member that the interface's document doesn't have
	Value    *Entry   // says how its value is written, or nil
	From     Source   // where a member of an error body gets its value
	Same     bool     // whether its value is the same at every service

	excepted bool // see required and optional
}

// Source is where a member of an error body gets its value.
type Source int

// The sources.
const (
	fromMembers Source = iota // it is an object
	FromStatus
	FromCode
	FromMessage
	FromErrorType // USER_ERROR, or SYSTEM_ERROR from 500 on
)

// Walk calls fn for each member of an object and of the objects in it.
func (o *Object) Walk(fn func(Member)) {
	for _, m := range o.Members {
		fn(m)
		if m.Type.Object != nil {
			m.Type.Object.Walk(fn)
		}
	}
}

// WalkPaths calls fn with the names that lead to each member of an object and of the objects in it.
func (o *Object) WalkPaths(fn func(path []string)) {
	for _, m := range o.Members {
		fn([]string{m.Name})
		if m.Type.Object != nil {
			m.Type.Object.WalkPaths(func(path []string) { fn(append([]string{m.Name}, path...)) })
		}
	}
}

// IsFree reports whether the caller chooses the members of the object. A nil object is not free.
func (o *Object) IsFree() bool { return o != nil && o.Free }

// Member returns a member by its name, and whether there is one. A nil object has no members.
func (o *Object) Member(name string) (Member, bool) {
	if o == nil {
		return Member{}, false
	}
	i := slices.IndexFunc(o.Members, func(m Member) bool { return m.Name == name })
	if i < 0 {
		return Member{}, false
	}
	return o.Members[i], true
}

// Has reports whether the object has the member at a path of names.
func (o *Object) Has(path ...string) bool {
	for _, name := range path {
		m, ok := o.Member(name)
		if !ok {
			return false
		}
		o = m.Type.Object
	}
	return true
}

// Names returns the names of the members.
func (o *Object) Names() (names []string) {
	for _, m := range o.Members {
		names = append(names, m.Name)
	}
	return names
}

// HasSecret reports whether a member of the object, however deep, is secret.
func (o *Object) HasSecret() bool {
	found := false
	o.Walk(func(m Member) { found = found || m.Secret })
	return found
}

// sent returns an object in a request. Its members are optional except the required ones, and other members are
// ignored.
func sent(members ...Member) *Object {
	for i := range members {
		members[i].Required = members[i].excepted
	}
	return &Object{Members: members, Open: true}
}

// answered returns an object in an answer. It always has its members except the optional ones, and no other members.
func answered(name string, members ...Member) *Object {
	for i := range members {
		members[i].Required = !members[i].excepted
	}
	return &Object{Name: name, Members: members}
}

// with returns a copy of the object with a member at the end, or in the place of a member of the same name.
func (o *Object) with(m Member) *Object {
	m.Required = !m.excepted
	if o.Open {
		m.Required = m.excepted
	}
	changed := *o
	changed.Members = slices.Clone(o.Members)
	at := slices.IndexFunc(o.Members, func(old Member) bool { return old.Name == m.Name })
	if at < 0 {
		changed.Members = append(changed.Members, m)
	} else {
		changed.Members[at] = m
	}
	return &changed
}

// without returns a copy of the object without the members of some names.
func (o *Object) without(names ...string) *Object {
	changed := *o
	changed.Members = slices.DeleteFunc(slices.Clone(o.Members), func(m Member) bool {
		return slices.Contains(names, m.Name)
	})
	return &changed
}

// named returns a copy of the object with another name.
func (o *Object) named(name string) *Object {
	changed := *o
	changed.Name = name
	return &changed
}

// An option adds to a member.
type option func(*Member)

// required marks a member of a request, optional one of an answer.
func required(m *Member) { m.excepted = true }
func optional(m *Member) { m.excepted = true }

func secret(m *Member) { m.Secret = true }
func same(m *Member)   { m.Same = true }

func cites(on ...*Entry) option        { return func(m *Member) { m.Cites = on } }
func written(by *Entry) option         { return func(m *Member) { m.Value = by } }
func from(s Source) option             { return func(m *Member) { m.From = s } }
func limited(entries ...*Entry) option { return func(m *Member) { m.Type.LimitsCites = entries } }

func member(name string, t Type, options ...option) Member {
	m := Member{Name: name, Type: t}
	for _, o := range options {
		o(&m)
	}
	return m
}

// allResting returns members that all come from an entry.
func allResting(on *Entry, members ...Member) []Member {
	for i := range members {
		members[i].Cites = []*Entry{on}
	}
	return members
}
