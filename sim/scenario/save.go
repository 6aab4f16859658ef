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
	"github.com/digitalbanking-sim/banksim/sim/redact"
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

// Bank returns the bank as it is at the start.
func (s *Scenario) Bank() Bank {
	return Bank{World: s.World, Now: s.Start, Running: s.Running, Seed: s.Seed, Drawn: !s.Seeded,
		Faults: fault.NewSet(s.Faults, s.Seed).Counts(), From: s}
}

// Limits of a saved bank (choice).
const (
	// maxNotes is how many things that are not kept are named one by one.
	maxNotes = 100
	// leastRow is how many bytes a user, an account or a group takes at least.
	leastRow = 20
)

// ErrBankTooLarge is the error for a bank that no scenario could hold.
var ErrBankTooLarge = errors.New("the bank has too many rows for a scenario, which is at most 1 MiB: " +
	"take a snapshot or a fork of it instead, or save a smaller one")

// Save returns a scenario that loads to an equal bank: rows, behaviour, faults and clock. Ids and tokens are drawn anew.
// It extends nothing. Secrets are in it only as far as a scenario gave them; comments at its top name what it doesn't keep:
//
//   - Tokens that were issued meanwhile, by their fingerprints.
//   - Card numbers and other secrets of alert preferences that came with requests.
//   - How often fault rules have matched.
//
// It fails with ErrBankTooLarge.
func Save(b Bank) ([]byte, error) {
	s := saver{Bank: b, given: b.givenGrants()}
	s.note("A bank that began as the scenario %s, as it was at %s of its clock.", b.From.Name, moment(b.Now))
	tree := nodeOf(s.document())
	if s.rows > MaxBytes/leastRow {
		return nil, ErrBankTooLarge
	}
	fold(tree)
	tree.Style = 0
	for _, i := range valueOf(tree, "institutions").Content {
		i.Style = 0
	}
	if more := len(s.notes) - maxNotes; more > 0 {
		s.notes = append(s.notes[:maxNotes], fmt.Sprintf("# and %d more", more))
	}
	tree.HeadComment = strings.Join(s.notes, "\n")
	encoded, err := encode(tree)
	if err == nil && len(encoded) > MaxBytes {
		err = ErrBankTooLarge
	}
	return encoded, err
}

// saver writes a bank as a document.
type saver struct {
	Bank
	given map[string][]givenGrant // by institution
	notes []string                // what is saved, and what is not kept, as comments
	rows  int                     // users, accounts and groups in the document
}

// full counts a row, and reports whether there are more than a scenario can have. Then nothing more is written.
func (s *saver) full() bool {
	s.rows++
	return s.rows > MaxBytes/leastRow
}

// note adds a comment of one line.
func (s *saver) note(format string, args ...any) {
	s.notes = append(s.notes, "# "+oneLine(fmt.Sprintf(format, args...)))
}

