package controlapi

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// rights is what a caller may do. The zero rights are those of a caller that has shown no token where calls need one.
type rights struct {
	name      string   // of the caller's token, or "" for one without a name
	sandboxes []string // patterns of the names that the caller may use
	writes    bool
	isKnown   bool
}

// allRights are those of a caller with the control token, or where calls need none.
var allRights = rights{sandboxes: []string{"*"}, writes: true, isKnown: true}

// covers reports whether the caller may use sandboxes of a name.
func (r rights) covers(sandbox string) bool {
	return slices.ContainsFunc(r.sandboxes, func(pattern string) bool {
		matches, _ := path.Match(pattern, sandbox) // sandboxPattern has checked the pattern
		return matches
	})
}

// hasAll reports whether the caller may use all sandboxes.
func (r rights) hasAll() bool { return slices.Contains(r.sandboxes, "*") }

// namedToken is a line of a file of tokens.
type namedToken struct {
	rights
	hash [sha256.Size]byte // of the token
}

// reservedNames are what else can be said of who has reset a sandbox.
var reservedNames = []string{"watch", "resets"}

var (
	tokenName      = lazy.Regexp(`^[A-Za-z0-9._-]{1,63}$`)
	sandboxPattern = lazy.Regexp(`^[a-z0-9*-]{1,63}$`)
)

// TokenLine returns the line for a token: its name, its SHA-256 in hexadecimal, its access (read or write), and the
// patterns of the sandboxes that it may use. A comma separates patterns.
func TokenLine(name, token, access, sandboxes string) (string, error) {
	_, err := newRights(name, access, sandboxes)
	return fmt.Sprintf("%s %x %s %s", name, sha256.Sum256([]byte(token)), access, sandboxes), err
}

// newRights returns the rights of a line.
func newRights(name, access, sandboxes string) (rights, error) {
	may := rights{name: name, sandboxes: strings.Split(sandboxes, ","), writes: access == "write", isKnown: true}
	switch {
	case !tokenName().MatchString(name):
		return may, fmt.Errorf("the name %s must be 1 to 63 of letters, digits and . _ -", wording.Quote(name))
	case slices.Contains(reservedNames, name), net.ParseIP(name) != nil:
		return may, fmt.Errorf("the name %s would be taken for something else: give another one", wording.Quote(name))
	case access != "read" && access != "write":
		return may, fmt.Errorf("the third field must be read or write, not %s", wording.Quote(access))
	}
	for _, pattern := range may.sandboxes {
		if !sandboxPattern().MatchString(pattern) {
			return may, fmt.Errorf("%s is no pattern of sandboxes: give names such as team-a, team-a-*, or * for all",
				wording.Quote(pattern))
		}
	}
	return may, nil
}

// parseTokens reads the lines of a file of tokens. Empty lines and those that begin with # say nothing.
func parseTokens(text []byte) (tokens []namedToken, err error) {
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		t, err := parseTokenLine(line)
		for _, other := range tokens {
			switch {
			case err == nil && other.name == t.name:
				err = fmt.Errorf("the name %s is there twice: give each token one of its own", t.name)
			case err == nil && other.hash == t.hash:
				err = fmt.Errorf("the token of %s is there twice, also as that of %s: give each name one of its own",
					t.name, other.name)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// parseTokenLine reads a line. Its errors don't hold the hash.
func parseTokenLine(line string) (t namedToken, err error) {
	fields := strings.Fields(line)
	if len(fields) != 4 {
		return t, fmt.Errorf("it has %d fields, not 4: 'banksim print token NAME' makes such a line", len(fields))
	}
	hash, err := hex.DecodeString(fields[1])
	if err != nil || len(hash) != sha256.Size {
		return t, errors.New("the second field must be a SHA-256 in hexadecimal, of 64 digits: " +
			"'banksim print token NAME' makes such a line")
	}
	t.hash = [sha256.Size]byte(hash)
	t.rights, err = newRights(fields[0], fields[2], fields[3])
	return t, err
}

// rereadTokensAfter is when a file of tokens is read again (choice).
const rereadTokensAfter = 2 * time.Second

// TokenFile has the named tokens of a file. The file is read again when it has changed.
type TokenFile struct {
	read    func() ([]byte, error)
	changed func(tokens int, problem error)

	mu        sync.Mutex
	text      []byte       // as it was read at last
	checked   time.Time    // when it was
	isReading bool         // whether one caller reads it again. No lock is held meanwhile
	tokens    []namedToken // of the last text without a mistake
	problem   error        // with the present text, or nil
}

// OpenTokens reads the named tokens of a file. After a later change of the file, it calls changed with the number of
// tokens, or with the problem of the file. While there is a problem, the tokens don't change.
func OpenTokens(read func() ([]byte, error), changed func(tokens int, problem error)) (*TokenFile, error) {
	text, err := read()
	if err != nil {
		return nil, err
	}
	tokens, err := parseTokens(text)
	if err == nil && len(tokens) == 0 {
		err = errors.New("has no token: 'banksim print token NAME' makes a line for one")
	}
	return &TokenFile{read: read, changed: changed, text: text, checked: time.Now(), tokens: tokens}, err
}

// Problem returns why the file can't be used at the moment, or nil.
func (f *TokenFile) Problem() error {
	f.reread()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problem
}

// find returns the rights of a token. The time that this takes doesn't depend on the token.
func (f *TokenFile) find(token string) (found rights, ok bool) {
	f.reread()
	f.mu.Lock()
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

// reread reads the file again, if that is due and no other caller does.
func (f *TokenFile) reread() {
	f.mu.Lock()
	isDue := !f.isReading && time.Since(f.checked) >= rereadTokensAfter
	f.isReading = f.isReading || isDue
	f.mu.Unlock()
	if !isDue {
		return
	}
	text, err := f.read()
	var tokens []namedToken
	if err == nil {
		tokens, err = parseTokens(text)
	}
	f.mu.Lock()
	isSame := bytes.Equal(text, f.text) && (err == nil) == (f.problem == nil)
	f.text, f.problem, f.checked, f.isReading = text, err, time.Now(), false
	if err == nil {
		f.tokens = tokens
	}
	count := len(f.tokens)
	f.mu.Unlock()
	if !isSame {
		f.changed(count, err)
	}
}
