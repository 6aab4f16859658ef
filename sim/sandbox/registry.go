package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/digitalbanking-sim/banksim/sim/batch"
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
	ErrBadName        = errors.New("a name must be 1 to 63 of a-z, 0-9 and -, and must not begin with -") // of a snapshot, too
	ErrTaken          = errors.New("a sandbox of this name exists")
	ErrTooMany        = errors.New("the server holds as many sandboxes as it may: delete some, or give them a ttl")
	ErrNoSandbox      = errors.New("there is no sandbox of this name")
	ErrDefaultSandbox = errors.New("the default sandbox can't be deleted: reset it instead")
)

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// IsName reports whether a sandbox or a snapshot can have a name.
func IsName(name string) bool { return len(name) <= 63 && namePattern.MatchString(name) }

// Config configures a registry and its sandboxes.
type Config struct {
	Scenario *scenario.Scenario // of the default sandbox, and of those created without one
	Seed     *uint64            // of the default sandbox, and of others whose scenario gives no seed; or nil
	Limit    int                // the maximum number of sandboxes, or 0 for DefaultLimit
	Entries  int                // how many exchanges each journal holds, or 0 for journal.DefaultEntries
	Budget   *journal.Budget    // of all journals together, or nil for the default one
}

// Registry holds the sandboxes of a server by name. Its methods may be called by many goroutines.
type Registry struct {
	cfg      Config
	quota    quota
	coverage *coverage.Counter
	store    Store   // or nil: banks are in memory
	health   *health // of the store

	ctx     context.Context // of work on stored banks; it ends with the registry
	cancel  context.CancelFunc
	finding singleflight.Group // of banks that other processes have created

	replacing sync.Mutex // held while the scenario is replaced

	mu        sync.RWMutex
	origin    Origin
	sandboxes map[string]*Sandbox
	reserved  map[string]bool // names of sandboxes that are being created
	assigned  uint64          // how many names were assigned
}

// NewRegistry returns a registry with the default sandbox. Its banks are in memory.
func NewRegistry(cfg Config) *Registry {
	r := newRegistry(cfg)
	s := r.newSandbox(Default, time.Now())
	s.showLocked(r.firstState(r.startFollowing(r.cfg.Seed)))
	r.sandboxes[Default] = s
	return r
}

// newRegistry returns a registry without sandboxes.
func newRegistry(cfg Config) *Registry {
	if cfg.Limit == 0 {
		cfg.Limit = DefaultLimit
	}
	if cfg.Budget == nil {
		cfg.Budget = journal.NewBudget(0)
	}
	r := &Registry{
		cfg: cfg, coverage: coverage.NewCounter(), sandboxes: map[string]*Sandbox{}, reserved: map[string]bool{},
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.quota.limitByMemory()
	r.origin = r.loaded(cfg.Scenario)
	r.cfg.Scenario = nil // another one may replace it, and it may be large
	return r
}

// OpenRegistry returns a registry whose banks are in a store: those that it has go on from where they were. The default
// sandbox is created if the store doesn't have it: wasStored says whether it has.
func OpenRegistry(ctx context.Context, cfg Config, st Store) (r *Registry, wasStored bool, err error) {
	r = newRegistry(cfg)
	r.store, r.health = st, &health{store: st}
	if wasStored, err = r.open(ctx); err != nil {
		r.Close()
		return nil, false, err
	}
	go r.health.watch(r.ctx)
	return r, wasStored, nil
}

func (r *Registry) open(ctx context.Context) (wasStored bool, err error) {
	heads, err := r.store.List(ctx)
	if err != nil {
		return false, err
	}
	for _, head := range heads {
		if _, err := r.Find(ctx, head.Name); err != nil && !errors.Is(err, ErrNoSandbox) {
			return false, fmt.Errorf("the bank %s of %s: %w", head.Name, r.store.Location(), err)
		}
	}
	if _, ok := r.known(Default); ok {
		return true, nil
	}
	_, err = r.create(ctx, Default, 0, func() (start, error) { return r.startFollowing(r.cfg.Seed), nil })
	if errors.Is(err, ErrTaken) { // by another process that starts at the same time
		_, err = r.Find(ctx, Default)
	}
	return false, err
}

// IsShared reports whether other processes use the banks, too.
func (r *Registry) IsShared() bool { return r.store != nil && r.store.Shared() }

// Location says where the banks are.
func (r *Registry) Location() string {
	if r.store == nil {
		return "in memory only"
	}
	return r.store.Location()
}

// IsStored reports whether a store keeps the banks.
func (r *Registry) IsStored() bool { return r.store != nil }

func (r *Registry) newJournal() *journal.Journal { return journal.New(r.cfg.Entries, r.cfg.Budget) }

// newSandbox returns a sandbox that has no state yet.
func (r *Registry) newSandbox(name string, created time.Time) *Sandbox {
	s := &Sandbox{name: name, created: created, in: r, coverage: r.coverage.Sandbox(name, created)}
	if r.store != nil {
		s.queue = batch.New(batchLimit, s.process)
	}
	return s
}

// Default returns the default sandbox.
func (r *Registry) Default() *Sandbox {
	s, _ := r.known(Default)
	return s
}

// known returns a sandbox that this process knows.
func (r *Registry) known(name string) (*Sandbox, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s, ok := r.sandboxes[name]
	return s, ok
}

// Find returns a sandbox by name, also one that another process has created. It fails with ErrNoSandbox and ErrNotStored.
func (r *Registry) Find(ctx context.Context, name string) (*Sandbox, error) {
	if s, ok := r.known(name); ok {
		return s, nil
	}
	if r.store == nil || !IsName(name) {
		return nil, ErrNoSandbox
	}
	found := r.finding.DoChan(name, func() (any, error) { return r.findStored(name) })
	select {
	case result := <-found:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*Sandbox), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: the bank is being read from its store", ErrNotStored)
	}
}

