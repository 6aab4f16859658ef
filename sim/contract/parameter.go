package contract

import "slices"

// Parameter is a parameter in the path, the query or the headers of a request. It is not the header
// Authorization: see [Security].
type Parameter struct {
	Name     string
	In       string // path, query or header
	Required bool
	About    string
	Type     Type
	Cites    []*Entry // of a parameter that the interface's document doesn't have
}

func inHeader(name, about string, required bool) Parameter {
	return Parameter{Name: name, In: "header", Required: required, About: about, Type: notEmpty}
}

func inPath(name, about string) Parameter {
	return Parameter{Name: name, In: "path", Required: true, About: about, Type: notEmpty}
}

func inQuery(name, about string, required bool, t Type) Parameter {
	return Parameter{Name: name, In: "query", Required: required, About: about, Type: t}
}

// resting returns the parameter with the entries that it comes from.
func (p Parameter) resting(on ...*Entry) Parameter {
	p.Cites = on
	return p
}

// TakesQuery reports whether the operation has a query parameter of a name.
func (op *Operation) TakesQuery(name string) bool {
	return slices.ContainsFunc(op.Parameters, func(p Parameter) bool { return p.In == "query" && p.Name == name })
}

// ParameterNames returns the names of the parameters in the query or the headers.
func (op *Operation) ParameterNames(in string) (names []string) {
	for _, p := range op.Parameters {
		if p.In == in {
			names = append(names, p.Name)
		}
	}
	return names
}

// RequestHeaders returns the names of the headers that operations read, each once.
func RequestHeaders() []string {
	all := []string{"Authorization", ContentType.Name}
	for _, op := range operations {
		all = append(all, op.Family.RequestID)
		all = append(all, op.ParameterNames("header")...)
	}
	return sortedOnce(all)
}

// QueryParameters returns the names of the query parameters of operations, each once.
func QueryParameters(operations []*Operation) []string {
	var all []string
	for _, op := range operations {
		all = append(all, op.ParameterNames("query")...)
	}
	return sortedOnce(all)
}
