package conformance

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Credentials map values of the golden exchanges ([fixtures.OwnValues]) to what the service has in their place: tokens,
// keys, institutions, users, accounts. The service has nothing in the place of a value that they leave out.
type Credentials map[string]string

// ReadCredentials reads credentials from a JSON object.
func ReadCredentials(data []byte) (Credentials, error) {
	var c Credentials
	if err := json.Unmarshal(data, &c); err != nil || c == nil {
		return nil, fmt.Errorf(`not a JSON object of strings, such as {"demo-token": "…", "1001": "…"}`)
	}
	return c, c.validate()
}

func (c Credentials) validate() error {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if !slices.Contains(fixtures.OwnValues, name) {
			return fmt.Errorf("no golden exchange has the value %s%s",
				phrase.Quote(name), phrase.DidYouMean(name, fixtures.OwnValues, "the values are"))
		}
		if strings.ContainsAny(c[name], "\r\n\x00") || c[name] == "" {
			return fmt.Errorf("the value for %q is empty or has line breaks", name)
		}
	}
	return nil
}

// word matches what may be a value of the exchanges.
var word = regexp.MustCompile(`[A-Za-z0-9]+(-[A-Za-z0-9]+)*`)

// has reports whether the service has something in the place of a value.
func (c Credentials) has(value string) bool {
	_, given := c[value]
	return given || c == nil
}

// value returns what the service has in the place of a value.
func (c Credentials) value(value string) string {
	if c == nil {
		return value
	}
	return c[value]
}

// missing returns the first value of a request that the service doesn't have; empty: it has all. Tokens that the replay is issued
// need none.
func (c Credentials) missing(r fixtures.Request, issued bool) string {
	texts := []string{r.Path, r.Content()}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		texts = append(texts, r.Headers[name])
	}
	for _, text := range texts {
		if keys, ok := basicKeys(text); ok {
			text = keys
		}
		for _, value := range word.FindAllString(text, -1) {
			if slices.Contains(fixtures.OwnValues, value) && !(issued && isOwn(value)) && !c.has(value) {
				return value
			}
		}
	}
	return ""
}

// basicKeys returns the keys of Basic credentials, joined by a colon.
func basicKeys(header string) (string, bool) {
	encoded, ok := strings.CutPrefix(header, "Basic ")
	if !ok {
		return "", false
	}
	keys, err := base64.StdEncoding.DecodeString(encoded)
	return string(keys), err == nil
}
