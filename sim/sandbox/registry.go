package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/digitalbanking-sim/banksim/sim/batch"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/memory"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Default is the name of the sandbox that always exists. Base URLs that name no sandbox lead to it.
const Default = "default"

// DefaultLimit is how many sandboxes a registry holds unless its configuration sets a limit (choice).
const DefaultLimit = 20_000

// Errors of a registry.
var (
	// ErrBadName is the error of a name that no sandbox and no snapshot can have.
	ErrBadName        = errors.New("a name must be 1 to 63 of a-z, 0-9 and -, and must not begin with -")
	ErrTaken          = errors.New("a sandbox of this name exists")
	ErrTooMany        = errors.New("the server holds as many sandboxes as it may: delete some, or give them a ttl")
	ErrNoSandbox      = errors.New("there is no sandbox of this name")
	ErrDefaultSandbox = errors.New("the default sandbox can't be deleted: reset it instead")
)

var namePattern = lazy.Regexp(`^[a-z0-9][a-z0-9-]*$`)

// IsName reports whether a sandbox or a snapshot can have a name.
func IsName(name string) bool { return len(name) <= 63 && namePattern().MatchString(name) }

// Config configures a registry and its sandboxes.
type Config struct {
	Scenario *scenario.Scenario // of the default sandbox, and of those created without one
	Seed     *uint64            // of the default sandbox, and of others whose scenario gives no seed; or nil
	// ClockStart is where clocks start if their scenario has no clock.start, or the zero time for
	// scenario.DefaultStart.
	ClockStart time.Time
	StartsNow  bool            // whether these clocks start at the real time of each start and reset instead
	Limit      int             // the maximum number of sandboxes, or 0 for DefaultLimit
	Entries    int             // how many exchanges each journal holds, or 0 for journal.DefaultEntries
	Budget     *journal.Budget // of all journals together, or nil for an eighth of the memory limit, at most 256 MiB
	Log        *slog.Logger    // of daily resets, or nil
}

// clockStart returns where clocks start at a real time.
func (r *Registry) clockStart(wall time.Time) scenario.ClockStart {
	if r.cfg.StartsNow {
		return scenario.ClockStart{Real: wall, Default: wall}
	}
	return scenario.ClockStart{Real: wall, Default: r.cfg.ClockStart}
}

// Registry holds the sandboxes of a server by name. Its methods may be called by many goroutines.
type Registry struct {
	cfg      Config
	requests *memory.Room // for the requests under way
	kept     *memory.Room // for what sandboxes keep, without their journals
	parts    *partCounts
	coverage *coverage.Counter
	store    Store   // or nil if banks are in memory
	health   *health // of the store

	ctx     context.Context // of work on stored banks; it ends with the registry
	cancel  context.CancelFunc
	opened  chan struct{}      // closed when all stored banks are loaded
	finding singleflight.Group // of banks that other processes have created

	setting sync.Mutex // held while the scenario is replaced

	watching    sync.Once     // starts watchSchedules
	rescheduled chan struct{} // has a value when a bank has another schedule

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
	s.install(r.firstState(r.startFollowing(r.cfg.Seed, r.origin.LoadedAt)))
	r.sandboxes[Default] = s
	close(r.opened)
	return r
}

// newRegistry returns a registry without sandboxes.
func newRegistry(cfg Config) *Registry {
	if cfg.Limit == 0 {
		cfg.Limit = DefaultLimit
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Budget == nil {
		cfg.Budget = journal.NewBudget(min(memory.Limit()/journalShare, journal.DefaultBudget))
	}
	r := &Registry{
		cfg: cfg, coverage: coverage.NewCounter(), sandboxes: map[string]*Sandbox{}, reserved: map[string]bool{},
		requests: memory.NewRoom(memory.Limit() / requestShare),
		kept:     memory.NewRoom(memory.Limit() / keptShare),

		rescheduled: make(chan struct{}, 1), opened: make(chan struct{}),
	}
	r.parts = &partCounts{room: r.kept, all: map[any]*part{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.origin = r.newOrigin(cfg.Scenario)
	r.cfg.Scenario = nil // another one may replace it, and it may be large
	return r
}

// OpenRegistry returns a registry whose banks are in a store: those that it has go on from where they were. The default
// sandbox is created if the store doesn't have it: wasStored says whether it has.
func OpenRegistry(ctx context.Context, cfg Config, st Store) (r *Registry, wasStored bool, err error) {
	r = newRegistry(cfg)
	r.store, r.health = st, &health{store: st, log: r.cfg.Log}
	if wasStored, err = r.open(ctx); err != nil {
		r.Close()
		return nil, false, err
	}
	close(r.opened)
	go r.health.watch(r.ctx)
	go r.watchSchedules()
	return r, wasStored, nil
}

func (r *Registry) open(ctx context.Context) (wasStored bool, err error) {
	heads, err := r.store.List(ctx)
	if err != nil {
		return false, err
	}
	for _, head := range heads {
		if _, err := r.loadSandbox(head.Name); err != nil && !errors.Is(err, ErrNoSandbox) {
			return false, fmt.Errorf("the bank %s of %s: %w", head.Name, r.store.Location(), err)
		}
	}
	if _, ok := r.Known(Default); ok {
		return true, nil
	}
	_, err = r.create(ctx, Default, life{}, func() (startPoint, error) {
		return r.startFollowing(r.cfg.Seed, r.origin.LoadedAt), nil
	})
	if errors.Is(err, ErrTaken) { // by another process that starts at the same time
		_, err = r.loadSandbox(Default)
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
	s := &Sandbox{
		name: name, created: created, registry: r, coverage: r.coverage.Sandbox(name, created),
		kept: r.kept.Half(), requests: r.requests.Half(),
	}
	if r.store != nil {
		s.queue = batch.New(roundLimit, func(c *call) bool { return c.isAlone }, s.serve)
	}
	return s
}

// Default returns the default sandbox.
func (r *Registry) Default() *Sandbox {
	s, _ := r.Known(Default)
	return s
}

// Known returns a sandbox that this process knows.
func (r *Registry) Known(name string) (*Sandbox, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s, ok := r.sandboxes[name]
	return s, ok
}

// Requests returns the room for the requests under way to all sandboxes, and to the control API.
func (r *Registry) Requests() *memory.Room { return r.requests }

// RequestsTo returns the room for the requests to a sandbox, or for all requests if this process knows no such sandbox.
func (r *Registry) RequestsTo(name string) *memory.Room {
	if s, ok := r.Known(name); ok {
		return s.requests
	}
	return r.requests
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

// Close ends every sandbox in this process. A store keeps them.
func (r *Registry) Close() {
	r.cancel()
	for _, s := range r.All() {
		r.forget(s)
	}
}
