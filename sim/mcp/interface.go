package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// interfaceTools are about the simulated interface and about scenarios. They need no sandbox.
var interfaceTools = []tool{
	{
		name: "list_operations", title: "List operations", does: reads, run: listOperations,
		about: "The operations of the simulated banking interface. Name one to see its parameters, members, answers " +
			"and errors, with an example request that send_request takes. A new sandbox of retail accepts it.",
		args: struct {
			page
			Operation string `json:"operation,omitzero" jsonschema:"The name of the one to see in full."`
		}{},
	},
	{
		name: "list_scenarios", title: "List scenarios", does: reads, answer: listed{}, args: page{},
		about: "The scenarios that create_sandbox takes by name, and that a scenario of your own can extend.",
		run: listing(route{"GET", "/v1/scenarios", nil}, func(answer object) (all []object) {
			for _, scenario := range objects("scenarios")(answer) {
				all = append(all, pick(scenario, "name", "description"))
			}
			return all
		}, "{name}: {description}"),
	},
	{
		name: "infer_scenario", title: "Find the bank behind a capture", does: reads, run: waiting(inferScenario),
		about: "Find a scenario whose bank answers the requests of an HTTP archive as the captured service did.",
		args: struct {
			Capture string `json:"capture" jsonschema:"The text of the archive (HAR), at most about 1 MB."`
			Name    string `json:"name,omitzero" jsonschema:"Of the scenario. Default: capture."`
			Stubs   bool   `json:"stubs,omitzero" jsonschema:"Whether stubs answer the requests to other paths."`
		}{},
	},
	{
		name: "validate_scenario", title: "Validate a scenario", does: reads, run: validateScenario,
		about: "Whether a scenario, YAML that describes a bank, is valid, and what is wrong or probably wrong, with " +
			"line and column. The resource banksim://docs/scenarios.md says how to write one.",
		args: struct {
			YAML string `json:"yaml" jsonschema:"Its text. It may extend a built-in one, such as retail."`
		}{},
	},
}

func listOperations(ctx context.Context, bank *api.Client, in object) (string, object, error) {
	answer, err := route{"GET", "/v1/operations", nil}.call(ctx, bank, nil)
	if err != nil {
		return "", nil, err
	}
	var names []string
	var heads []object
	for _, op := range objects("operations")(answer) {
		if op["name"] == in["operation"] {
			short := shortOperation(op)
			example := string(strictjson.MustEncode(short["example"]))
			return expand("{title}: {about}\nexample: send_request ", op) + example, short, nil
		}
		names = append(names, fmt.Sprint(op["name"]))
		heads = append(heads, pick(op, "name", "title", "method", "path"))
	}
	if name, ok := in["operation"].(string); ok {
		return "", nil, fmt.Errorf("there is no operation %s%s", wording.Quote(name),
			wording.DidYouMean(name, names, "the operations are"))
	}
	return list(in, heads, "{name}  {title}")
}

// leftOut are the rules that only a fault answers by, and the rules about any public request.
var leftOut = []any{"", string(contract.Forbidden), string(contract.ServiceFailed), string(contract.QuotaUsedUp),
	string(contract.SpikeArrested), string(contract.HeaderTooLong), string(contract.CharacterRefused)}

// shortOperation returns what a caller of an operation needs, without the ledger and the simulator's own errors.
func shortOperation(op object) object {
	example := inner(op, "example")
	var compact bytes.Buffer
	if body, _ := example["body"].(string); json.Compact(&compact, []byte(body)) == nil {
		example["body"] = compact.String()
	}
	errors := slices.DeleteFunc(objects("errors")(op), func(e object) bool {
		return slices.Contains(leftOut, e["rule"]) || strings.HasPrefix(fmt.Sprint(e["code"]), "BANKSIM_")
	})
	short := pick(op, "name", "method", "path", "bodyMedia", "example")
	short["parameters"] = described(objects("parameters")(op), "{in} {name}", "{about} {limits}")
	short["members"] = described(objects("members")(op), "{name}", "{type}. {about} {limits}")
	short["answers"] = described(objects("answers")(op), "{status}", "{about}")
	short["errors"] = described(errors, "{status} {code}", "{rule}")
	return short
}

// described returns a text for each element, by a key. Elements with the same key share a text.
func described(elements []object, key, text string) object {
	all := object{}
	for _, element := range elements {
		words := clip(strings.Join(strings.Fields(expand(text, element)), " "), maxText/5, 0).(string)
		if element["required"] == true {
			words = "required. " + words
		}
		if other, ok := all[expand(key, element)]; ok {
			words = fmt.Sprint(other, ", ", words)
		}
		all[expand(key, element)] = words
	}
	return all
}

func inferScenario(ctx context.Context, bank *api.Client, in object) (string, object, error) {
	capture, _ := in["capture"].(string)
	query := url.Values{}
	for _, name := range []string{"name", "stubs"} {
		if in[name] != nil {
			query.Set(name, fmt.Sprint(in[name]))
		}
	}
	if !json.Valid([]byte(capture)) {
		return "", nil, errors.New("capture is not JSON: give the text of an HTTP archive (HAR)")
	}
	data, err := bank.Read(ctx, "POST", "/v1/infer?"+query.Encode(), json.RawMessage(capture))
	if err != nil {
		return "", nil, inTools(err)
	}
	found, err := decode(data)
	yaml := expand("{yaml}", found)
	delete(found, "yaml")
	return yaml, found, err
}

func validateScenario(_ context.Context, _ *api.Client, in object) (string, object, error) {
	yaml, _ := in["yaml"].(string)
	sc, err := scenario.Parse("scenario.yaml", []byte(yaml), scenario.WithoutWorld()) // needs no simulator
	if err != nil {
		return "", nil, err
	}
	text := "valid"
	for _, warning := range sc.Warnings {
		text += "\nwarning: " + warning.String()
	}
	summary, err := decode(strictjson.MustEncode(sc.Summary))
	return text, summary, err
}
