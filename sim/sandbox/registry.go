package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Default is the name of the sandbox that always exists. Base URLs that name no sandbox lead to it.
const Default = "default"

// DefaultLimit is how many sandboxes a registry holds unless its configuration sets a limit (choice).
const DefaultLimit = 20_000

// Errors of a registry.
var (
	ErrBadName   = errors.New("a name must be 1 to 63 of a-z, 0-9 and -, and must not begin with -") // of a snapshot, too
	ErrTaken     = errors.New("a sandbox of this name exists")
	ErrTooMany   = errors.New("the server holds as many sandboxes as it may: delete some, or give them a ttl")
	ErrNoSandbox = errors.New("there is no sandbox of this name")
	ErrKept      = errors.New("the default sandbox can't be deleted: reset it instead")
)

var goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// IsName reports whether a sandbox can have a name.
func IsName(name string) bool { return len(name) <= 63 && goodName.MatchString(name) }

// Config configures a registry and its sandboxes.
type Config struct {
	Scenario *scenario.Scenario // of the default sandbox, and of those created without one
	Seed     *uint64            // of the default sandbox, and of others whose scenario gives none; nil: that of the scenario, or drawn
	Limit    int                // the maximum number of sandboxes; 0: DefaultLimit
	Entries  int                // how many exchanges each journal holds; 0: journal.DefaultEntries
	Budget   *journal.Budget    // of all journals together; nil: the default one
}

func (cfg Config) newJournal() *journal.Journal { return journal.New(cfg.Entries, cfg.Budget) }

// Registry holds the sandboxes of a server by name. Its methods may be called by many goroutines.
type Registry struct {
	cfg      Config
	added    addedRows
	met      *coverage.Counter
	standard *Sandbox // the default one, which is never deleted
	store    *keeper  // nil: sandboxes are in memory only

	mu        sync.RWMutex
	origin    Origin
	sandboxes map[string]*Sandbox
	assigned  uint64 // how many names were assigned
}

// NewRegistry returns a registry with the default sandbox.
func NewRegistry(cfg Config) *Registry {
	if cfg.Limit == 0 {
		cfg.Limit = DefaultLimit
	}
	if cfg.Budget == nil {
		cfg.Budget = journal.NewBudget(0)
	}
	r := &Registry{cfg: cfg, met: coverage.NewCounter(), sandboxes: map[string]*Sandbox{}}
	r.added.limitByMemory()
	r.origin = r.loaded(cfg.Scenario)
	r.cfg.Scenario = nil // another one may replace it, and it may be large
	r.standard = r.emptySandbox(Default, time.Now())
	r.standard.state.Store(r.standard.begin(r.followingLocked(cfg.Seed), nil, false))
	r.sandboxes[Default] = r.standard
	return r
}

// Get returns a sandbox by name.
func (r *Registry) Get(name string) (*Sandbox, bool) {
	if name == Default {
		return r.standard, true
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	s, ok := r.sandboxes[name]
	return s, ok
}

// Find is Get, and looks for a sandbox that another process has made, too. It fails with ErrNoSandbox, or with ErrNotStored.
func (r *Registry) Find(name string) (*Sandbox, error) {
	if s, ok := r.Get(name); ok {
		return s, nil
	}
	if !r.store.isShared() || !IsName(name) {
		return nil, ErrNoSandbox
	}
	ctx, cancel := context.WithTimeout(context.Background(), turnTimeout)
	defer cancel()
	b, err := r.store.shared.Bank(ctx, name)
	if err := r.store.noted(time.Time{}, err); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.sandboxes[name]; ok { // another request was first
		return s, nil
	}
	s, err := r.restoreLocked(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	return s, nil
}

// Use calls a function for a sandbox and, if it fails with ErrDeleted, for the one of the same name that took its place. It fails as
// Find and the function do.
func (r *Registry) Use(name string, fn func(*Sandbox) error) error {
	for {
		s, err := r.Find(name)
		if err != nil {
			return err
		}
		err = fn(s)
		if !errors.Is(err, ErrDeleted) || s == r.standard {
			return err
		}
		r.forget(s)
	}
}

// forget ends a sandbox that was deleted, by this process or another one. It reports whether the sandbox was still there.
func (r *Registry) forget(s *Sandbox) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sandboxes[s.name] != s {
		return false
	}
	r.dropLocked(s)
	return true
}

// dropLocked ends a sandbox. A store keeps it.
func (r *Registry) dropLocked(s *Sandbox) {
	delete(r.sandboxes, s.name)
	if s.timer != nil {
		s.timer.Stop()
	}
	_ = s.end(false) // it deletes nothing
}

// Refresh finds the sandboxes that other processes have made, and forgets those that they have deleted. It fails with ErrNotStored.
func (r *Registry) Refresh() error {
	if !r.store.isShared() {
		return nil
	}
	known := r.All()
	ctx, cancel := context.WithTimeout(context.Background(), turnTimeout)
	defer cancel()
	names, err := r.store.shared.Names(ctx)
	if err = r.store.noted(time.Time{}, err); err != nil {
		return err
	}
	there := map[string]bool{Default: true}
	for _, name := range names {
		there[name] = true
		if _, err := r.Find(name); err != nil && !errors.Is(err, ErrNoSandbox) {
			return err
		}
	}
	for _, s := range known {
		if !there[s.name] {
			r.forget(s)
		}
	}
	return nil
}

// Coverage returns what counts the answers of all sandboxes together, of deleted ones as well.
func (r *Registry) Coverage() *coverage.Counter { return r.met }

// Evicted returns how many exchanges the journals of all sandboxes have removed because there was no room for them.
func (r *Registry) Evicted() uint64 { return r.cfg.Budget.Evicted() }

// Default returns the default sandbox.
func (r *Registry) Default() *Sandbox { return r.standard }

// Kept says where the sandboxes are kept.
func (r *Registry) Kept() string {
	if r.store == nil {
		return "in memory only"
	}
	return r.store.place
}

// Len returns how many sandboxes there are.
func (r *Registry) Len() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.sandboxes)
}

