package journal

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// DefaultEntries is how many exchanges a journal without a limit of its own holds (choice).
const DefaultEntries = 10_000

// averageBytes is how many bytes the exchanges of a full journal have on average at most (choice): 2,000 of them take
// 16 MiB.
const averageBytes = 8 << 10

// MaxWorlds is around how many changes a journal knows the worlds at most (choice).
const MaxWorlds = 1000

// Journal is the record of one sandbox's exchanges: a ring of the newest ones, without a gap. All methods are safe for
// use by many goroutines.
//
// An exchange is recorded in two steps. Take gives it its number, under the lock of the sandbox, so that the numbers
// are in the order of the changes. Complete brings the exchange itself. Making that takes longer. Readers wait for
// the exchanges whose numbers are taken. So a client that has an answer finds its exchange.
//
// Where there is no room, the journal forgets the oldest worlds, and then the oldest exchanges.
type Journal struct {
	limit  int // how many exchanges it holds at most
	budget *Budget

	mu       sync.Mutex
	ring     []slot               // the exchanges after floor; without a record until it is complete
	shown    uint64               // The exchanges up to this number are complete.
	bytes    atomic.Int64         // changed with mu held
	ids      map[requestID]uint64 // the last exchange of each request id
	mark     mark                 // of the next exchange
	changed  chan struct{}        // closed with the next change; nil without a waiter
	closed   atomic.Bool          // changed with mu held
	worlds   int                  // how many exchanges know a world that no earlier one knows
	around   int64                // how many of the bytes are those of worlds
	newest   *sim.World           // the last one that an exchange knows
	replaced int                  // see [sim.World.Replaced], of the newest world

	// These are numbers of exchanges, but cleared is a count. Always cleared ≤ clearedTo ≤ floor ≤ shown, and the
	// others are at most shown.
	clearedTo uint64 // ClearTo has removed the exchanges up to this number, as far as they were not evicted before.
	floor     uint64 // The exchanges up to this number are gone: they were cleared or evicted.
	worldless uint64 // The exchanges up to this number know no world.
	checked   uint64 // When Fill brought the exchanges of the store, it brought them up to this number.
	cleared   uint64 // ClearTo has removed so many exchanges. The other ones up to floor were evicted.
}

// slot is an exchange in the ring.
type slot struct {
	Record                // its step is zero where its worlds are forgotten
	ids         [2]string // the values of requestIDHeaders
	bytes       int64     // without the worlds
	worlds      int64     // bytes that only its step and earlier ones keep
	bringsWorld bool      // whether it knows a world that no earlier exchange knows
}

// mark is a text about an event. It is for the first exchange after a number.
type mark struct {
	text  string
	after uint64
}

// New returns an empty journal that holds so many exchanges, or fewer if they are large. If entries is 0 or less, it
// holds DefaultEntries. The caller closes it in the end.
func New(entries int, budget *Budget) *Journal {
	if entries <= 0 {
		entries = DefaultEntries
	}
	j := &Journal{limit: entries, budget: budget, ids: map[requestID]uint64{}}
	budget.open(j)
	return j
}

// Take returns the number of the next exchange. The caller has to complete it. On a closed journal it returns 0.
func (j *Journal) Take() (number uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed.Load() {
		return 0
	}
	j.ring = append(j.ring, slot{})
	return j.lastLocked()
}

// Complete adds the exchange that a function makes, under a number that was taken, and returns its id. If the function
// panics, the journal has an exchange that says so. For the number 0 Complete does nothing and returns "".
func (j *Journal) Complete(number uint64, draft func() Record) (id string) {
	if number == 0 {
		return ""
	}
	var record Record
	defer func() {
		if record.Exchange == nil { // the draft panics
			record = unrecorded()
		}
		j.complete(number, newSlot(record, number))
		j.budget.enforce()
		id = record.ID
	}()
	record = draft()
	return id
}

// unrecorded returns what there is of an exchange whose draft has panicked.
func unrecorded() Record {
	entry := contract.EverywhereInternalFault
	return Record{Exchange: &Exchange{RealAt: time.Now(), Decision: Decision{
		Outcome: Refused, Rule: string(contract.InternalFault), Message: "the exchange could not be recorded",
		Basis: string(entry.Basis), Entries: []string{entry.ID},
	}}}
}

