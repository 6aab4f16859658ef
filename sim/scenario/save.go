package scenario

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Bank is a bank at one moment, to be saved as a scenario.
type Bank struct {
	World   *sim.World
	Now     time.Time     // virtual
	Since   time.Duration // virtual, from the start of its sandbox
	Running bool          // whether its clock advances with real time
	Seed    uint64
	Drawn   bool // whether the seed was drawn: then each start from the saved bank draws one, too
	Faults  []fault.Counted
	From    *Scenario // from which it started
}

// Bank returns the bank that a sandbox starts with.
func (s *Scenario) Bank() Bank {
	return Bank{World: s.World, Now: s.Start, Running: s.Running, Seed: s.Seed, Drawn: !s.Seeded(),
		Faults: fault.NewSet(s.Faults, s.Seed).Counts(), From: s}
}

// maxSaved is how many users, accounts and groups a saved bank has at most (choice): each takes at least 20 bytes.
const maxSaved = MaxBytes / 20

// ErrBankTooLarge is the error for a bank that no scenario could hold.
var ErrBankTooLarge = errors.New("the bank has too many rows for a scenario, which is at most 1 MiB: " +
	"take a snapshot or a fork of it instead, or save a smaller one")

// Save returns a scenario that loads to an equal bank: rows, behaviour, faults and clock. The loaded bank draws its
// own ids and tokens. The scenario extends nothing. It leaves out tokens that were issued and card numbers that came
// with requests, and counts them in comments at its top. It fails with ErrBankTooLarge.
func Save(b Bank) ([]byte, error) {
	s := saver{Bank: b}
	tree := nodeOf(s.document())
	if s.rows > maxSaved {
		return nil, ErrBankTooLarge
	}
	fold(tree)
	from := strings.Trim(strconv.Quote(b.From.Name), `"`)
	tree.HeadComment = fmt.Sprintf(
		"# A bank that began as the scenario %s, as it was at %s of its clock.", from, moment(b.Now),
	)
	for _, lost := range []struct {
		count int
		what  string
	}{{s.tokensLost, "tokens that were issued meanwhile"}, {s.secretsLost,
		"secrets in alert preferences that came with requests"}} {
		if lost.count > 0 {
			tree.HeadComment += fmt.Sprintf("\n# Not kept: %d %s.", lost.count, lost.what)
		}
	}
	return encode(tree, ErrBankTooLarge)
}

// saver writes a bank as a document.
type saver struct {
	Bank
	rows                    int // users, accounts and groups in the document
	tokensLost, secretsLost int // that are not kept
}

// addRow counts a row, and reports whether a scenario has room for it.
func (s *saver) addRow() bool {
	s.rows++
	return s.rows <= maxSaved
}

func (s *saver) document() Document {
	d := Document{
		Name:        s.From.Name,
		Description: s.From.Description,
		Clock:       clock{Start: clockStart(moment(s.Now)), Run: &s.Running},
		Resets:      s.From.Resets,
		Behavior:    s.behavior(),
		Faults:      s.faults(),
	}
	if seed := s.World.SeedFrom(s.Seed); !s.Drawn {
		d.Seed = &seed
	}
	tokens := s.tokens()
	for _, i := range s.Institutions() {
		written := s.institution(i)
		written.Tokens = tokens[i.InstitutionID]
		d.Institutions = append(d.Institutions, written)
	}
	return d
}

// Institutions returns the institutions in the order of the scenario. A request without an institution belongs to the
// first.
func (b Bank) Institutions() []*sim.Institution {
	ids := []string{b.World.Home()}
	for _, i := range b.From.document.Institutions {
		ids = append(ids, i.InstitutionID)
	}
	for i := range b.World.Institutions() {
		ids = append(ids, i.InstitutionID)
	}
	var each []*sim.Institution
	listed := map[string]bool{}
	for _, id := range ids {
		if i, there := b.World.Institution(id); there && !listed[id] {
			listed[id] = true
			each = append(each, i)
		}
	}
	return each
}

func (s *saver) institution(i *sim.Institution) institution {
	id := i.InstitutionID
	written := institution{
		InstitutionID:    id,
		Multistatement:   omitDefault(i.Multistatement, true),
		AlertPreferences: s.alertPreferences(id, ""),
		Generate:         s.generateOf(id),
	}
	s.alertTypes(&written, i)
	for c := range s.World.Clients(id) {
		written.Clients = append(written.Clients, client{c.SharedKey, c.SecretKey, c.Scopes,
			(*codePolicy)(c.Codes)})
	}
	for u := range s.World.Users(id) {
		if written.Generate != nil && s.From.Generates(id, u.HostUserID) && s.asGenerated(u) {
			continue
		}
		if !s.addRow() {
			return written
		}
		written.Users = append(written.Users, s.user(u))
	}
	written.Groups = s.groups(id)
	return written
}

// tokens returns the tokens that a scenario lists, by institution and in their order. It counts issued tokens.
func (s *saver) tokens() map[string][]token {
	all, place := map[string][]token{}, map[string]uint64{}
	for t, g := range s.World.Tokens() {
		if !t.IsListed() {
			s.tokensLost++
		}
		if !t.IsListed() || t.Refresh {
			continue
		}
		w := token{
			AccessToken: t.Text,
			Client:      g.SharedKey,
			HostUserID:  g.HostUserID,
			Scopes:      sim.ScopesIn(g.Scopes),
			ExpiresAt:   moment(t.ExpiresAt),
			Revoked:     g.Revoked || t.Revoked,
		}
		if refresh, ok := s.World.Token(g.RefreshToken); ok && refresh.IsListed() && g.AccessToken == t.Text {
			w.RefreshToken, w.RefreshExpiresAt = refresh.Text, moment(refresh.ExpiresAt)
			w.Revoked, w.AccessTokenRevoked = g.Revoked, t.Revoked
		}
		place[t.Text] = g.Sequence
		all[g.InstitutionID] = append(all[g.InstitutionID], w)
	}
	for _, written := range all {
		slices.SortFunc(
			written, func(a, b token) int { return cmp.Compare(place[a.AccessToken], place[b.AccessToken]) },
		)
	}
	return all
}

