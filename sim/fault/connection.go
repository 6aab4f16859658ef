package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Kind is a kind of connection fault with its settings. Each kind is a type in a file of its own. The zero value has
// the default settings. A kind may also be an alterer, a holder or a checker.
type Kind interface {
	// Describe returns the description of the kind. It does not depend on the settings.
	Describe() Description

	// Deliver delivers an answer in the manner of the kind. Its error is the error of [Connection.Deliver].
	Deliver(d Delivery) error
}

// Kinds are all kinds, in the order of forms and docs. Nothing changes the list.
var Kinds = []Kind{Reset{}, Close{}, Hang{}, Truncate{}, Malformed{}, Dribble{}, Garbage{}}

type (
	// alterer is a kind that delivers another answer than the whole one.
	alterer interface {
		Alter(whole Answer) (sent Answer)
	}

	// holder is a kind that keeps a client waiting.
	holder interface {
		Holds(whole Answer) time.Duration
	}

	// checker is a kind whose settings have limits that the schema of scenarios doesn't know. It rejects settings
	// at a path or within it.
	checker interface {
		check(c *check, at string)
	}
)

// Description describes a kind to everything that lists the kinds: the schema, forms, docs and reports.
type Description struct {
	Name      string    // the name in rules and in the journal
	About     string    // a sentence about the bytes on the wire
	Done      string    // the past tense of About, for the explanation of an exchange
	Delivers  bool      // whether the kind needs an answer to deliver; the others lose the answer
	Completes bool      // whether the client gets a complete answer of HTTP
	OverHTTP2 Kind      // the kind that takes its place over HTTP/2, or nil if it works there
	Settings  []Setting // the settings of the kind
}

// Setting describes a setting of a kind.
type Setting struct {
	Member  string // the name of the setting, or "" if the kind has only this one
	About   string // a sentence, if the setting has a name
	Example any    // a Duration or an int, which is the type of the setting
	Minimum int    // the least value of an int
}

// Example returns a value whose JSON is a connection fault with all settings of the kind, or nil if the kind has no
// settings.
func (d Description) Example() any {
	if len(d.Settings) == 0 {
		return nil
	}
	members := map[string]any{}
	for _, s := range d.Settings {
		if s.Member == "" {
			return map[string]any{d.Name: s.Example}
		}
		members[s.Member] = s.Example
	}
	return map[string]any{d.Name: members}
}

// KindNamed returns the kind of this name with its default settings.
func KindNamed(name string) (Kind, error) {
	var names []string
	for _, kind := range Kinds {
		if kind.Describe().Name == name {
			return kind, nil
		}
		names = append(names, kind.Describe().Name)
	}
	remedy := wording.DidYouMean(name, names, "there are")
	return nil, fmt.Errorf("unknown connection fault %s%s", wording.Quote(name), remedy)
}

// Connection is the connection fault of a rule. Its JSON is the name of a kind, or an object with the name and the
// settings: {"hang": "10s"}, {"truncate": 20}, {"dribble": {"bytes": 16, "every": "50ms"}}.
type Connection struct{ Kind Kind }

// Name returns the name of the kind.
func (c *Connection) Name() string { return c.Kind.Describe().Name }

// Delivers reports whether the fault needs an answer to deliver. The others lose the answer.
func (c *Connection) Delivers() bool { return c.Kind.Describe().Delivers }

// MarshalJSON writes the fault.
func (c Connection) MarshalJSON() ([]byte, error) {
	if reflect.ValueOf(c.Kind).IsZero() {
		return json.Marshal(c.Name())
	}
	return json.Marshal(map[string]Kind{c.Name(): c.Kind})
}

// UnmarshalJSON reads a fault.
func (c *Connection) UnmarshalJSON(data []byte) error {
	var name string
	if json.Unmarshal(data, &name) == nil {
		kind, err := KindNamed(name)
		c.Kind = kind
		return err
	}
	var settings map[string]json.RawMessage // by the name of the kind
	err := json.Unmarshal(data, &settings)
	if err == nil && len(settings) != 1 {
		err = errors.New("a connection fault is one kind with its settings: name one")
	}
	for name, given := range settings {
		if err == nil {
			c.Kind, err = readKind(name, given)
		}
	}
	return err
}

// readKind returns a kind with settings.
func readKind(name string, settings []byte) (Kind, error) {
	kind, err := KindNamed(name)
	if err != nil {
		return nil, err
	}
	read := reflect.New(reflect.TypeOf(kind))
	err = json.Unmarshal(settings, read.Interface())
	return read.Elem().Interface().(Kind), err
}

// Over returns the fault that a rule means for a request of a major version of HTTP. It returns nil if c
// is nil.
func (c *Connection) Over(major int) *Connection {
	if c == nil || major < 2 {
		return c
	}
	if other := c.Kind.Describe().OverHTTP2; other != nil {
		return &Connection{Kind: other}
	}
	return c
}

// Alter returns the answer that the fault sends. ok is false if the fault loses the answer.
func (c *Connection) Alter(whole Answer) (sent Answer, ok bool) {
	if !c.Delivers() {
		return Answer{}, false
	}
	if kind, alters := c.Kind.(alterer); alters {
		return kind.Alter(whole), true
	}
	return whole, true
}

// Holds returns how long the fault keeps a client waiting that reads everything at once.
func (c *Connection) Holds(whole Answer) time.Duration {
	if kind, holds := c.Kind.(holder); holds {
		return kind.Holds(whole)
	}
	return 0
}

// Deliver delivers an answer in the manner of the fault. A handler calls it last. Waiting ends when the client
// disconnects or draining closes. If Deliver returns http.ErrAbortHandler, the handler must panic with it. The panic
// ends a connection of HTTP/1, but only a stream of HTTP/2: other requests may use the same connection.
func (c *Connection) Deliver(w http.ResponseWriter, r *http.Request, whole Answer, draining <-chan struct{}) error {
	if r.ProtoMajor == 1 {
		readRequest(r)
	}
	sent, _ := c.Alter(whole)
	if r.Method == http.MethodHead {
		sent.Body, whole.Body = nil, nil
	}
	return c.Kind.Deliver(Delivery{Writer: w, Request: r, Whole: whole, Sent: sent, Draining: draining})
}

// connection checks the settings of a connection fault, and whether it has an answer to deliver.
func (c *check) connection(broken *Connection, then Then) {
	name := broken.Name()
	if kind, ok := broken.Kind.(checker); ok {
		kind.check(c, "then.connection."+name)
	}
	if broken.Delivers() {
		c.reject(c.rule.Phase == Before && then.Status == 0 && then.Forward == nil, "phase",
			"%s needs an answer to deliver, and before the operation there is none: "+
				"add a status, or write phase: after", name)
		return
	}
	for _, member := range then.answer() {
		c.reject(true, "then."+member, "%s sends no answer that could have %s: remove one of them", name, member)
	}
}
