package contract

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Example is a request to an operation that is accepted, and its answer. It is about a bank of the scenario retail with its clock
// standing still. In the texts of the answer, {base_url} stands for the base URL.
type Example struct {
	Path    string            `json:"path"` // with its variables filled in, and its query
	Headers map[string]string `json:"headers"`
	JSON    json.RawMessage   `json:"json,omitzero"` // the body of the request, or
	Body    string            `json:"body,omitzero"` // one of another content type
	Status  int               `json:"status"`
	Answer  json.RawMessage   `json:"answer,omitzero"` // its body; not there: it has none
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

// examples are the examples of all operations, by their names and dialects.
var examples = sync.OnceValue(func() (all map[string]map[sim.Dialect]Example) {
	if err := json.Unmarshal(encodedExamples, &all); err != nil {
		panic("contract: the examples can't be read: " + err.Error())
	}
	return all
})

// Example returns the example of the operation in its dialect.
func (op *Operation) Example() Example { return examples()[op.Name][op.Dialect] }
