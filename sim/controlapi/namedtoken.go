package controlapi

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// rights is what a caller may do. The zero rights are all.
type rights struct {
	name      string   // of the caller's token, or "" for one without a name
	sandboxes []string // patterns of the names that the caller may use; nil for all
	readsOnly bool
}

// covers reports whether the caller may use sandboxes of a name.
func (r rights) covers(sandbox string) bool {
	return r.sandboxes == nil || slices.ContainsFunc(r.sandboxes, func(pattern string) bool {
		matches, _ := path.Match(pattern, sandbox) // sandboxPattern has checked the pattern
		return matches
	})
}

// hasAll reports whether the caller may use all sandboxes.
func (r rights) hasAll() bool { return r.sandboxes == nil || slices.Contains(r.sandboxes, "*") }

// namedToken is a line of a file of tokens.
type namedToken struct {
	rights
	hash [sha256.Size]byte // of the token
}

var (
	tokenName      = regexp.MustCompile(`^[A-Za-z0-9._-]{1,63}$`)
	sandboxPattern = regexp.MustCompile(`^[a-z0-9*-]{1,63}$`)
)

// TokenLine returns the line for a token: its name, its SHA-256 in hexadecimal, its access (read or write), and the
// patterns of the sandboxes that it may use. A comma separates patterns.
func TokenLine(name, token, access, sandboxes string) (string, error) {
	line := fmt.Sprintf("%s %x %s %s", name, sha256.Sum256([]byte(token)), access, sandboxes)
	_, err := parseTokenLine(line)
	return line, err
}

// parseTokens reads the lines of a file of tokens. Empty lines and those that begin with # say nothing.
func parseTokens(text []byte) (tokens []namedToken, err error) {
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		t, err := parseTokenLine(line)
		same := func(other namedToken) bool { return other.name == t.name }
		if err == nil && slices.ContainsFunc(tokens, same) {
			err = fmt.Errorf("the name %s is there twice: give each token one of its own", t.name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		tokens = append(tokens, t)
	}
	if len(tokens) == 0 {
		return nil, errors.New("has no token: 'banksim print token NAME' makes a line for one")
	}
	return tokens, nil
}

// parseTokenLine reads a line. Its errors don't hold the hash.
func parseTokenLine(line string) (t namedToken, err error) {
	fields := strings.Fields(line)
	if len(fields) != 4 {
		return t, fmt.Errorf("it has %d fields, not 4: name, SHA-256 of the token, read or write, sandboxes", len(fields))
	}
	hash, err := hex.DecodeString(fields[1])
	if err != nil || copy(t.hash[:], hash) != sha256.Size || len(hash) != sha256.Size {
		return t, errors.New("the second field must be a SHA-256 in hexadecimal, of 64 digits")
	}
	t.rights = rights{name: fields[0], sandboxes: strings.Split(fields[3], ","), readsOnly: fields[2] == "read"}
	switch {
	case !tokenName.MatchString(t.name):
		return t, fmt.Errorf("the name %s must be 1 to 63 of letters, digits and . _ -", wording.Quote(t.name))
	case fields[2] != "read" && fields[2] != "write":
		return t, fmt.Errorf("the third field must be read or write, not %s", wording.Quote(fields[2]))
	}
	for _, pattern := range t.sandboxes {
		if !sandboxPattern.MatchString(pattern) {
			return t, fmt.Errorf("%s is no pattern of sandboxes: give names such as team-a, or team-a-*, or * for all",
				wording.Quote(pattern))
		}
	}
	return t, nil
}

// rereadTokensAfter is when a file of tokens is read again (choice).
const rereadTokensAfter = 2 * time.Second

// TokenFile has the named tokens of a file. The file is read again when it has changed.
type TokenFile struct {
	read    func() ([]byte, error)
	changed func(tokens int, problem error)

	mu      sync.Mutex
	text    []byte // as it was read at last
	checked time.Time
	tokens  []namedToken // of the last text without a mistake
	problem error        // with the present text, or nil
}

// OpenTokens reads the named tokens of a file. After a later change of the file, it calls changed with the number of
// tokens, or with the problem of the file. While there is a problem, the tokens don't change.
func OpenTokens(read func() ([]byte, error), changed func(tokens int, problem error)) (*TokenFile, error) {
	text, err := read()
	if err != nil {
		return nil, err
	}
	tokens, err := parseTokens(text)
	return &TokenFile{read: read, changed: changed, text: text, checked: time.Now(), tokens: tokens}, err
}

// Problem returns why the file can't be used at the moment, or nil.
func (f *TokenFile) Problem() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rereadLocked()
	return f.problem
}

// find returns the rights of a token. The time that this takes doesn't depend on the token.
func (f *TokenFile) find(token string) (found rights, ok bool) {
	f.mu.Lock()
	f.rereadLocked()
	tokens := f.tokens
	f.mu.Unlock()
	hash := sha256.Sum256([]byte(token))
	for _, t := range tokens {
		if subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1 {
			found, ok = t.rights, true
		}
	}
	return found, ok
}

func (f *TokenFile) rereadLocked() {
	if time.Since(f.checked) < rereadTokensAfter {
		return
	}
	f.checked = time.Now()
	text, err := f.read()
	if err == nil && f.problem == nil && bytes.Equal(text, f.text) {
		return
	}
	var tokens []namedToken
	if err == nil {
		tokens, err = parseTokens(text)
	}
	isSame := bytes.Equal(text, f.text) && (err == nil) == (f.problem == nil)
	f.text, f.problem = text, err
	if err == nil {
		f.tokens = tokens
	}
	if !isSame {
		f.changed(len(f.tokens), err)
	}
}
