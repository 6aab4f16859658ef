package conformance

import (
	"cmp"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Config names a service, and the exchanges that are replayed there.
type Config struct {
	BaseURL     string      // of the service; every path of the interface is appended to it
	Credentials Credentials // or nil for those values of the golden exchanges that the service turns out to know
	Only        []string    // operations or exchanges, such as groups.* or groups.list/200-first-page; or none for all
	Dialect     sim.Dialect // whose exchanges are replayed, or "" for that of the interface's document
	AllowWrites bool        // also send requests that may change something
	Users       []string    // whose e-statement preferences may change, by the golden hostUserIds; they are put back

	Journeys int    // how many random journeys follow the exchanges; they need AllowWrites
	Seed     uint64 // of the journeys; 0 means that one is drawn

	Behavior *sim.Behavior // the switches that the service is said to have, or nil for the defaults
	Ignore   []string      // entries of the ledger whose differences don't count

	Header http.Header // sent with every request that has none of the name
	TLS    *tls.Config // or nil for the default
	Rate   float64     // requests per second, at most; 0 means any number

	Progress func(done, total int) // is called before each exchange, unless it is nil
}

// Validate returns an error if the configuration is wrong.
func (cfg Config) Validate() error {
	if err := checkURL(cfg.BaseURL); err != nil {
		return err
	}
	if err := cfg.Credentials.validate(); err != nil {
		return err
	}
	if err := checkEntries(cfg.Ignore); err != nil {
		return err
	}
	for _, user := range cfg.Users {
		if user != fixtures.FindUser(user).HostUserID {
			const unknown = "no golden exchange has the user %s: users are named as there, such as 1001"
			return fmt.Errorf(unknown, wording.Quote(user))
		}
		if !cfg.AllowWrites {
			return errors.New("users are changed only with --allow-writes")
		}
	}
	switch {
	case cfg.Journeys < 0 || cfg.Journeys > maxJourneys:
		return fmt.Errorf("there can't be %d journeys: give a number from 0 to %d", cfg.Journeys, maxJourneys)
	case cfg.Journeys > 0 && !cfg.AllowWrites:
		return errors.New("journeys create groups, preferences and tokens, only with --allow-writes")
	}
	if cfg.Rate < 0 {
		return fmt.Errorf("the rate %g is negative: give a number of requests per second, or 0 for any", cfg.Rate)
	}
	if d := cfg.dialect(); d != sim.DialectDocument && d != sim.DialectPublic {
		return fmt.Errorf("there is no dialect %s: it is %s or %s",
			wording.Quote(string(cfg.Dialect)), sim.DialectDocument, sim.DialectPublic)
	}
	golden, err := cfg.exchanges()
	if err != nil {
		return err
	}
	for _, pattern := range cfg.Only {
		if !slices.ContainsFunc(golden, func(e fixtures.Exchange) bool { return selected(e, []string{pattern}) }) {
			known := contract.Patterns()
			for _, e := range golden {
				known = append(known, e.Name)
			}
			return fmt.Errorf("no golden exchange is selected by %s%s",
				wording.Quote(pattern), wording.DidYouMean(pattern, known, "operations and exchanges are"))
		}
	}
	return nil
}

// dialect returns the dialect that is checked.
func (cfg Config) dialect() sim.Dialect { return cmp.Or(cfg.Dialect, sim.DialectDocument) }

// inDialect returns an operation in the dialect that is checked.
func (cfg Config) inDialect(op *contract.Operation) *contract.Operation {
	return contract.In(cfg.dialect()).Operation(op.Name)
}

// checkEntries returns an error unless the ledger has all entries.
func checkEntries(ids []string) error {
	for _, id := range ids {
		if _, ok := contract.FindEntry(id); !ok {
			var known []string
			for _, e := range contract.Ledger() {
				known = append(known, e.ID)
			}
			remedy := wording.DidYouMean(id, known, "the entries are")
			return fmt.Errorf("the ledger has no entry %s%s", wording.Quote(id), remedy)
		}
	}
	return nil
}

// checkURL returns an error for a wrong base URL. The error doesn't show credentials in the URL.
func checkURL(text string) error {
	base, err := url.Parse(text)
	if err == nil && base.User != nil {
		return fmt.Errorf("the base URL of %s has credentials in it, which reports would show: leave them out",
			wording.Shorten(base.Host))
	}
	if err != nil || !slices.Contains([]string{"http", "https"}, base.Scheme) ||
		base.Host == "" || base.RawQuery+base.Fragment != "" {
		return fmt.Errorf("the base URL %s is not an address such as https://bank.example/api",
			wording.Quote(redact.URL(text)))
	}
	return nil
}

// Credentials map values of the golden exchanges ([fixtures.OwnValues]) to what the service has in their place: tokens,
// keys, institutions, users, accounts. The service has nothing in the place of a value that they leave out.
type Credentials map[string]string

// TryWrong is a name in [Credentials], whose value is yes. It lets a check send wrong passwords and secrets. They may
// lock the user or the client.
const TryWrong = "try-wrong-credentials"

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
		if name == TryWrong {
			if c[name] != "yes" {
				return fmt.Errorf("%s is %s: write yes, or leave it out", TryWrong, wording.Quote(c[name]))
			}
			continue
		}
		if !slices.Contains(fixtures.OwnValues, name) {
			return fmt.Errorf("no golden exchange has the value %s%s",
				wording.Quote(name), wording.DidYouMean(name, fixtures.OwnValues, "the values are"))
		}
		if strings.ContainsAny(c[name], "\r\n\x00") || c[name] == "" {
			return fmt.Errorf("the value for %s is empty or has line breaks", wording.Quote(name))
		}
	}
	return nil
}

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

// missing returns the first value of a request that the service doesn't have, or "". Tokens that are issued to the
// replay needn't be given.
func (c Credentials) missing(r fixtures.Request, spends bool) string {
	texts := []string{r.Path, r.Content()}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		texts = append(texts, r.Headers[name])
	}
	for _, text := range texts {
		if keys, ok := basicKeys(text); ok {
			text = keys
		}
		for _, value := range match.Words(text) {
			if slices.Contains(fixtures.OwnValues, value) && !(spends && isSpent(value)) && !c.has(value) {
				return value
			}
		}
	}
	return ""
}

// isWrongLogin reports whether a request has a wrong secret of a client of the bank, or a wrong password of its user.
func (p planned) isWrongLogin() bool {
	keys, _ := basicKeys(header(p.Request, "Authorization"))
	sharedKey, secretKey, _ := strings.Cut(keys, ":")
	if secret, ofBank := fixtures.Clients[sharedKey]; ofBank && secret != secretKey {
		return true
	}
	var login struct{ Username, Password string }
	if form, err := url.ParseQuery(p.Content()); err == nil {
		login.Username, login.Password = form.Get("username"), form.Get("password")
	}
	_ = json.Unmarshal(p.JSON, &login) // no JSON: it is a form
	user := fixtures.Avery
	return login.Username == user.Login && login.Password != "" && login.Password != user.Password
}

// basic returns Basic credentials with keys that are joined by a colon.
func basic(keys string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(keys)) }

// basicKeys returns the keys of Basic credentials, joined by a colon.
func basicKeys(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, "Basic ")
	if !ok {
		return "", false
	}
	keys, err := base64.StdEncoding.DecodeString(encoded)
	return string(keys), err == nil
}