// findStored loads a bank that this process doesn't know.
func (r *Registry) findStored(name string) (*Sandbox, error) {
	ctx, cancel := context.WithTimeout(r.ctx, worldTimeout)
	defer cancel()
	began := time.Now()
	b, err := r.store.Load(ctx, name)
	if err := r.health.noteUse(began, err); err != nil {
		return nil, err
	}
	var d description
	if err := json.Unmarshal(b.Description, &d); err != nil {
		return nil, fmt.Errorf("%w: its description: %w", ErrNotStored, err)
	}
	s := r.newSandbox(name, d.Created)
	s.expires = d.Expires
	st, err := s.restored(b, nil, r.Origin().Scenario)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	return r.putFound(s, st)
}

// putFound puts a bank that was loaded, unless this process has it already or is just creating it.
func (r *Registry) putFound(s *Sandbox, st *state) (*Sandbox, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, isKnown := r.sandboxes[s.name]
	if !isKnown && !r.reserved[s.name] {
		r.putLocked(s, st)
		return s, nil
	}
	st.generation.journal.Close()
	if !isKnown {
		return nil, ErrNoSandbox
	}
	return known, nil
}

// Use calls a function with a sandbox. If the function fails with ErrDeleted, Use calls it again with the sandbox that has
// taken the name since, if there is one. Use fails as Find and the function do.
func (r *Registry) Use(ctx context.Context, name string, fn func(*Sandbox) error) error {
	for {
		s, err := r.Find(ctx, name)
		if err != nil {
			return err
		}
		if err = fn(s); !errors.Is(err, ErrDeleted) {
			return err
		}
		r.forget(s)
	}
}

// forget ends a sandbox that was deleted, by this process or another one. It reports whether the sandbox was still there.
func (r *Registry) forget(s *Sandbox) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sandboxes[s.name] == s {
		delete(r.sandboxes, s.name)
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.end()
}

// Coverage returns what counts the answers of all sandboxes together, of deleted ones as well.
func (r *Registry) Coverage() *coverage.Counter { return r.coverage }

// Evicted returns how many exchanges all journals have removed because there was no room for them.
func (r *Registry) Evicted() uint64 { return r.cfg.Budget.Evicted() }

// Len returns how many sandboxes this process knows.
func (r *Registry) Len() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.sandboxes)
}

// All returns every sandbox that this process knows, sorted by name.
func (r *Registry) All() []*Sandbox {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]*Sandbox, 0, len(r.sandboxes))
	for _, name := range slices.Sorted(maps.Keys(r.sandboxes)) {
		all = append(all, r.sandboxes[name])
	}
	return all
}

// Info describes a sandbox.
type Info struct {
	Name      string
	Scenario  string // name
	Seed      uint64
	Created   time.Time // real, like the other times
	Expires   time.Time // or the zero time
	LastReset Reset     // or the zero reset
	Fork      Fork      // or the zero fork
}

// Info describes the sandbox as this process knows it.
func (s *Sandbox) Info() Info { return s.infoOf(s.state.Load()) }

func (s *Sandbox) infoOf(st *state) Info {
	at := st.generation.start
	return Info{
		Name: s.name, Scenario: at.scenario.Name, Seed: at.Seed, Created: s.created, Expires: s.expires,
		LastReset: at.Reset, Fork: at.Origin,
	}
}

// InfoAt describes the sandbox at the moment of a view.
func (s *Sandbox) InfoAt(v View) Info { return s.infoOf(v.state) }

// BeganAt returns the real time at which the generation of a view began.
func (s *Sandbox) BeganAt(v View) time.Time {
	if last := v.Generation.start.Reset; !last.At.IsZero() {
		return last.At
	}
	return s.created
}

// List describes every sandbox, sorted by name: of all processes, if they share a store. It fails with ErrNotStored.
func (r *Registry) List(ctx context.Context) ([]Info, error) {
	if !r.IsShared() {
		var all []Info
		for _, s := range r.All() {
			all = append(all, s.Info())
		}
		return all, nil
	}
	ctx, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	began := time.Now()
	heads, err := r.store.List(ctx)
	if err = r.health.noteUse(began, err); err != nil {
		return nil, err
	}
	all := make([]Info, 0, len(heads))
	for _, head := range heads {
		var d description
		if err := json.Unmarshal(head.Description, &d); err != nil {
			return nil, fmt.Errorf("%w: the description of the bank %s: %w", ErrNotStored, head.Name, err)
		}
		all = append(all, d.info(head.Name))
	}
	return all, nil
}

// Close ends every sandbox in this process. A store keeps them.
func (r *Registry) Close() {
	r.cancel()
	for _, s := range r.All() {
		r.forget(s)
	}
}
