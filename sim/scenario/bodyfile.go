package scenario

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// maxBodyFiles is the most bytes that all bodies from files have together. A store keeps the scenario with them, in
// MaxBytes (choice).
const maxBodyFiles = 512 << 10

var errBodyFiles = fmt.Errorf("with it, the files of all bodies are larger than %d KiB: let forward fetch it from a "+
	"file server", maxBodyFiles>>10)

// bodyFiles puts the content of files in the place of their names: then.bodyFile becomes then.bodyBase64.
func (l *loader) bodyFiles(scenario *yaml.Node, in source) {
	rules := valueOf(scenario, "faults")
	if !isKind(rules, yaml.SequenceNode) {
		return
	}
	for _, rule := range rules.Content {
		then := valueOf(rule, "then")
		name := valueOf(then, "bodyFile")
		if name == nil || name.Tag != "!!str" && !isNull(name) || valueOf(then, "bodyBase64") != nil {
			continue // the schema and package fault say what is wrong
		}
		if !isNull(name) {
			content, err := l.bodyFile(name.Value, in)
			if err != nil {
				l.invalid[name] = true
				l.add(name, "bodyFile %s: %v", wording.Quote(name.Value), err)
				continue
			}
			_, _ = fmt.Fprintf(l.texts, "%d %s", len(content), content)
			name.Value = base64.StdEncoding.EncodeToString(content)
		}
		for i := 0; i < len(then.Content); i += 2 {
			if then.Content[i+1] == name {
				then.Content[i].Value = "bodyBase64"
			}
		}
	}
}

// bodyFile reads a file in the folder of the scenario that is loaded, or below. Its path begins at the folder of the
// file that names it.
func (l *loader) bodyFile(name string, in source) ([]byte, error) {
	switch {
	case in.root == "":
		return nil, errors.New("only a scenario that is a file itself can send a file: write bodyBase64")
	case name == "" || strings.Contains(name, `\`) || filepath.IsAbs(name):
		return nil, errors.New("name a file beside the scenario, with slashes, such as documents/statement.pdf")
	}
	file := filepath.Join(filepath.Dir(in.file), filepath.FromSlash(name))
	if !isWithin(in.root, file) {
		return nil, errors.New("it is outside of the folder of the scenario: copy it there")
	}
	if l.bodyBytes > maxBodyFiles {
		return nil, errBodyFiles
	}
	content, err := readRegular(file)
	l.bodyBytes += len(content)
	l.touched = append(l.touched, File{file, digest(content, err)})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no such file: its path begins at the folder of %s",
			wording.Quote(filepath.Base(in.file)))
	case err != nil:
		return nil, err
	case len(content) == 0:
		return nil, errors.New(`the file is empty: write body: ""`)
	case l.bodyBytes > maxBodyFiles:
		return nil, errBodyFiles
	}
	return content, nil
}
