package contract

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The examples are of a bank with this scenario and seed.
const (
	ExampleScenario        = "retail"
	ExampleSeed     uint64 = 7
)

// Example is a request that an operation accepts, and its answer. The clock of the bank stands still. In the
// texts of the answer, {base_url} stands for the base URL.
type Example struct {
	Path    string            `json:"path"` // with its variables filled in, and its query
	Headers map[string]string `json:"headers"`
	JSON    json.RawMessage   `json:"json,omitzero"` // the body of the request, or
	Body    string            `json:"body,omitzero"` // a body of another content type
	Status  int               `json:"status"`
	Answer  json.RawMessage   `json:"answer,omitzero"` // the body of the answer, or nil if it has none
}

// Content returns the body of the request.
func (e Example) Content() string {
	if e.JSON != nil {
		return string(e.JSON)
	}
	return e.Body
}

//go:embed examples.json
var encodedExamples []byte

// examples returns the examples of all operations by name and dialect.
var examples = sync.OnceValue(func() (all map[string]map[sim.Dialect]Example) {
	if err := json.Unmarshal(encodedExamples, &all); err != nil {
		panic("contract: the examples can't be read: " + err.Error())
	}
	return all
})

// Example returns the example of the operation in its dialect.
func (op *Operation) Example() Example { return examples()[op.Name][op.Dialect] }
