package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// reportFormats are the formats in which reports are written, with the ending of each file.
var reportFormats = []struct{ format, ending string }{{"html", ".html"}, {"json", ".json"}, {"junit", ".xml"}}

// writeReport writes a report to a directory.
func writeReport(dir string, of explore.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	all := report.Report{Format: report.Format, Version: moduleVersion(), Explorations: []explore.Report{of}}
	for _, f := range reportFormats {
		var text bytes.Buffer
		if err := report.Write(&text, all, f.format); err != nil {
			return fmt.Errorf("as %s: %w", f.format, err)
		}
		if err := replaceFile(filepath.Join(dir, reportName(of.Name)+f.ending), text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// reportName returns the name of a test's files.
func reportName(test string) string {
	return "explore-" + strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '-'
		}
		return c
	}, test)
}

// replaceFile writes a file at once: nobody reads half of it.
func replaceFile(name string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// module is the module that testkit is in.
const module = "github.com/digitalbanking-sim/banksim"

// moduleVersion returns the version of banksim that the test binary is built with.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == module && m.Version != "" {
				return m.Version
			}
		}
	}
	return "(devel)"
}
