package testkit

import (
	"encoding/json"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Exchange is a request to a bank and its answer, with the decision behind it. It shows no secret: tokens and the like
// are fingerprints.
type Exchange struct {
	api.Exchange
	Took  time.Duration // real time, in whole microseconds
	Fault *FaultReport  // nil: no fault fired
}

// Parts of an [Exchange].
type (
	Request  = api.Request  // what the client sent
	Response = api.Response // what was sent to the client, after any fault
	Header   = api.Header   // of a message, under the names as they were sent
	Decision = api.Decision // why an answer is what it is
	Lint     = api.Lint     // something odd about a request that didn't influence its answer
)

// FaultReport is what the faults that fired did to an exchange.
type FaultReport struct {
	api.FaultReport
	Phase      Phase          // of the fault that gave or lost the answer
	Delay      time.Duration  // of the answer, in total
	Connection ConnectionKind // empty: nothing happened to the connection
}

// MarshalJSON encodes the exchange as the control API does.
func (x Exchange) MarshalJSON() ([]byte, error) { return wire.Encode(x.Exchange) }

// UnmarshalJSON decodes an exchange of the control API.
func (x *Exchange) UnmarshalJSON(data []byte) error {
	*x = Exchange{}
	err := json.Unmarshal(data, &x.Exchange)
	x.Took = time.Duration(x.TookMicros) * time.Microsecond
	if f := x.Exchange.Fault; f != nil {
		x.Fault = &FaultReport{*f, Phase(f.Phase), time.Duration(f.DelayMicros) * time.Microsecond, ConnectionKind(f.Connection)}
	}
	return err
}
