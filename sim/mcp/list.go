package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// The limits of a result (choice): agents have little room for the text that they read.
const (
	maxResult = 8 << 10 // bytes, text and value together
	maxItems  = 100     // of a list
	maxLooked = 1000    // items of a kind that the calls of the control API return at most
	maxText   = 1000    // characters of a value in the text of a result

	fewMembers = 20 // of an object, which always has room for so many
)

// listSchema is the schema of the result of a tool that lists something.
var listSchema = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
	"items":    {Type: "array", Items: &jsonschema.Schema{Type: "object"}},
	"total":    {Type: "integer", Description: "How many there are. Not there: more than can be counted."},
	"nextSkip": {Type: "integer", Description: "The skip that goes on. Not there: these are the last."},
	"more":     {Type: "string"},
}}

// listed returns a function that returns the objects in a list of an answer, with some members, or with all.
func listed(list string, members ...string) func(_, answer object) []object {
	return func(_, answer object) []object {
		all := objects(list, answer)
		for i := range all {
			if len(members) > 0 {
				all[i] = pick(all[i], members...)
			}
		}
		return all
	}
}

// list returns the page of items that is asked for, with as many whole items as a result has room for. If mayBeMore,
// the answer has at most maxLooked items of a kind, and there may be others.
func list(in object, items []object, says string, mayBeMore bool) (string, object, error) {
	limit, skip := number(in["limit"], maxItems), number(in["skip"], 0)
	if limit < 1 || limit > maxItems {
		return "", nil, fmt.Errorf("limit must be 1 to %d: skip gets more", maxItems)
	}
	if skip < 0 || skip > len(items) {
		return "", nil, fmt.Errorf("skip must be 0 to %d", len(items))
	}
	shown, lines, room := []object{}, []string{}, maxResult-500
	if len(items) == 0 {
		lines = append(lines, "there are none")
	}
	for _, item := range items[skip:min(skip+limit, len(items))] {
		item = fit(item, maxResult/2)
		line := strings.TrimRight(expand(says, item), " ")
		if room -= len(line) + len(strictjson.MustEncode(item)) + 2; room < 0 && len(shown) > 0 {
			break
		}
		shown, lines = append(shown, item), append(lines, line)
	}
	end := skip + len(shown)
	value := object{"items": shown, "total": len(items)}
	if end < len(items) {
		value["nextSkip"] = end
		left := fmt.Sprintf("%d of %d are left out: call again with \"skip\": %d", len(items)-end, len(items), end)
		lines = append(lines, left)
	}
	if mayBeMore && len(items) >= maxLooked {
		delete(value, "total") // it isn't known
		value["more"] = fmt.Sprintf("at most %d items of a kind are looked at: ask for less to find others", maxLooked)
		lines = append(lines, fmt.Sprint(value["more"]))
	}
	return strings.Join(lines, "\n"), value, nil
}

// number returns a number that is given, or -1 if it isn't a number of int.
func number(value any, byDefault int) int {
	if value == nil {
		return byDefault
	}
	if n, err := strconv.Atoi(fmt.Sprint(value)); err == nil {
		return n
	}
	return -1
}

// fit returns an object with its long texts and lists cut until there is room for it. Each cut says how much it leaves
// out.
func fit(value object, room int) object {
	cut, text, elements := value, room, maxItems
	for len(strictjson.MustEncode(cut)) > room && text > 10 {
		cut = clip(value, text, elements).(object)
		text, elements = text/2, elements/2
	}
	return cut
}

// clip returns a value with its texts cut after so many characters, and its lists and large objects after so many
// elements.
func clip(value any, text, elements int) any {
	switch v := value.(type) {
	case string:
		if left := utf8.RuneCountInString(v) - text; left > 0 {
			return fmt.Sprintf("%s… %d more characters", string([]rune(v)[:text]), left)
		}
	case []any:
		cut := []any{}
		for _, element := range v[:min(len(v), elements)] {
			cut = append(cut, clip(element, text, elements))
		}
		if left := len(v) - elements; left > 0 {
			cut = append(cut, fmt.Sprintf("… %d more", left))
		}
		return cut
	case object:
		cut, names := object{}, slices.Sorted(maps.Keys(v))
		most := max(elements, fewMembers)
		for _, name := range names[:min(len(names), most)] {
			cut[name] = clip(v[name], text, elements)
		}
		if left := len(names) - most; left > 0 {
			cut["…"] = fmt.Sprintf("%d more", left)
		}
		return cut
	}
	return value
}
