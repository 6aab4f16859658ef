package openapi

import (
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// abouts describe the error statuses.
var abouts = map[int]string{
	400: "The request is wrong, or a rule of the bank refuses it.",
	401: "The credentials are missing or don't work.",
	403: "The credentials don't permit the request.",
	404: "There is no such user, or no such resource.",
	413: "The body is too large.",
	415: "The body is of another content type.",
	429: "There is no room for the request just now: send it again later.",
	500: "An unexpected fault.",
	501: "A strict simulator doesn't answer what rests on a choice of its own.",
	503: "The service can't answer at present, or the sandbox was reset while the request was under way; " +
		"nothing is changed.",
	507: "Callers have added as much to the bank as they may.",
}

// refusals returns the refusals of the operation. They include the errors of faults that give a status and no code.
func (d describer) refusals() []contract.Refusal {
	all := slices.Concat(d.Refusals(), d.Conditions())
	for _, i := range d.Injections() {
		all = append(all, i.Refusal)
	}
	return all
}

// addRefusal adds the code of a refusal to the description of an error status. It adds the entry of the refusal, too,
// unless the interface's document has the status.
func (d describer) addRefusal(op *operation, r contract.Refusal, status int) {
	key := strconv.Itoa(status)
	if op.Responses[key] == nil {
		op.Responses[key] = d.errorResponse(status)
	}
	res := op.Responses[key]
	if !slices.Contains(res.Codes, r.Code) {
		res.Codes = append(res.Codes, r.Code)
	}
	if !slices.Contains(d.Documented, status) && !slices.Contains(res.Ledger, r.Entry.ID) {
		d.add(&res.mark, r.Entry)
	}
}

// errorResponse returns the description of an error status, without its codes.
func (d describer) errorResponse(status int) *response {
	media := &mediaType{Schema: d.errorBody()}
	if slices.Contains(d.Errors, status) {
		i := d.Family.Injection(status)
		media.Example = d.Family.Error(status, i.Code, i.Message)
	}
	return &response{
		Description: abouts[status],
		Headers:     d.headers(status),
		Content:     map[string]*mediaType{contract.ContentType.About: media},
	}
}

// described is an operation with its description.
type described struct {
	describer
	description *operation
}

// shareErrors replaces the error responses of operations with references. The operations of a family share their
// response for a status. If their codes or marks differ, these move from the responses to the operations.
func shareErrors(all []described) {
	type place struct {
		family *contract.Family
		status string
	}
	cases := map[place][]errorCase{} // each once
	for _, d := range all {
		for status, res := range d.description.Responses {
			at := place{d.Family, status}
			isEqual := func(other errorCase) bool { return reflect.DeepEqual(other, res.errorCase) }
			if !slices.ContainsFunc(cases[at], isEqual) {
				cases[at] = append(cases[at], res.errorCase)
			}
		}
	}
	for _, d := range all {
		for _, status := range slices.Sorted(maps.Keys(d.description.Responses)) {
			res := d.description.Responses[status]
			if res.Codes == nil { // no error
				continue
			}
			if len(cases[place{d.Family, status}]) > 1 {
				d.description.Errors[status] = res.errorCase
				res.errorCase = errorCase{}
			}
			names := withSuffix(slices.Concat(d.familyNames(), d.operationNames()), "Error"+status)
			d.description.Responses[status] = &response{Ref: share("responses", d.shared.Responses, res, names)}
		}
	}
}

// errorBody returns a reference to the schema of the family's error body. It has all codes that an operation of the
// family answers with, and all that the family has for faults.
func (d describer) errorBody() *schema {
	if known := d.shared.errorBodies[d.Family]; known != nil {
		return known
	}
	body := d.inline(d.Family.ErrorBody)
	setCodes(body, d.Family.ErrorBody, d.familyCodes())
	d.shared.errorBodies[d.Family] = d.shareSchema(body, withSuffix(d.familyNames(), "Error"))
	return d.shared.errorBodies[d.Family]
}

// familyCodes returns the error codes of the operation's family, sorted.
func (d describer) familyCodes() []string {
	codes := []string{contract.InjectedCode}
	for _, i := range d.Family.Injections() {
		codes = append(codes, i.Code)
	}
	for _, op := range contract.In(d.Dialect).Operations {
		if op.Family != d.Family {
			continue
		}
		for _, r := range (describer{Operation: op}).refusals() {
			codes = append(codes, r.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// setCodes makes the codes the values of the member of an error body that has the code.
func setCodes(body *schema, of *contract.Object, codes []string) {
	for _, m := range of.Members {
		switch {
		case m.From == contract.FromCode:
			body.Properties[m.Name].Enum = codes
		case m.Type.Object != nil:
			setCodes(body.Properties[m.Name], m.Type.Object, codes)
		}
	}
}
