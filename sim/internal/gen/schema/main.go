// Command schema writes the JSON Schemas of scenario files: strict.schema.json for the loader, and scenario.schema.json
// for editors. It runs in the folder of package scenario.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
)

func main() {
	log.SetFlags(0)
	write("strict.schema.json", strict(read()))
	write("scenario.schema.json", forEditors(read(), read()))
}

// read returns a new schema of scenario files.
func read() *jsonschema.Schema {
	s, err := format.Read()
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// write writes a schema to a file. Definitions are sorted by name; keys have the order of the Go fields.
func write(file string, s *jsonschema.Schema) {
	encoded, err := json.MarshalIndent(s, "", "\t")
	if err == nil {
		err = os.WriteFile(file, append(encoded, '\n'), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