// Add takes a number and completes it.
func (j *Journal) Add(record Record) (id string) {
	return j.Complete(j.Take(), func() Record { return record })
}

func (j *Journal) complete(number uint64, h slot) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if number > j.floor && number <= j.lastLocked() { // else it was evicted meanwhile
		j.ring[number-j.floor-1] = h
	}
	j.showLocked()
}

// newSlot returns the slot of a record under its number.
func newSlot(r Record, number uint64) slot {
	x := r.Exchange
	x.number, x.ID = number, formatID(number)
	if x.Lints == nil {
		x.Lints = []Lint{}
	}
	if x.Decision.Entries == nil {
		x.Decision.Entries = []string{}
	}
	h := slot{Record: r, bytes: int64(x.bytes())}
	for _, faults := range r.Step.Faults {
		if faults != nil {
			h.worlds += int64(faults.Bytes())
		}
	}
	for i, name := range requestIDHeaders {
		h.ids[i] = x.Request.Headers.Get(name)
	}
	return h
}

// lastLocked returns the highest number that was taken.
func (j *Journal) lastLocked() uint64 { return j.floor + uint64(len(j.ring)) }

// afterLocked returns the exchanges after a number that are shown. The slice is the journal's own.
func (j *Journal) afterLocked(number uint64) []slot {
	if number = max(number, j.floor); number >= j.shown {
		return nil
	}
	return j.ring[number-j.floor : j.shown-j.floor]
}

