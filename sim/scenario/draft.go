package scenario

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gopkg.in/yaml.v3"
)

// draft is a scenario with everything that it extends merged in.
type draft struct {
	family
	merged
	document Document
	warnings findings
}

// newDraft reads and checks a scenario. It returns its mistakes: they are about the files of the draft.
func newDraft(from source) (draft, findings) {
	members, found := loadFamily(from)
	if members.trees == nil {
		return draft{family: members}, found
	}
	m, contradictions := members.merge()
	document, mistakes, warnings := members.examine(m)
	if m.inherited != nil && len(mistakes) > 0 && !members.partial {
		mistakes = moveToChanges(mistakes, members, m)
	}
	return draft{members, m, document, warnings}, slices.Concat(found, contradictions.beside(mistakes), mistakes)
}

// beside returns the findings without those at a null that another finding explains: an unknown key is one mistake.
func (f findings) beside(others findings) findings {
	lines := map[int]bool{}
	for _, one := range others {
		lines[one.at.Line] = true
	}
	return slices.DeleteFunc(f, func(one finding) bool { return isNull(one.at) && lines[one.at.Line] })
}

// examine returns the document of a merged tree, the mistakes in it, and warnings. The document has no invalid values.
func (f family) examine(m merged) (d Document, mistakes, warned findings) {
	invalid := maps.Clone(f.invalid)
	if !f.files[0].builtIn { // a test validates the others: to read the schema would take as long as loading them
		mistakes, invalid = validate(f, namedNode{node: m.tree, name: "the scenario"}, definition("scenario"), invalid)
	}
	invalid = withFaults(invalid, valueOf(m.tree, "faults"))
	if mistakes.full() {
		return d, mistakes, nil // what was not looked at may not fit
	}
	if err := pruneInvalid(m.tree, invalid).Decode(&d); err != nil {
		mistakes.add(m.tree, "decoding the tree: %s", err) // a mistake in our code, not in the document
		return d, mistakes, nil
	}
	f.invalid = invalid
	more, warned := check(f, m, d)
	return d, append(mistakes, more...), warned
}

// pruneInvalid returns a tree without the invalid values. Items of lists become empty, so that the others keep their
// index: with the kind of the others, because the YAML library drops null from a list of structs or texts.
func pruneInvalid(n *yaml.Node, invalid nodeSet) *yaml.Node {
	pruned := withContent(n, nil)
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			if value := n.Content[i+1]; !invalid[value] {
				pruned.Content = append(pruned.Content, n.Content[i], pruneInvalid(value, invalid))
			}
		}
		return pruned
	}
	empty := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	if i := slices.IndexFunc(n.Content, func(inner *yaml.Node) bool { return !invalid[inner] }); i >= 0 {
		empty = &yaml.Node{Kind: n.Content[i].Kind, Tag: n.Content[i].Tag}
		if empty.Kind == yaml.ScalarNode {
			empty.Tag = "!!str"
		}
	}
	for _, inner := range n.Content {
		if invalid[inner] {
			pruned.Content = append(pruned.Content, empty)
		} else {
			pruned.Content = append(pruned.Content, pruneInvalid(inner, invalid))
		}
	}
	return pruned
}

// scenario returns the scenario that a good draft describes. It fails only by a mistake in our code.
func (d draft) scenario(o options) (*Scenario, error) {
	doc, from, read := d.document, d.files[0], d.version // no function below may keep the draft, whose trees are large
	name, version := cmp.Or(doc.Name, from.defaultName()), cmp.Or(from.storedVersion, read)
	resolved := sync.OnceValues(func() ([]byte, error) { return resolve(from, read, true) })
	if from.storedVersion != "" {
		resolved = func() ([]byte, error) { return from.text, nil }
	}
	generated := doc.generatedUsers()
	s := Scenario{
		Name:        name,
		Description: doc.Description,
		File:        from.file,
		Source:      from.text,
		Seed:        orDefault(doc.Seed, DrawSeed()),
		Start:       doc.Clock.Start.at(ClockStart{Real: time.Now()}),
		Running:     orDefault(doc.Clock.Run, true),
		Resets:      doc.Resets,
		Faults:      ruleList(doc.Faults),
		Version:     version,
		Tag:         url.PathEscape(name) + "/" + version,
		Warnings:    d.warnings.problems(d.files),
		Summary:     doc.summary(name, generated),
		document:    doc,
		generated:   generated,
		progress:    o.progress,
		started:     new(atomic.Bool),
		resolved:    resolved,
		merged:      sync.OnceValues(func() ([]byte, error) { return resolve(from, read, false) }),
	}
	if o.withoutWorld {
		return &s, nil
	}
	return s.withRows(s.Seed, s.Start)
}
