// Command types writes the types of the control API for the kits of other languages, from its OpenAPI document. Start
// at generate.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/controlapi/openapi"
)

// The schemas that people write or read with the kits. Others are written because these refer to them.
var (
	answers = []string{
		"Clock", "Coverage", "Diff", "Exchange", "InstitutionRow", "MintedToken", "Sandbox", "Snapshot", "State",
		"Users", "Verdict", "Verification",
	}
	inputs = []string{
		"AccountPatch", "Expectation", "FaultRule", "InstitutionPatch", "NewGroup", "NewUser", "UserPatch",
	}
)

// schema is a schema of OpenAPI 3.0.
type schema struct {
	Ref                  string `json:"$ref"`
	Type, Format         string
	Description          string
	Nullable             bool
	Enum                 []string
	Items                *schema
	Properties           map[string]*schema
	Required             []string
	AllOf, AnyOf         []*schema
	AdditionalProperties json.RawMessage
}

// member is a member of an object.
type member struct {
	name, of, about        string
	isOptional, isNullable bool
}

// language writes types in a language.
type language interface {
	file() string
	roots() []string
	scalar(kind, format string) string
	list(of string) string
	byName(of string) string // values of a type by names
	either(of []string) string
	words(of []string) string // one of some texts
	declare(name, about string, members []member) string
	alias(name, about, of string) string
	whole(declarations string) string // the file around the declarations
}

func main() {
	log.SetFlags(0)
	folder := flag.String("kits", ".", "the folder of the kits")
	flag.Parse()
	var document struct {
		Components struct{ Schemas map[string]*schema }
	}
	if err := json.Unmarshal(openapi.Document("http://localhost"), &document); err != nil {
		log.Fatal(err)
	}
	for _, l := range []language{typescript{}, python{}, java{}} {
		text := generate(l, document.Components.Schemas)
		if err := os.WriteFile(filepath.Join(*folder, l.file()), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// generate returns the file of a language with all types that its roots lead to, sorted by name.
func generate(l language, schemas map[string]*schema) string {
	w := &writer{language: l, schemas: map[string]*schema{}}
	for _, name := range l.roots() {
		if w.schemas[name] = schemas[name]; schemas[name] == nil {
			log.Fatalf("the document has no schema %s", name)
		}
	}
	declarations := map[string]string{}
	for len(declarations) < len(w.schemas) {
		for _, name := range slices.Sorted(maps.Keys(w.schemas)) {
			if w.schemas[name] == nil {
				w.schemas[name] = schemas[name]
			}
			if _, isDone := declarations[name]; !isDone {
				declarations[name] = w.declaration(name)
			}
		}
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(declarations)) {
		all.WriteString(declarations[name])
	}
	return l.whole(all.String())
}

// writer notes the schemas that it has met, by the names of their types.
type writer struct {
	language
	schemas map[string]*schema // nil for one of the document that was only named
}

func (w *writer) declaration(name string) string {
	s := w.schemas[name]
	if len(s.Properties) == 0 {
		return w.alias(name, s.Description, w.typeOf(&schema{Type: s.Type, Enum: s.Enum, AnyOf: s.AnyOf}, name))
	}
	var members []member
	for _, one := range slices.Sorted(maps.Keys(s.Properties)) {
		inner := s.Properties[one]
		members = append(members, member{
			name: one, of: w.typeOf(inner, name+capitalized(one)), about: inner.Description,
			isOptional: !slices.Contains(s.Required, one), isNullable: inner.Nullable,
		})
	}
	return w.declare(name, s.Description, members)
}

// typeOf returns the type of a schema. An object that has no name of its own gets one.
func (w *writer) typeOf(s *schema, name string) string {
	var values *schema
	_ = json.Unmarshal(s.AdditionalProperties, &values) // it may be true or false instead
	switch {
	case s.Ref != "":
		return w.note(s.Ref[strings.LastIndex(s.Ref, "/")+1:], nil)
	case len(s.AllOf) > 0:
		return w.typeOf(s.AllOf[0], name)
	case len(s.AnyOf) > 0:
		var all []string
		for _, one := range s.AnyOf {
			alternative := name
			for _, member := range slices.Sorted(maps.Keys(one.Properties)) {
				alternative += capitalized(member)
			}
			of := w.typeOf(one, alternative)
			if !slices.Contains(all, of) {
				all = append(all, of)
			}
		}
		return w.either(all)
	case len(s.Enum) > 0:
		return w.words(s.Enum)
	case s.Type == "array" && s.Items != nil:
		return w.list(w.typeOf(s.Items, name))
	case len(s.Properties) > 0:
		return w.note(name, s)
	case s.Type == "object" && values != nil:
		of := w.typeOf(values, name)
		if values.Nullable {
			of = w.either([]string{of, w.scalar("null", "")})
		}
		return w.byName(of)
	case s.Type == "object":
		return w.byName(w.scalar("", ""))
	}
	return w.scalar(s.Type, s.Format)
}

// note notes a schema to declare, and returns its name.
func (w *writer) note(name string, s *schema) string {
	if _, isKnown := w.schemas[name]; !isKnown {
		w.schemas[name] = s
	}
	return name
}

func capitalized(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
