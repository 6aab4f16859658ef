package scenario

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// identity says how the items of a list are told apart.
type identity struct {
	what string // one item, in messages

	// by has the keys that identify an item. Of several alternatives, an item has the first of which it has all keys. A key is
	// the path to a value in the item. One that ends with ? may be missing, which identifies an item, too.
	by [][]string

	// sole is whether an item without a key stands for the inherited one without a key, or else for the only one that is
	// inherited. In other lists, such an item is a new one.
	sole bool
}

// keyed has the lists whose items are told apart, by the key of the list: they merge item by item, and are compared so.
var keyed = map[string]identity{
	"institutions":                {what: "institution", by: [][]string{{"institutionId"}}},
	"clients":                     {what: "client", by: [][]string{{"sharedKey"}}},
	"users":                       {what: "user", by: [][]string{{"hostUserId"}}},
	"accounts":                    {what: "account", by: [][]string{{"accountId"}}},
	"disclosures":                 {what: "disclosure", by: [][]string{{"institutionDisclosureName"}}, sole: true},
	"tokens":                      {what: "token", by: [][]string{{"accessToken"}}},
	"groups":                      {what: "group", by: [][]string{{"groupName"}}},
	"jobs":                        {what: "job", by: [][]string{{"jobId"}}},
	"faults":                      {what: "fault", by: [][]string{{"name"}}},
	"institutionAlertTypes":       {what: "alert type", by: [][]string{{"alertTypeName"}}},
	"institutionAlertPreferences": {what: "default alert preference", by: [][]string{{"alertTypeName", "channelTypeName"}}},
	"alertPreferences": {what: "alert preference", by: [][]string{
		{"alertPreferenceDetails.alertPrefId"},
		{"alertPreferenceDetails.alertTypeName", "alertPreferenceDetails.channelTypeName", "alertPreferenceAccountDetails.accountId?"},
	}},
}

// The keys that mark an item of a list: one that is removed, and one before those that replace the whole list.
const (
	removeKey  = "remove"
	replaceKey = "replace"
)

// marked reports whether an item has a mark: a key with the value true.
func marked(item *yaml.Node, key string) bool {
	value := valueOf(item, key)
	return value != nil && value.Tag == "!!bool" && value.Value == "true"
}

// replacesList reports whether an item says that its list replaces the inherited one.
func replacesList(item *yaml.Node) bool { return len(item.Content) == 2 && marked(item, replaceKey) }

// secretKeys are the keys whose values no message shows.
var secretKeys = map[string]bool{"secretKey": true, "password": true, "accessToken": true, "refreshToken": true}

// freeForm is the key of mappings that have any keys: a list in one is a value.
const freeForm = "additionalInfo"

// itemID is what identifies an item of a list.
type itemID struct {
	key  string // compares equal for items with the same identity
	text string // in messages; empty for a secret
}

// of returns the identities of an item, the best one first.
func (k identity) of(item *yaml.Node) []itemID {
	var ids []itemID
	for n, keys := range k.by {
		values := valuesOf(item, keys)
		if len(values) == 0 {
			continue
		}
		id := itemID{key: strings.Repeat(separator, n) + strings.Join(values, separator)}
		if !secretKeys[keys[0]] {
			id.text = strings.TrimSpace(strings.Join(values, " "))
		}
		ids = append(ids, id)
	}
	return ids
}

// valuesOf returns the values at paths of keys; none if one that is needed is missing.
func valuesOf(item *yaml.Node, keys []string) []string {
	values := make([]string, len(keys))
	for i, key := range keys {
		path, optional := strings.CutSuffix(key, "?")
		value := item
		for step := range strings.SplitSeq(path, ".") {
			value = valueOf(value, step)
		}
		switch {
		case isKind(value, yaml.ScalarNode) && value.Tag != "!!null":
			values[i] = value.Value
		case !optional:
			return nil
		}
	}
	return values
}

// needs lists the keys of which an item must have one alternative: "alertPrefId, or alertTypeName and channelTypeName".
func (k identity) needs() string {
	var alternatives []string
	for _, keys := range k.by {
		var shown []string
		for _, key := range keys {
			if !strings.HasSuffix(key, "?") {
				shown = append(shown, key[strings.LastIndex(key, ".")+1:])
			}
		}
		alternatives = append(alternatives, strings.Join(shown, " and "))
	}
	return strings.Join(alternatives, ", or ")
}

// other returns the first key of an item, at any depth, that is none of those that identify one, or nil.
func (k identity) other(item *yaml.Node, prefix string) *yaml.Node {
	for i := 0; i+1 < len(item.Content); i += 2 {
		key, value := item.Content[i], item.Content[i+1]
		path := prefix + key.Value
		if isKind(value, yaml.MappingNode) {
			if inner := k.other(value, path+"."); inner != nil {
				return inner
			}
			continue
		}
		identifies := func(keys []string) bool { return slices.Contains(keys, path) || slices.Contains(keys, path+"?") }
		if path != removeKey && !slices.ContainsFunc(k.by, identifies) {
			return key
		}
	}
	return nil
}

// named names an item in messages: group "Early adopters". A secret isn't shown.
func (k identity) named(id itemID) string {
	if id.text == "" {
		return k.what + " with this " + k.needs()
	}
	return k.what + " " + phrase.Quote(id.text)
}