// behavior returns the switches that the scenario sets.
func (s *saver) behavior() yaml.Node {
	whole := map[string]any{}
	b := s.World.Behavior()
	for _, w := range contract.Switches() {
		block, key, isNested := strings.Cut(w.Key, ".")
		switch {
		case !slices.Contains(b.Explicit, w.Key):
			continue
		case !isNested:
			whole[w.Key] = switchValue(w, b)
			continue
		case whole[block] == nil:
			whole[block] = map[string]any{}
		}
		whole[block].(map[string]any)[key] = switchValue(w, b)
	}
	if len(whole) == 0 {
		return yaml.Node{}
	}
	return *nodeOf(whole)
}

func switchValue(w *contract.Switch, b *sim.Behavior) *yaml.Node {
	switch w.Kind {
	case contract.Members, contract.List:
		return nodeOf(strings.Split(w.Value(b), ", "))
	case contract.Texts:
		return nodeOf(w.TextsOf(b))
	case contract.Word, contract.Lifetime:
		return scalar(w.Value(b))
	}
	return unquoted(w.Value(b))
}

// faults returns the fault rules of the bank. Their windows are times of the clock: a window that counts from the
// start would begin again.
func (s *saver) faults() (rules []faultRule) {
	for _, c := range s.Faults {
		r := s.timed(c.Rule)
		if r.From != "" { // it is a test's
			r.From, r.Required = "", false
		}
		rules = append(rules, faultRule(r))
	}
	return rules
}

// timed returns a rule whose window begins and ends at times of the clock.
func (s *saver) timed(r fault.Rule) fault.Rule {
	if r.When.During == nil {
		return r
	}
	during := *r.When.During
	begin := s.Now.Add(-s.Since)
	for _, m := range []*fault.Moment{&during.From, &during.Until} {
		if m.At.IsZero() && (m.Offset != 0 || m == &during.From && during.For != 0) {
			*m = fault.Moment{At: begin.Add(time.Duration(m.Offset))}
		}
	}
	r.When.During = &during
	return r
}

// nodeOf returns a value of a document, or a value decoded from JSON, as YAML. A member with the zero value is left
// out.
func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case yaml.Node:
		return &v
	case json.Number:
		return unquoted(v.String())
	case *time.Time:
		return nodeOf(moment(*v))
	case json.Marshaler, encoding.TextMarshaler: // in a fault rule, which is checked
		if encoded, err := json.Marshal(v); err == nil {
			return nodeOf(decodeJSON(encoded))
		}
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.String:
		return scalar(v.String())
	case reflect.Pointer:
		if v.IsNil() {
			return nodeOf(nil)
		}
		return nodeOf(v.Elem().Interface())
	case reflect.Slice:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range v.Len() {
			list.Content = append(list.Content, nodeOf(v.Index(i).Interface()))
		}
		return list
	case reflect.Map, reflect.Struct:
		return mappingOf(v)
	}
	return unquoted(fmt.Sprint(value))
}

// mappingOf returns a map or a struct as YAML.
func mappingOf(v reflect.Value) *yaml.Node {
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if v.Kind() == reflect.Map {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			mapping.Content = append(mapping.Content, scalar(key.String()), nodeOf(v.MapIndex(key).Interface()))
		}
		return mapping
	}
	for i := range v.NumField() {
		if member := v.Field(i); !member.IsZero() {
			mapping.Content = append(
				mapping.Content, scalar(v.Type().Field(i).Tag.Get("yaml")), nodeOf(member.Interface()),
			)
		}
	}
	return mapping
}

// scalar returns a text. It has quotes if the YAML library would read another text than it writes: the library
// confuses some line breaks.
func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.ToValidUTF8(text, "\ufffd")}
	if strings.ContainsAny(text, lineBreaks) || text == "<<" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

const lineBreaks = "\n\r\u0085\u2028\u2029"

// unquoted returns what needs no quotes: a number or a flag.
func unquoted(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// decodeJSON decodes JSON. It keeps numbers exact.
func decodeJSON(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil // it was encoded here, or by the domain
	}
	return value
}

// encode writes a tree, or returns the error for one that is too large for a scenario.
func encode(n *yaml.Node, tooLarge error) ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(n), encoder.Close())
	if err == nil && text.Len() > MaxBytes {
		err = tooLarge
	}
	return text.Bytes(), err
}

// maxFolded is how many characters a mapping or a list on one line has at most, about.
const maxFolded = 200

// fold puts short mappings and lists of texts on one line. It returns how long the node is on one line.
func fold(n *yaml.Node) int {
	width, folds := len(n.Value)+2, len(n.Content) > 0
	for _, inner := range n.Content {
		width += fold(inner)
		folds = folds &&
			(inner.Kind == yaml.ScalarNode || n.Kind == yaml.MappingNode && inner.Style&yaml.FlowStyle != 0)
	}
	if folds && width <= maxFolded {
		n.Style |= yaml.FlowStyle
	}
	return width
}
