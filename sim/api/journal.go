package api

import (
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// The types of the journal and of faults.
type (
	Exchange    = journal.Exchange
	Request     = journal.Request
	Response    = journal.Response
	Header      = journal.Header
	Decision    = journal.Decision
	FaultReport = journal.Fault
	Lint        = journal.Lint
	Page        = journal.Page
	Expectation = journal.Expectation
	Verdict     = journal.Verdict
	FaultRule   = fault.Rule
	FaultCount  = fault.Counted
)

// Faults lists fault rules, with how many requests matched each and for how many it fired. Secrets in them are fingerprints.
type Faults struct {
	Faults []FaultCount `json:"faults"`
}
