package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// schemaFile is the file that the first line of a scenario names to editors, in the same folder.
const schemaFile = "scenario.schema.json"

// schemaLine is the first line of a scenario that has the schema beside it.
const schemaLine = "# yaml-language-server: $schema=" + schemaFile + "\n"

// schemaState says what is in the place of the schema.
type schemaState int

const (
	schemaAbsent  schemaState = iota
	schemaCurrent             // that of this version
	schemaOther               // that of another version
	schemaForeign             // a file that is not banksim's
)

// stateOfSchema returns what is in the place of the schema. A file that is larger than a schema could be is foreign.
func stateOfSchema(path string) (schemaState, error) {
	const most = 4 << 20 // (choice)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return schemaAbsent, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular() || info.Size() > most:
		return schemaForeign, nil
	}
	there, err := os.ReadFile(path)
	switch {
	case err != nil:
		return 0, err
	case bytes.Equal(there, scenario.Schema()):
		return schemaCurrent, nil
	case bytes.Contains(there, []byte(scenario.SchemaDescription)):
		return schemaOther, nil
	}
	return schemaForeign, nil
}

// writeWithSchema writes a new scenario, and the schema beside it if that isn't there already. Neither replaces another file.
func writeWithSchema(out io.Writer, name string, source []byte) error {
	beside := filepath.Join(filepath.Dir(name), schemaFile)
	state, err := stateOfSchema(beside)
	if err != nil {
		return wrongUse{err}
	}
	if state == schemaForeign {
		return wrongUse{fmt.Errorf("%s exists and is not banksim's schema: move or rename it, or use --no-schema", beside)}
	}
	if err := writeNew(name, source); err != nil {
		return err
	}
	if state != schemaCurrent {
		if err := writeFile(beside, scenario.Schema(), plainMode); err != nil {
			return errors.Join(err, os.Remove(name))
		}
	}
	_, _ = fmt.Fprintf(out, "wrote %s\n", name)
	switch state {
	case schemaAbsent:
		_, _ = fmt.Fprintf(out, "wrote %s\n", beside)
	case schemaOther:
		_, _ = fmt.Fprintf(out, "wrote %s, which was of another version of banksim\n", beside)
	}
	return nil
}

// namedSchema finds the schema that a scenario names to editors.
var namedSchema = regexp.MustCompile(`(?m)^#\s*yaml-language-server:\s*\$schema=(\S+)`)

// withoutSchemaLine returns a scenario that names no schema to editors.
func withoutSchemaLine(source []byte) []byte {
	line, rest, _ := strings.Cut(string(source), "\n")
	if !namedSchema.MatchString(line) {
		return source
	}
	return []byte(strings.TrimPrefix(rest, "#\n"))
}