// oneLine returns a text for a comment.
func oneLine(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// moment returns a time in the notation of RFC 3339.
func moment(t time.Time) timestamp { return timestamp(t.UTC().Format(time.RFC3339Nano)) }

// unless returns a value, or nil where it is the default.
func unless[T comparable](standard, value T) *T {
	if value == standard {
		return nil
	}
	return &value
}

func (s *saver) document() document {
	d := document{
		Name:        s.From.Name,
		Description: s.From.Description,
		Clock:       clock{Start: clockStart(moment(s.Now)), Run: &s.Running},
		Behavior:    s.behavior(),
		Faults:      s.faults(),
	}
	if seed := s.World.SeedFrom(s.Seed); !s.Drawn {
		d.Seed = &seed
	}
	for _, i := range s.Institutions() {
		d.Institutions = append(d.Institutions, s.institution(i))
	}
	return d
}

// Institutions returns the institutions in the order of the scenario. The first one is where requests belong that name none.
func (b Bank) Institutions() []*sim.Institution {
	ids := []string{b.World.Home()}
	for _, i := range b.From.says.Institutions {
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
		Multistatement:   unless(true, i.Multistatement),
		Tokens:           s.tokens(id),
		AlertPreferences: s.alertPreferences(id, ""),
		Generate:         s.fillerOf(id),
	}
	s.alertTypes(&written, i)
	for c := range s.World.Clients(id) {
		written.Clients = append(written.Clients, client{SharedKey: c.SharedKey, SecretKey: c.SecretKey})
	}
	for u := range s.World.Users(id) {
		if written.Generate != nil && s.From.Generates(id, u.HostUserID) && s.asGenerated(u) {
			continue
		}
		if s.full() {
			return written
		}
		written.Users = append(written.Users, s.user(u))
	}
	written.Groups = s.groups(id)
	return written
}

// givenGrant is an access token that a scenario gave, with its grant.
type givenGrant struct {
	token   *sim.Token
	grant   *sim.Grant
	refresh *sim.Token // of the grant, if a scenario gave it; nil: none
}

// givenGrants returns the access tokens that scenarios gave, by institution, in their order.
func (b Bank) givenGrants() map[string][]givenGrant {
	all := map[string][]givenGrant{}
	for t, g := range b.World.Tokens() {
		if !t.Given() || t.Refresh {
			continue
		}
		given := givenGrant{token: t, grant: g}
		if refresh, ok := b.World.Token(g.RefreshToken); ok && refresh.Given() && g.AccessToken == t.Text {
			given.refresh = refresh
		}
		all[g.InstitutionID] = append(all[g.InstitutionID], given)
	}
	for _, grants := range all {
		slices.SortFunc(grants, func(a, b givenGrant) int { return cmp.Compare(a.grant.Sequence, b.grant.Sequence) })
	}
	return all
}

// tokens returns the tokens that a scenario gave, and names those that were issued meanwhile.
func (s *saver) tokens(institutionID string) (written []token) {
	for _, g := range s.given[institutionID] {
		w := token{
			AccessToken: g.token.Text,
			Client:      g.grant.SharedKey,
			HostUserID:  g.grant.HostUserID,
			ExpiresAt:   moment(g.token.ExpiresAt),
			Revoked:     g.grant.Revoked || g.token.Revoked && g.refresh == nil,
		}
		if g.refresh != nil {
			w.RefreshToken, w.RefreshExpiresAt = g.refresh.Text, moment(g.refresh.ExpiresAt)
			w.AccessTokenRevoked = g.token.Revoked
		}
		written = append(written, w)
	}
	for g := range s.World.Grants(institutionID) {
		t, ok := s.World.Token(g.AccessToken)
		if !ok || t.Given() {
			continue
		}
		bound, state := "", "expires "+string(moment(t.ExpiresAt))
		if g.HostUserID != "" {
			bound = " for user " + g.HostUserID
		}
		if g.Revoked || t.Revoked {
			state = "revoked"
		}
		s.note("%s, of %s%s, %s, issued meanwhile: not kept", redact.Fingerprint(t.Text), g.SharedKey, bound, state)
	}
	return written
}

// behavior returns the switches that are not at their defaults.
func (s *saver) behavior() yaml.Node {
	whole := yaml.Node{Kind: yaml.MappingNode}
	blocks := map[string]*yaml.Node{}
	b := s.World.Behavior()
	for _, w := range contract.Switches() {
		if w.Value(b) == w.Default {
			continue
		}
		block, key, nested := strings.Cut(w.Key, ".")
		into := &whole
		if !nested {
			key = w.Key
		} else if into = blocks[block]; into == nil {
			into = &yaml.Node{Kind: yaml.MappingNode}
			blocks[block] = into
			whole.Content = append(whole.Content, scalar(block), into)
		}
		into.Content = append(into.Content, scalar(key), switchValue(w, b))
	}
	if len(whole.Content) == 0 {
		return yaml.Node{}
	}
	return whole
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

// faults returns the fault rules as they are now. Their windows are times of the clock, because the start from which they
// count is over.
func (s *saver) faults() (rules []*faultRule) {
	for _, c := range s.Faults {
		if c.Matched > 0 {
			s.note("%s: matched %d, fired %d so far; the counts begin again", c.Name, c.Matched, c.Fired)
		}
		rule := faultRule(s.timed(c.Rule))
		rules = append(rules, &rule)
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
	at := func(m fault.Moment) fault.Moment {
		if !m.At.IsZero() {
			return m
		}
		return fault.Moment{At: begin.Add(time.Duration(m.Offset))}
	}
	if !during.From.IsZero() || during.For != 0 {
		during.From = at(during.From)
	}
	if !during.Until.IsZero() {
		during.Until = at(during.Until)
	}
	r.When.During = &during
	return r
}

// nodeOf returns a part of a document, or what was decoded from JSON, as YAML. Members of a document that are left out have the zero
// value.
func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case yaml.Node:
		return &v
	case json.Number:
		return unquoted(v.String())
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
	case reflect.Map:
		mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			mapping.Content = append(mapping.Content, scalar(key.String()), nodeOf(v.MapIndex(key).Interface()))
		}
		return mapping
	case reflect.Struct:
		mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for i := range v.NumField() {
			if member := v.Field(i); !member.IsZero() {
				mapping.Content = append(mapping.Content, scalar(v.Type().Field(i).Tag.Get("yaml")), nodeOf(member.Interface()))
			}
		}
		return mapping
	}
	return unquoted(fmt.Sprint(value))
}

// scalar returns a text, in quotes where the YAML library wouldn't read what it writes: it takes some line breaks for others.
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

// decodeJSON decodes JSON, with its numbers as they are.
func decodeJSON(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil // it was encoded here, or by the domain
	}
	return value
}

// Flow returns a value that encoding/json has decoded as YAML on one line.
func Flow(value any) string {
	n := nodeOf(value)
	n.Style |= yaml.FlowStyle
	encoded, err := encode(n)
	if err != nil {
		panic(fmt.Sprintf("scenario: a value that can't be written: %v", err)) // texts are valid, and there are no other failures
	}
	return strings.TrimSuffix(string(encoded), "\n")
}

// encode writes a tree.
func encode(n *yaml.Node) ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(n); err != nil {
		return nil, err
	}
	err := encoder.Close()
	return text.Bytes(), err
}

// fold puts mappings and lists of texts on one line where they fit, those of a list all or none, and returns how long that of a part
// of a tree is.
func fold(n *yaml.Node) int {
	width, simple, fits := len(n.Value)+2, true, true
	for _, inner := range n.Content {
		width += fold(inner)
		simple = simple && inner.Kind == yaml.ScalarNode
		fits = fits && inner.Style&yaml.FlowStyle != 0
	}
	switch {
	case n.Kind == yaml.SequenceNode && simple, n.Kind == yaml.MappingNode && width <= maxFolded:
		n.Style |= yaml.FlowStyle
	case n.Kind == yaml.SequenceNode && !fits:
		for _, item := range n.Content {
			item.Style &^= yaml.FlowStyle
		}
	}
	return width
}

// maxFolded is how many characters a mapping on one line has at most.
const maxFolded = 200
