package openapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

func newComponents() components {
	return components{
		SecuritySchemes: map[string]securityScheme{
			"bearer": {"http", "bearer", contract.Bearer.About()},
			"basic":  {"http", "basic", contract.Basic.About()},
		},
		Schemas:    map[string]*schema{},
		Parameters: map[string]parameter{},
		Headers:    map[string]header{},
		Responses:  map[string]*response{},

		errorBodies: map[*contract.Family]*schema{},
	}
}

// share adds a value to the components of a kind, unless an equal one is there, and returns a reference to it. Its name
// is the first of the names that no other value has.
func share[T any](kind string, components map[string]T, value T, names []string) string {
	for _, name := range names {
		known, taken := components[name]
		if !taken {
			components[name] = value
		}
		if !taken || reflect.DeepEqual(known, value) {
			return "#/components/" + kind + "/" + name
		}
	}
	panic(fmt.Sprintf("openapi: the %s have other values by all the names %q", kind, names))
}

// parameterNames returns the names that the component of a parameter or a header may have: its own name, and its name
// after the family's or the operation's.
func (d describer) parameterNames(name string) []string {
	all := []string{name}
	for _, owner := range slices.Concat(d.familyNames(), d.operationNames()) {
		all = append(all, owner+capitalized(name))
	}
	return all
}

// familyNames returns the names of the operation's family in components: Groups and, in the public dialect, also
// PublicGroups for a component that differs from the document's.
func (d describer) familyNames() []string { return d.namesInDialect(d.Family.Parts[0].Name) }

// operationNames returns the names of the operation in components: GroupsCreate and, in the public dialect, also
// PublicGroupsCreate.
func (d describer) operationNames() []string {
	return d.namesInDialect(contract.Document().Operation(d.Name).ID)
}

func (d describer) namesInDialect(name string) []string {
	name = capitalized(name)
	if d.Dialect == sim.DialectPublic {
		return []string{name, "Public" + name}
	}
	return []string{name}
}

// withSuffix returns the names, each with a suffix.
func withSuffix(names []string, suffix string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = name + suffix
	}
	return all
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
