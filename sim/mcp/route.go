package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// route is a call of the control API. In its path and in the values of its query, {name} stands for an argument.
type route struct {
	Method, Path string
	Query        map[string]string // without the members whose argument is absent
}

// bankPath is the beginning of the paths that are about a sandbox.
const bankPath = "/v1/sandboxes/{sandbox}"

// request returns the target and the body of a call with arguments. Without an argument sandbox, the call is about the
// default one. The body is nil or has the arguments that are not in the path. GET and DELETE have no body.
func (r route) request(in object) (target string, body any, err error) {
	args := object{"sandbox": sandbox.Default}
	maps.Copy(args, in)
	rest := maps.Clone(args)
	delete(rest, "sandbox")
	target = placeholder.ReplaceAllStringFunc(r.Path, func(braced string) string {
		name := strings.Trim(braced, "{}")
		if args[name] == nil && err == nil {
			err = fmt.Errorf("%s is missing", name)
		}
		delete(rest, name)
		return url.PathEscape(fmt.Sprint(args[name]))
	})
	query := url.Values{}
	for name, text := range r.Query {
		value := placeholder.ReplaceAllStringFunc(text, func(braced string) string {
			return fmt.Sprint(memberAt(braced, args))
		})
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	if len(rest) > 0 && r.Method != http.MethodGet && r.Method != http.MethodDelete {
		body = rest
	}
	return target, body, err
}

// call makes the call and returns its answer, or nil if the answer is empty.
func (r route) call(ctx context.Context, bank *api.Client, in object) (object, error) {
	target, body, err := r.request(in)
	if err != nil {
		return nil, err
	}
	data, err := bank.Read(ctx, r.Method, target, body)
	if err != nil {
		return nil, inTools(err)
	}
	if len(data) == 0 {
		return nil, nil
	}
	answer, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("reading the answer of the control API: %w", err)
	}
	return answer, nil
}

// toolRemedies has the tool for each call of the control API that a refusal names.
var toolRemedies = strings.NewReplacer(
	"POST /v1/sandboxes creates one", "create_sandbox creates one, list_sandboxes lists them",
	"GET …/faults lists them", "list_faults lists them",
	"GET …/state lists them", "read_state lists them",
)

// inTools returns the problem of a refused call, with remedies that are tools. It returns any other error unchanged.
func inTools(err error) error {
	var refusal *api.Refusal
	if errors.As(err, &refusal) && refusal.Problem != nil && refusal.Status != http.StatusUnauthorized {
		return errors.New(toolRemedies.Replace(refusal.Problem.Error()))
	}
	return err
}
