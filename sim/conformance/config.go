package conformance

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Config selects what is replayed, and where.
type Config struct {
	BaseURL     string      // of the service; every path of the interface is appended to it
	Credentials Credentials // nil: the service has the values of the golden exchanges, as a simulator on retail does
	Only        []string    // operations or exchanges, such as groups.* or groups.list/200-first-page; empty: all
	Dialect     sim.Dialect // whose exchanges are replayed; empty: that of the interface's document
	AllowWrites bool        // also send requests that may change something

	Behavior *sim.Behavior // the switches that the service is said to have; nil: the defaults
	Ignore   []string      // entries of the ledger whose drifts don't count

	Header http.Header // sent with every request that has none of the name
	TLS    *tls.Config // nil: as usual
	Rate   float64     // requests per second, at most; 0: any
}

// Validate returns what is wrong with a configuration.
func (cfg Config) Validate() error {
	if err := checkURL(cfg.BaseURL); err != nil {
		return err
	}
	if err := cfg.Credentials.validate(); err != nil {
		return err
	}
	for _, id := range cfg.Ignore {
		if _, ok := contract.FindEntry(id); !ok {
			var known []string
			for _, e := range contract.Ledger() {
				known = append(known, e.ID)
			}
			return fmt.Errorf("the ledger has no entry %s%s", phrase.Quote(id), phrase.DidYouMean(id, known, "the entries are"))
		}
	}
	if cfg.Rate < 0 {
		return fmt.Errorf("the rate %g is negative: give a number of requests per second, or 0 for any", cfg.Rate)
	}
	golden, err := fixtures.Load()
	if err != nil {
		return err
	}
	if !slices.Contains(contract.Dialects, cfg.dialect()) {
		return fmt.Errorf("there is no dialect %s: it is %s or %s",
			phrase.Quote(string(cfg.Dialect)), sim.DialectDocument, sim.DialectPublic)
	}
	golden = slices.DeleteFunc(golden, func(e fixtures.Exchange) bool { return !cfg.speaks(e) })
	for _, pattern := range cfg.Only {
		if !slices.ContainsFunc(golden, func(e fixtures.Exchange) bool { return selected(e, []string{pattern}) }) {
			known := contract.Patterns()
			for _, e := range golden {
				known = append(known, e.Name)
			}
			return fmt.Errorf("no golden exchange is selected by %s%s",
				phrase.Quote(pattern), phrase.DidYouMean(pattern, known, "operations and exchanges are"))
		}
	}
	return nil
}

// dialect returns the dialect that is checked.
func (cfg Config) dialect() sim.Dialect { return cmp.Or(cfg.Dialect, sim.DialectDocument) }

// spoken returns an operation in the dialect that is checked or, if it isn't spoken in it, in that of the interface's document.
func (cfg Config) spoken(op *contract.Operation) *contract.Operation {
	return cmp.Or(op.In(cfg.dialect()), op)
}

// speaks reports whether an exchange is in the dialect that is checked, at a path of it.
func (cfg Config) speaks(e fixtures.Exchange) bool {
	atPath := contract.DialectOf(e.Request.Path) == cfg.dialect() || e.Operation() == "unknown" && cfg.dialect() == sim.DialectDocument
	return e.InDialect() == cfg.dialect() && atPath
}

// checkURL returns what is wrong with a base URL. It doesn't show credentials in it.
func checkURL(text string) error {
	base, err := url.Parse(text)
	if err == nil && base.User != nil {
		return fmt.Errorf("the base URL of %s has credentials in it, which reports would show: leave them out", base.Host)
	}
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return fmt.Errorf("the base URL %q is not an address such as https://bank.example/api", text)
	}
	return nil
}
