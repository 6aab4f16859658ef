package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Behavior returns the switches of a service: those of a scenario (empty: the defaults), changed by settings such as
// groups.createStatus=201.
func Behavior(nameOrFile string, settings []string) (*sim.Behavior, error) {
	b := sim.DefaultBehavior()
	if nameOrFile != "" {
		sc, err := scenario.Load(nameOrFile)
		if err != nil {
			return nil, err
		}
		b = *sc.World.Behavior()
	}
	for _, setting := range settings {
		key, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("%s sets no switch: write KEY=VALUE, such as %s=201", phrase.Quote(setting), contract.GroupsCreateStatus.Switch.Key)
		}
		if err := set(&b, key, value); err != nil {
			return nil, err
		}
	}
	return &b, nil
}

// set sets a switch to a value that is given as text. The key of a switch that takes texts has the name of one behind it.
func set(b *sim.Behavior, key, text string) error {
	var keys []string
	for _, s := range contract.Switches() {
		name, named := strings.CutPrefix(key, s.Key+".")
		switch {
		case s.Kind == contract.Texts && named:
			return setText(s, b, name, text)
		case s.Kind == contract.Texts && s.Key == key:
			return fmt.Errorf("the switch %s takes a text for each code: write %s=TEXT", s.Key, s.Key+"."+s.Names[0])
		case s.Key == key:
			value, err := valueOf(s, text)
			if err == nil {
				s.Set(b, value)
			}
			return err
		}
		keys = append(keys, s.Key)
	}
	return fmt.Errorf("there is no switch %s%s", phrase.Quote(key), phrase.DidYouMean(key, keys, "the switches are"))
}

// setText sets one of the texts of a switch.
func setText(s *contract.Switch, b *sim.Behavior, name, text string) error {
	switch {
	case !slices.Contains(s.Names, name):
		return fmt.Errorf("the switch %s takes no %s%s", s.Key, phrase.Quote(name), phrase.DidYouMean(name, s.Names, "it takes"))
	case text == "":
		return fmt.Errorf("the text of the switch %s.%s is empty: give one, or leave the switch out", s.Key, name)
	}
	s.SetText(b, name, text)
	return nil
}

// valueOf returns the value of a switch that a text stands for.
func valueOf(s *contract.Switch, text string) (value any, err error) {
	var takes string
	switch s.Kind {
	case contract.Status, contract.Word:
		takes = "one of " + phrase.Names(s.Names)
		if !slices.Contains(s.Names, text) {
			err = strconv.ErrSyntax
		} else if value = text; s.Kind == contract.Status {
			value, err = strconv.Atoi(text)
		}
	case contract.Number:
		takes = fmt.Sprintf("a number from %d to %d", s.Least, s.Most)
		number, failed := strconv.Atoi(text)
		if value, err = number, failed; err == nil && (number < s.Least || number > s.Most) {
			err = strconv.ErrRange
		}
	case contract.Lifetime:
		takes = "a duration, such as 15m"
		duration, failed := time.ParseDuration(text)
		if value, err = duration, failed; err == nil && duration <= 0 {
			err = strconv.ErrRange
		}
	case contract.Flag:
		takes = "true or false"
		value, err = strconv.ParseBool(text)
	case contract.List:
		takes = "texts separated by commas, each " + s.Form.Title + ", such as " + strings.Join(s.Form.Examples, ",")
		if strings.HasPrefix(text, "[") { // no text of a form does, but an origin may end with a bracket
			text = strings.TrimSuffix(text[1:], "]")
		}
		texts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", ", r) })
		value = texts
		for _, t := range texts {
			if !regexp.MustCompile(s.Form.Pattern).MatchString(t) {
				err = strconv.ErrSyntax
			}
		}
	case contract.Members:
		takes = "some of " + phrase.Names(s.Names) + ", separated by commas"
		members := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", []", r) })
		value = members
		for _, m := range members {
			if !slices.Contains(s.Names, m) {
				err = strconv.ErrSyntax
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the switch %s takes %s, not %s", s.Key, takes, phrase.Quote(text))
	}
	return value, nil
}

// behavesSo reports whether a service has switches that a golden exchange sets, as its file has them.
func behavesSo(b *sim.Behavior, switches json.RawMessage) bool {
	var block any
	if json.Unmarshal(switches, &block) != nil {
		return false
	}
	other := *b
	return setAll(&other, "", block) && reflect.DeepEqual(*b, other)
}

// setAll sets the switches of a block, whose keys begin with a prefix, and reports whether it knows all of them.
func setAll(b *sim.Behavior, prefix string, value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			if !setAll(b, strings.TrimPrefix(prefix+"."+key, "."), v) {
				return false
			}
		}
		return true
	case []any:
		return set(b, prefix, fmt.Sprint(value)) == nil
	}
	return set(b, prefix, fmt.Sprint(value)) == nil
}
