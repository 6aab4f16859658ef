package contract

import (
	"regexp"
	"slices"
)

// Object is a JSON object of the interface.
type Object struct {
	Name    string // of a resource; empty: it has none
	Members []Member
	Open    bool // whether it may have other members, which are ignored: in requests
	Free    bool // whether its members are the caller's own
}

// Member is a member of an object.
type Member struct {
	Name     string
	Type     Type
	Required bool
	Secret   bool     // whether its value is never shown
	Rests    []*Entry // of a member that the interface's document doesn't have
	Value    *Entry   // says how its value is written, where an entry does
	From     Source   // of a member of an error body
	Same     bool     // whether its value is the same at every service

	excepted bool // see required and optional
}

// Type is the type of a value.
type Type struct {
	JSON        string // string, integer, boolean, object or array
	About       string
	Enum        []string // of a string
	EnumRests   *Entry   // why it has these values, where the interface's document doesn't say so
	Pattern     string   // a regular expression, for a string; empty: any
	Shortest    int      // characters of a string
	Longest     int      // characters of a string; 0: any
	Least       *int     // of an integer
	Object      *Object  // of an object, or of the elements of an array of objects
	Elements    *Type    // of an array of something else
	LimitsRests []*Entry
	FileTypes   []string // of a string that is the content of a file: the content types that it may have
}

// Source says where the value of a member of an error body comes from.
type Source int

// The sources.
const (
	fromNothing Source = iota
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

// IsFree reports whether the object's members are the caller's own. Of nil it is false.
func (o *Object) IsFree() bool { return o != nil && o.Free }

// Member returns a member by its name. A nil object has none.
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

// Has reports whether the object has a member: the last of some names, each of a member of the one before.
func (o *Object) Has(names ...string) bool {
	for _, name := range names {
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
func (o *Object) HasSecret() (secret bool) {
	o.Walk(func(m Member) { secret = secret || m.Secret })
	return secret
}

// sent returns an object in a request: it may leave out what isn't required, and have other members.
func sent(members ...Member) *Object {
	for i := range members {
		members[i].Required = members[i].excepted
	}
	return &Object{Members: members, Open: true}
}

// answered returns an object in an answer: it has all of its members but the optional ones, and no others.
func answered(name string, members ...Member) *Object {
	for i := range members {
		members[i].Required = !members[i].excepted
	}
	return &Object{Name: name, Members: members}
}

// An option adds to a member.
type option func(*Member)

// Members of requests are optional but for those that are required, members of answers required but for those that are
// optional.
func required(m *Member) { m.excepted = true }
func optional(m *Member) { m.excepted = true }
func secret(m *Member)   { m.Secret = true }
func same(m *Member)     { m.Same = true }

func rests(on ...*Entry) option        { return func(m *Member) { m.Rests = on } }
func written(by *Entry) option         { return func(m *Member) { m.Value = by } }
func from(source Source) option        { return func(m *Member) { m.From = source } }
func limited(entries ...*Entry) option { return func(m *Member) { m.Type.LimitsRests = entries } }

func member(name string, t Type, options ...option) Member {
	m := Member{Name: name, Type: t}
	for _, o := range options {
		o(&m)
	}
	return m
}

// The types.

func textType(about string) Type  { return Type{JSON: "string", About: about} }
func boolean(about string) Type   { return Type{JSON: "boolean", About: about} }
func object(of *Object) Type      { return Type{JSON: "object", Object: of} }
func arrayOf(of *Object) Type     { return Type{JSON: "array", Object: of} }
func oneOf(values ...string) Type { return Type{JSON: "string", Enum: values} }

func integer(about string, least int) Type {
	return Type{JSON: "integer", About: about, Least: &least}
}

func pattern(about, text string) Type { return Type{JSON: "string", About: about, Pattern: text} }

// Matches reports whether a text fits the pattern. It compiles it: hardly any request needs one.
func (t Type) Matches(text string) bool { return regexp.MustCompile(t.Pattern).MatchString(text) }

// values says why an enumeration has the values that it has.
func (t Type) values(rest *Entry) Type {
	t.EnumRests = rest
	return t
}

const (
	uuidPattern = `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`
	digits      = `^\d+$`
)

// notBlank is a text with something in it.
func notBlank(longest int) Type {
	return Type{JSON: "string", Shortest: 1, Longest: longest, Pattern: `\S`}
}
