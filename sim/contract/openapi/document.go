package openapi

import (
	"encoding/json"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// The parts of an OpenAPI document that this one has.
type (
	document struct {
		OpenAPI    string                           `json:"openapi"`
		Info       info                             `json:"info"`
		Servers    []server                         `json:"servers"`
		Tags       []tag                            `json:"tags"`
		Paths      map[string]map[string]*operation `json:"paths"`
		Components components                       `json:"components"`
	}
	info struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	server struct {
		URL         string                    `json:"url"`
		Description string                    `json:"description"`
		Variables   map[string]serverVariable `json:"variables,omitzero"`
	}
	serverVariable struct {
		Default     string `json:"default"`
		Description string `json:"description"`
	}
	tag struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	operation struct {
		OperationID string                `json:"operationId"`
		Tags        []string              `json:"tags"`
		Summary     string                `json:"summary"`
		Description string                `json:"description"`
		Security    []map[string][]string `json:"security"`
		Parameters  []parameter           `json:"parameters"`
		RequestBody *requestBody          `json:"requestBody,omitzero"`
		Responses   map[string]*response  `json:"responses"`
		mark
	}
	parameter struct {
		Name        string  `json:"name"`
		In          string  `json:"in"`
		Required    bool    `json:"required"`
		MayBeEmpty  bool    `json:"allowEmptyValue,omitzero"`
		Description string  `json:"description"`
		Schema      *schema `json:"schema"`
		mark
	}
	requestBody struct {
		Required bool                  `json:"required"`
		Content  map[string]*mediaType `json:"content"`
	}
	mediaType struct {
		Schema   *schema             `json:"schema,omitzero"` // none: anything
		Example  json.RawMessage     `json:"example,omitzero"`
		Encoding map[string]encoding `json:"encoding,omitzero"` // of the parts of a multipart body
		mark
	}
	encoding struct {
		ContentType string `json:"contentType"`
	}
	response struct {
		Description string                `json:"description"`
		Headers     map[string]header     `json:"headers,omitzero"`
		Content     map[string]*mediaType `json:"content,omitzero"`
		mark
	}
	header struct {
		Required    bool    `json:"required"`
		Description string  `json:"description"`
		Schema      *schema `json:"schema"`
		mark
	}
	components struct {
		SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
		Schemas         map[string]*schema        `json:"schemas"`
	}
	securityScheme struct {
		Type        string `json:"type"`
		Scheme      string `json:"scheme"`
		Description string `json:"description"`
	}
	// mark says what something rests on that the interface's document doesn't have.
	mark struct {
		Basis  contract.Basis `json:"x-basis,omitzero"`
		Ledger []string       `json:"x-ledger,omitzero"`
	}
)

// by returns the mark for entries of the ledger; nil is none.
func (d describer) by(entries ...*contract.Entry) (m mark) {
	for _, e := range entries {
		if e != nil {
			d.add(&m, e)
		}
	}
	return m
}

// add adds an entry to a mark; the firmest basis among all counts.
func (d describer) add(m *mark, e *contract.Entry) {
	m.Ledger = append(m.Ledger, e.ID)
	basis := e.BasisIn(d.Dialect)
	if m.Basis == "" || m.Basis.WeakerThan(basis) {
		m.Basis = basis
	}
}
