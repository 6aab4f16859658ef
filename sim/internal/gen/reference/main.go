// Command reference writes the generated parts of the docs of scenarios. docs/scenarios.md has the catalogue of
// built-in scenarios, and docs/scenario-reference.md has the list of all keys. It runs in the folder of package
// scenario.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	catalogue, err := catalogue()
	if err != nil {
		return err
	}
	schema, err := format.Read()
	if err != nil {
		return err
	}
	if err := replace("../../docs/scenarios.md", "catalogue", catalogue); err != nil {
		return err
	}
	return replace("../../docs/scenario-reference.md", "reference", reference(schema.Definitions))
}

// replace replaces the generated part with a name in a file.
func replace(file, name, content string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->\n"
	before, rest, hasBegin := strings.Cut(string(source), begin)
	_, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return fmt.Errorf("%s has no place for the %s", file, name)
	}
	return os.WriteFile(file, []byte(before+begin+content+end+after), 0o644)
}

// catalogue returns a list of the built-in scenarios.
func catalogue() (string, error) {
	var list strings.Builder
	for _, name := range scenario.Names() {
		s, err := scenario.Load(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&list, "- `%s`: %s\n", s.Name, strings.TrimSpace(s.Description))
	}
	return list.String(), nil
}
