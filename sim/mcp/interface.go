package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// interfaceTools are about the simulated interface and about scenarios. They need no sandbox.
var interfaceTools = []tool{
	{
		name: "list_operations", title: "List operations", does: reads, call: "getOperations",
		about: "The operations of the simulated banking interface.",
		items: listed("operations", "name", "title", "method", "path"), says: "{name}  {title}",
	},
	{
		name: "describe_operation", title: "Describe an operation", does: reads, call: "getOperations",
		about: "The parameters, members, answers and errors of an operation, with an example request that " +
			"send_request takes. A new sandbox of retail accepts it.",
		words:    map[string]string{"operation": "Its name, such as " + contract.GroupsCreate.Name + "."},
		required: []string{"operation"}, tells: tellOperation, edits: true,
	},
	{
		name: "list_scenarios", title: "List scenarios", does: reads, call: "listScenarios",
		about: "The scenarios that create_sandbox takes by name, and that a scenario of your own can extend.",
		items: listed("scenarios", "name", "description"), says: "{name}: {description}",
	},
	{
		name: "infer_scenario", title: "Find the bank behind a capture", does: reads, call: "inferScenario",
		about: "Find a scenario whose bank answers the requests of an HTTP archive as the captured service did. " +
			"Names, texts and secrets of the capture are masked: unmasked lists the members that were copied.",
		text: "capture", required: []string{"capture"}, room: 64 << 10,
		says:  "a scenario of {rows} rows, whose bank answers {agree} exchanges as the service did",
		words: map[string]string{"capture": "The text of the archive (HAR), at most about 1 MB."},
	},
	{
		name: "validate_scenario", title: "Validate a scenario", does: reads, call: "validateScenario",
		about: "Whether a scenario, YAML that describes a bank, is valid, and what is wrong or probably wrong, with " +
			"line and column. The resource banksim://docs/scenarios.md says how to write one.",
		text: "yaml", required: []string{"yaml"}, tells: tellValid,
		words: map[string]string{"yaml": "Its text. It may extend a built-in one, such as retail."},
	},
}

func tellOperation(in, answer object) (string, object, error) {
	var names []string
	for _, op := range objects("operations", answer) {
		if op["name"] == in["operation"] {
			short := shortOperation(op)
			example := string(strictjson.MustEncode(short["example"]))
			return expand("{title}: {about}\nexample: send_request ", op) + example, short, nil
		}
		names = append(names, fmt.Sprint(op["name"]))
	}
	name, _ := in["operation"].(string)
	return "", nil, fmt.Errorf("there is no operation %s%s", wording.Quote(name),
		wording.DidYouMean(name, names, "the operations are"))
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
	errors := slices.DeleteFunc(objects("errors", op), func(e object) bool {
		return slices.Contains(leftOut, e["rule"]) || strings.HasPrefix(fmt.Sprint(e["code"]), "BANKSIM_")
	})
	short := pick(op, "name", "method", "path", "bodyMedia", "example")
	short["parameters"] = described(objects("parameters", op), "{in} {name}", "{about} {limits}")
	short["members"] = described(objects("members", op), "{name}", "{type}. {about} {limits}")
	short["answers"] = described(objects("answers", op), "{status}", "{about}")
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
		if other, ok := all[expand(key, element)]; ok && other != words {
			words = fmt.Sprint(other, ", ", words)
		}
		all[expand(key, element)] = words
	}
	return all
}

func tellValid(_, verdict object) (text string, value object, err error) {
	text = "valid"
	if verdict["valid"] != true {
		text = "not valid"
	}
	for _, list := range []string{"problems", "warnings"} {
		for _, defect := range objects(list, verdict) {
			text += expand("\n"+strings.TrimSuffix(list, "s")+": {line}:{column}: {message}", defect)
		}
	}
	return text, verdict, nil
}

// readingFiles returns infer_scenario with an argument that names the file of a capture.
func readingFiles(infer tool, read ReadFile) tool {
	infer.required = nil
	infer.words = maps.Clone(infer.words)
	infer.words["file"] = "The path of the archive, in place of its text."
	infer.complete = func(ctx context.Context, _ *api.Client, in object) error {
		file, isFile := in["file"].(string)
		if _, isText := in["capture"]; isText == isFile {
			return errors.New("give one of capture and file")
		}
		if !isFile {
			return nil
		}
		text, err := read(ctx, file)
		in["capture"] = string(text)
		delete(in, "file")
		return err
	}
	return infer
}