// showLocked shows the exchanges that are complete, up to the first one that isn't. It keeps the limits, and wakes all
// who wait.
func (j *Journal) showLocked() {
	j.shown = max(j.shown, j.floor)
	for j.shown < j.lastLocked() {
		h := &j.ring[j.shown-j.floor]
		if h.Exchange == nil {
			break
		}
		j.shown++
		j.identifyLocked(h)
		if j.mark.text != "" && h.number > j.mark.after {
			h.Lints = append(h.Lints, Lint{Reloaded, j.mark.text})
			j.mark = mark{}
		}
		j.weighWorldsLocked(h)
		j.countLocked(h.bytes, h.worlds)
		if limit := uint64(j.limit); j.shown-j.floor > limit {
			j.evictLocked(j.shown - limit)
		}
	}
	for j.worlds > MaxWorlds {
		j.forgetWorldLocked()
	}
	j.shrinkLocked(int64(j.limit) * averageBytes)
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// weighWorldsLocked weighs what the worlds of the newest exchange, and of those before it, keep alone.
func (j *Journal) weighWorldsLocked(h *slot) {
	after := h.Step.After
	if after == nil || after == j.newest {
		return
	}
	if j.newest == nil {
		j.replaced = h.Step.Before.Replaced()
	}
	h.bringsWorld = true
	h.worlds += worldBytes + int64(max(0, after.Replaced()-j.replaced))
	j.newest, j.replaced = after, after.Replaced()
	j.worlds++
}

// countLocked counts bytes that the journal holds more: of exchanges, and of worlds.
func (j *Journal) countLocked(exchanges, worlds int64) {
	j.around += worlds
	j.bytes.Add(exchanges + worlds)
	j.budget.used.Add(exchanges + worlds)
}

// shrinkLocked forgets worlds, as long as they take more than half, and evicts exchanges until the journal holds so
// many bytes, or one exchange.
func (j *Journal) shrinkLocked(most int64) {
	for j.bytes.Load() > most && j.around > most/2 && max(j.worldless, j.floor) < j.shown {
		j.forgetWorldLocked()
	}
	for j.bytes.Load() > most && j.shown-j.floor > 1 {
		j.evictLocked(j.floor + 1)
	}
}

// forgetWorldLocked forgets the worlds around the oldest exchange that knows some.
func (j *Journal) forgetWorldLocked() {
	j.worldless = max(j.worldless, j.floor) + 1
	h := &j.ring[j.worldless-j.floor-1]
	j.countLocked(0, -h.worlds)
	if h.bringsWorld {
		j.worlds--
	}
	h.Step, h.worlds, h.bringsWorld = Step{}, 0, false
	j.forgetNewestLocked()
}

// forgetNewestLocked forgets the newest world once no exchange knows one.
func (j *Journal) forgetNewestLocked() {
	if j.worlds == 0 {
		j.newest = nil
	}
}

// evictLocked drops the exchanges up to a number because there is no room for them.
func (j *Journal) evictLocked(to uint64) {
	j.budget.evicted.Add(uint64(j.dropLocked(to)))
}

// dropLocked drops the exchanges up to a number, and returns how many it held. Those that are missing up to there will
// not be added any more.
func (j *Journal) dropLocked(to uint64) (count int) {
	dropped := int(min(uint64(len(j.ring)), max(to, j.floor)-j.floor))
	for i := range j.ring[:dropped] {
		if h := &j.ring[i]; h.Exchange != nil {
			count++
			if h.number <= j.shown {
				j.countLocked(-h.bytes, -h.worlds)
			}
			if h.bringsWorld {
				j.worlds--
			}
			for i, value := range h.ids {
				if id := (requestID{i, value}); value != "" && j.ids[id] == h.number {
					delete(j.ids, id)
				}
			}
			*h = slot{}
		}
	}
	if j.ring = j.ring[dropped:]; len(j.ring) == 0 {
		j.ring = nil
	}
	j.forgetNewestLocked()
	j.floor = max(j.floor, to)
	j.shown = max(j.shown, j.floor)
	return count
}

// giveWay frees so many bytes, or half of all that the journal holds.
func (j *Journal) giveWay(wanted int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.bytes.Load()
	j.shrinkLocked(all - min(wanted, (all+1)/2))
	if all > 0 && j.bytes.Load() == all { // one exchange
		j.evictLocked(j.floor + 1)
	}
}

// Mark gives the next exchange the lint Reloaded, with a text about the event before it.
func (j *Journal) Mark(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mark = mark{text, j.lastLocked()}
}

// Bytes returns how many bytes the journal holds.
func (j *Journal) Bytes() int64 { return j.bytes.Load() }

// Get returns an exchange by its id. ok is false where the journal doesn't hold it.
func (j *Journal) Get(id string) (x Exchange, ok bool) {
	if h := j.find(id); h.Exchange != nil {
		return h.withReused(), true
	}
	return Exchange{}, false
}

// Step returns the moments around an exchange. Their worlds are nil unless the journal knows them. ok is false where
// the journal doesn't hold the exchange.
func (j *Journal) Step(id string) (step Step, ok bool) {
	h := j.find(id)
	return h.Step, h.Exchange != nil
}

// Before yields the exchanges before one, the newest first.
func (j *Journal) Before(id string) iter.Seq[*Exchange] {
	number, _ := ParseID(id)
	j.lockSettled()
	defer j.mu.Unlock()
	earlier := slices.Clone(j.afterLocked(0))
	return func(yield func(*Exchange) bool) {
		for _, h := range slices.Backward(earlier) {
			if h.number < number && !yield(h.Exchange) {
				return
			}
		}
	}
}

// WorldAt returns the world at a time of the virtual clock, or the oldest one that the journal knows since then. It
// returns nil if no exchange since then changed the bank. It looks at complete exchanges alone, and never waits.
func (j *Journal) WorldAt(at time.Time) (world *sim.World) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, h := range slices.Backward(j.afterLocked(0)) {
		if !h.At.After(at) || h.Step.Before == nil {
			break
		}
		if h.Step.Before != h.Step.After {
			world = h.Step.Before
		}
	}
	return world
}

// Records returns all exchanges that the journal holds, with their steps.
func (j *Journal) Records() (all []Record) {
	j.lockSettled()
	defer j.mu.Unlock()
	for _, h := range j.afterLocked(0) {
		all = append(all, h.Record)
	}
	return all
}

