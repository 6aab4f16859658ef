package scenario

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// checker finds what no schema can say: doubled ids, references to nothing, values that contradict each other. It
// warns of probable mistakes.
type checker struct {
	findings
	family
	merged
	warnings findings

	behavior sim.Behavior
	clock    clock
	start    time.Time // of the clock

	ids     seenIDs             // those that are unique in the whole scenario
	userIDs map[string]knownIDs // by institution
	amount  generatedAmount
	lines   map[int][]string // of the files, by their numbers
}

// seenIDs tells where each id was first, by its key and text.
type seenIDs map[[2]string]*yaml.Node

// LatestYear is the last year that a clock starts in. 292 years, the longest duration, are left before a year has five
// digits.
const LatestYear = 9700

// check checks a document against the tree that it was read from. It returns its mistakes, and warnings. These count
// only without mistakes. Values that don't fit the schema are the invalid ones of the family.
func check(f family, m merged, d Document) (mistakes, warnings findings) {
	c := checker{
		family:   f,
		merged:   m,
		behavior: behaviorOf(&d.Behavior),
		clock:    d.Clock,
		start:    d.Clock.Start.at(ClockStart{Real: time.Now()}),
		ids:      seenIDs{},
		userIDs:  map[string]knownIDs{},
		lines:    map[int][]string{},
	}
	if c.start.Year() > LatestYear {
		c.add(lookup(m.tree, "clock", "start"),
			"start is out of range: the clock starts in the year %d at the latest", LatestYear)
	}
	c.switches(&d.Behavior)
	c.texts(m.tree, "")
	c.alike(m.tree, "institutions", "institutionId")
	for at, i := range items(m.tree, "institutions", d.Institutions) {
		c.unique(c.ids, "institutionId", i.InstitutionID, at)
		if c.full() {
			return c.findings, nil
		}
		c.institution(at, i)
	}
	if len(d.Faults) > 0 {
		c.faults(lookup(m.tree, "faults"), ruleList(d.Faults))
		c.faultReferences(d)
	}
	for at, rule := range items(m.tree, "faults", ruleList(d.Faults)) {
		c.fault(at, rule)
	}
	return c.findings, c.warnings
}

// items returns the rows of a list of a document, each with its node. The index in the document is the index in the
// tree, because pruneInvalid keeps an item in the place of each.
func items[T any](in *yaml.Node, list string, rows []T) iter.Seq2[*yaml.Node, T] {
	return func(yield func(*yaml.Node, T) bool) {
		for n, at := range lookup(in, list).Content[:len(rows)] {
			if !yield(at, rows[n]) {
				return
			}
		}
	}
}

// warn adds a warning. What an embedded scenario has is meant.
func (c *checker) warn(at *yaml.Node, format string, args ...any) {
	if !c.files[fileOf(at)].builtIn {
		c.warnings.add(at, format, args...)
	}
}

// where says where a node is, for a message about another one.
func (c *checker) where(n, from *yaml.Node) string {
	if fileOf(n) != fileOf(from) {
		return fmt.Sprintf("in %s, line %d", c.files[fileOf(n)].file, lineOf(n))
	}
	return fmt.Sprintf("on line %d", lineOf(n))
}

// unique reports an id that an earlier item has. A token is unlike all others, whichever key it has.
func (c *checker) unique(ids seenIDs, key, id string, item *yaml.Node) {
	if id == "" {
		return
	}
	kind, shown := key, " "+wording.Quote(id)
	if secretKeys[key] {
		kind, shown = "token", ""
	}
	at := lookup(item, key)
	first, doubled := ids[[2]string{kind, id}]
	if !doubled {
		ids[[2]string{kind, id}] = at
		return
	}
	if first.Line == at.Line && first.Column == at.Column {
		at = item // an alias of the first item: the second one is where the alias is
	}
	c.add(at, "duplicate %s%s, first %s: change or remove one of them", key, shown, c.where(first, at))
}

// idText returns an id as a text, or an empty text for 0.
func idText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

func (c *checker) institution(at *yaml.Node, i institution) {
	ids := seenIDs{}
	c.clients(at, ids, i)
	alertTypes := c.known(at, "institutionAlertTypes", "alertTypeName")
	for _, name := range slices.DeleteFunc(slices.Clone(i.AlertTypes), func(name string) bool { return name == "" }) {
		alertTypes.names, alertTypes.has[name] = append(alertTypes.names, name), true
	}
	c.users(at, ids, i, alertTypes)
	c.alertPreferences(at, i.AlertPreferences, alertTypes)
	c.parents(at, i)
	c.institutionAlerts(at, ids, i, alertTypes)
	c.tokens(at, i)
	c.groups(at, ids, i)
	if i.Generate != nil {
		c.generate(lookup(at, "generate"), *i.Generate)
	}
}

// knownIDs are the ids that something may refer to.
type knownIDs struct {
	names   []string
	has     map[string]bool
	partial bool // whether there are items without a known id, because they have a mistake
}

// known returns the ids in a list of a mapping as they are written. An id that doesn't fit isn't named.
func (c *checker) known(in *yaml.Node, list, key string) knownIDs {
	k := knownIDs{has: map[string]bool{}}
	written := valueOf(in, list)
	if !isKind(written, yaml.SequenceNode) {
		k.partial = written != nil
		return k
	}
	for _, item := range written.Content {
		value := valueOf(item, key)
		switch {
		case value == nil:
			k.partial = true
			continue
		case !c.invalid[value]:
			k.names = append(k.names, value.Value)
		}
		k.has[value.Value] = true
	}
	return k
}

// refersToNothing reports a reference to an item of a list of an institution that isn't there: at what removed it, if
// that is known.
func (c *checker) refersToNothing(at *yaml.Node, i institution, list, id string, all knownIDs) {
	key, what := lists[list].by[0][0], lists[list].item
	if all.partial || c.partial || c.full() {
		return
	}
	inList := keyPath{}.key("institutions").item(i.InstitutionID).key(list)
	for _, p := range []keyPath{inList.item(id), inList} {
		if removal := c.removed[p]; removal != nil {
			c.add(removal, "the %s with %s %s is removed, and referred to %s: remove or change what refers to it, too",
				what, key, wording.Quote(id), c.where(at, removal))
			return
		}
	}
	hint := c.didYouMean(id, all.names, "there are")
	switch {
	case list == "users" && i.Generate != nil && i.Generate.Users > 0:
		hint = fmt.Sprintf(": generate makes %s to %s", generatedUserID(1), generatedUserID(i.Generate.Users))
	case len(all.has) == 0:
		hint = ": it has none, so add one"
	}
	c.add(at, "no %s of this institution has %s %s%s", what, key, wording.Quote(id), hint)
}
