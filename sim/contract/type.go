package contract

import "regexp"

// Type is the type of a value.
type Type struct {
	JSON        string // string, integer, boolean, object or array
	About       string
	Enum        []string // the values of a string, or nil if there is no list
	EnumCites   *Entry   // of a list that the interface's document doesn't have
	Several     bool     // whether a text may be several values of the list, separated by commas
	Pattern     string   // a regular expression for a string, or empty
	Shortest    int      // characters of a string
	Longest     int      // characters of a string, or 0 for no limit
	Least       *int     // of an integer
	Object      *Object  // of an object, or of the elements of an array of objects
	Elements    *Type    // of any other array
	LimitsCites []*Entry
	FileTypes   []string // content types of a string that is the content of a file
}

// notEmpty is a text with at least one character.
var notEmpty = Type{JSON: "string", Shortest: 1}

func textType(about string) Type  { return Type{JSON: "string", About: about} }
func boolean(about string) Type   { return Type{JSON: "boolean", About: about} }
func object(of *Object) Type      { return Type{JSON: "object", Object: of} }
func arrayOf(of *Object) Type     { return Type{JSON: "array", Object: of} }
func oneOf(values ...string) Type { return Type{JSON: "string", Enum: values} }

func integer(about string, least int) Type {
	return Type{JSON: "integer", About: about, Least: &least}
}

// matching returns a text that matches a regular expression.
func matching(about, expression string) Type {
	return Type{JSON: "string", About: about, Pattern: expression}
}

// The regular expressions of texts.
const (
	digits      = `^\d+$`
	uuidPattern = `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`

	timePattern        = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$`
	millisecondPattern = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$`
	utcPattern         = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`
)

// notBlank returns a text with a character that is no space.
func notBlank(longest int) Type {
	return Type{JSON: "string", Shortest: 1, Longest: longest, Pattern: `\S`}
}

// Matches reports whether a text matches the pattern. It compiles the pattern each time: hardly any request needs one.
func (t Type) Matches(text string) bool { return regexp.MustCompile(t.Pattern).MatchString(text) }

// values returns the type with the entry that its list of values comes from.
func (t Type) values(on *Entry) Type {
	t.EnumCites = on
	return t
}