// find returns an exchange, or no exchange where the journal doesn't hold it.
func (j *Journal) find(id string) slot {
	number, ok := ParseID(id)
	j.lockSettled()
	defer j.mu.Unlock()
	if found := j.afterLocked(number - 1); ok && number > j.floor && len(found) > 0 {
		return found[0]
	}
	return slot{}
}

// lockSettled waits until each exchange is complete whose number is taken now, and locks the journal.
func (j *Journal) lockSettled() {
	j.mu.Lock()
	for last := j.lastLocked(); j.shown < last && !j.closed.Load(); {
		changed := j.changedLocked()
		j.mu.Unlock()
		<-changed
		j.mu.Lock()
	}
}

// Last returns the number of the newest exchange ever, or 0 before the first one.
func (j *Journal) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lastLocked()
}

// Closed reports whether the journal is closed: the ids of its exchanges lead nowhere any more.
func (j *Journal) Closed() bool { return j.closed.Load() }

// ClearTo removes the exchanges up to a number. The numbering goes on, and they don't count as evicted. Those that are
// missing up to there count as cleared, too.
func (j *Journal) ClearTo(number uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.clearLocked(number)
}

func (j *Journal) clearLocked(number uint64) {
	if number > j.floor {
		j.cleared += number - j.floor
		j.dropLocked(number)
	}
	j.clearedTo = max(j.clearedTo, number)
}

// Limit returns how many exchanges the journal holds at most.
func (j *Journal) Limit() int { return j.limit }

// Close returns the journal's bytes to the budget and ends all waiting. It can be called again.
func (j *Journal) Close() {
	j.budget.close(j)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed.Store(true)
	j.clearLocked(j.lastLocked())
	j.showLocked()
}

// Wait waits until there are exchanges after a number. It returns io.EOF once the journal is closed, and the context's
// error when the context ends.
func (j *Journal) Wait(ctx context.Context, after uint64) error {
	for {
		changed, err := j.next(after)
		if changed == nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next returns a channel that is closed with the next change. If there are exchanges after the number already or the
// journal is closed, the channel is nil.
func (j *Journal) next(after uint64) (changed <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed.Load():
		return nil, io.EOF
	case len(j.afterLocked(after)) > 0:
		return nil, nil
	}
	return j.changedLocked(), nil
}

func (j *Journal) changedLocked() <-chan struct{} {
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return j.changed
}

// snapshot returns the exchanges after a number that the journal holds, and how many others after it were evicted since
// the last ClearTo.
func (j *Journal) snapshot(after uint64) (exchanges []*Exchange, evicted uint64) {
	j.lockSettled()
	defer j.mu.Unlock()
	from := max(after, j.clearedTo)
	return exchangesOf(j.afterLocked(after)), max(j.floor, from) - from
}

func exchangesOf(all []slot) []*Exchange {
	exchanges := make([]*Exchange, len(all))
	for i, h := range all {
		exchanges[i] = h.Exchange
	}
	return exchanges
}

// requestID identifies a request by one of requestIDHeaders and its value.
type requestID struct {
	header int
	value  string
}

// requestIDHeaders are the headers that identify a request.
var requestIDHeaders = [2]string{
	contract.EstatementsGetDisclosures.Family.RequestID, contract.GroupsCreate.Family.RequestID,
}

// identifyLocked remembers the ids of an exchange, and notes in it which earlier exchange had the same.
func (j *Journal) identifyLocked(h *slot) {
	for i, value := range h.ids {
		if id := (requestID{i, value}); value != "" {
			h.reused[i] = j.ids[id]
			j.ids[id] = h.number
		}
	}
}

// withReused returns the exchange with a lint for each id that an earlier one had, too. Texts are made only for
// readers, because many apps send the same id again and again.
func (x *Exchange) withReused() Exchange {
	whole := *x
	for i, by := range x.reused {
		if name := requestIDHeaders[i]; by != 0 {
			whole.Lints = append(slices.Clip(whole.Lints), Lint{
				Code: RequestIDReused,
				Message: fmt.Sprintf("%s %s is not unique: exchange %d had it, too",
					strings.ToLower(name), wording.Quote(x.Request.Headers.Get(name)), by),
			})
		}
	}
	return whole
}
