// Command messages writes the messages of scenarios with mistakes: fixtures/bad/NAME.txt for fixtures/bad/NAME.yaml. It
// runs in the folder of package scenario.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

const folder = "../../fixtures/bad/"

func main() {
	log.SetFlags(0)
	files, err := filepath.Glob(folder + "*.yaml")
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		if err := writeMessages(file); err != nil {
			log.Fatal(err)
		}
	}
}

// writeMessages loads a scenario with mistakes and writes its messages into the file beside it.
func writeMessages(file string) error {
	_, err := scenario.Load(file)
	var problems scenario.Problems
	if !errors.As(err, &problems) {
		return fmt.Errorf("%s has no mistake in it: %w", file, err)
	}
	messages := strings.ReplaceAll(problems.Error(), folder, "") + "\n"
	return os.WriteFile(strings.TrimSuffix(file, ".yaml")+".txt", []byte(messages), 0o644)
}