// All returns every sandbox, sorted by name.
func (r *Registry) All() []*Sandbox {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]*Sandbox, 0, len(r.sandboxes))
	for _, name := range slices.Sorted(maps.Keys(r.sandboxes)) {
		all = append(all, r.sandboxes[name])
	}
	return all
}

// Plan describes a sandbox to be created.
type Plan struct {
	Name     string             // empty: assigned
	Scenario *scenario.Scenario // nil: that of the registry
	Seed     *uint64            // nil: that of the scenario
	TTL      time.Duration      // real time after which the sandbox is deleted; 0: never
}

// Create creates a sandbox. It fails with ErrBadName, ErrTaken, ErrTooMany or ErrNotStored.
func (r *Registry) Create(p Plan) (*Sandbox, error) {
	return r.add(p.Name, func() start {
		if p.Scenario == nil {
			return r.followingLocked(p.Seed)
		}
		return fromScenario(p.Scenario, p.Seed, r.cfg.Seed, time.Now())
	}, p.TTL)
}

// Fork creates a sandbox that starts as another one is now. An empty name is assigned. It fails as Create does.
func (r *Registry) Fork(of *Sandbox, name string) (*Sandbox, error) {
	return r.add(name, of.forked, 0)
}

// ForkAt creates a sandbox that starts as another one was around an exchange. An empty name is assigned. It fails as Create
// does, and with ErrDeleted or ErrNoExchange.
func (r *Registry) ForkAt(of *Sandbox, name, exchange string, side Side) (*Sandbox, error) {
	at, err := of.forkedAt(exchange, side)
	if err != nil {
		return nil, err
	}
	return r.add(name, func() start { return at }, 0)
}

func (r *Registry) add(name string, at func() start, ttl time.Duration) (*Sandbox, error) {
	if name != "" && !IsName(name) {
		return nil, ErrBadName
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.addLocked(name, at, ttl)
}

func (r *Registry) addLocked(name string, at func() start, ttl time.Duration) (*Sandbox, error) {
	if _, taken := r.sandboxes[name]; taken {
		return nil, ErrTaken
	}
	if len(r.sandboxes) >= r.cfg.Limit {
		return nil, ErrTooMany
	}
	assigned := name == ""
	for taken := assigned; taken; _, taken = r.sandboxes[name] {
		r.assigned++
		name = "sandbox-" + strconv.FormatUint(r.assigned, 10)
	}
	s := r.emptySandbox(name, time.Now())
	if ttl > 0 {
		s.expires = s.created.Add(ttl)
	}
	st := s.begin(at(), nil, false)
	if err := s.commitGenerationLocked(st); err != nil {
		st.generation.journal.Close()
		if assigned && errors.Is(err, ErrTaken) { // by another process, which may have assigned many
			r.assigned *= 2
			return r.addLocked("", at, ttl)
		}
		return nil, err
	}
	s.state.Store(st)
	r.putLocked(s)
	return s, nil
}

// putLocked has a sandbox found by its name, and deleted when it expires.
func (r *Registry) putLocked(s *Sandbox) {
	r.sandboxes[s.name] = s
	if !s.expires.IsZero() {
		s.timer = time.AfterFunc(time.Until(s.expires), func() { _ = r.remove(s) }) // else it is deleted at the next start
	}
}

// emptySandbox returns a sandbox that has no state yet.
func (r *Registry) emptySandbox(name string, created time.Time) *Sandbox {
	return &Sandbox{name: name, created: created, in: r, met: r.met.Sandbox(name, created), using: make(chan struct{}, 1)}
}

// Delete deletes a sandbox with all that it holds. It fails with ErrNoSandbox, ErrKept or ErrNotStored.
func (r *Registry) Delete(name string) error {
	if name == Default {
		return ErrKept
	}
	s, ok := r.Get(name)
	if !ok {
		return ErrNoSandbox
	}
	return r.remove(s)
}

// remove deletes a sandbox. It fails with ErrNoSandbox where it isn't there any more, or with ErrNotStored.
func (r *Registry) remove(s *Sandbox) error {
	if err := s.end(true); err != nil {
		return err
	}
	if !r.forget(s) {
		return ErrNoSandbox
	}
	return nil
}

// Close ends every sandbox. A store keeps them.
func (r *Registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sandboxes {
		r.dropLocked(s)
	}
}
