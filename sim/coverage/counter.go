package coverage

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Answer is an answer to a request to an operation, or what a fault made of it.
type Answer struct {
	Operation *contract.Operation // in the dialect that it is answered in
	Status    int                 // that is sent; 0: none is
	Rule      string              // that refuses the request; empty: none does, or a fault answers
	Entries   []string            // of the ledger, that the bank's decision rests on

	Injected   bool   // whether a fault answers, or loses or breaks the answer
	Code       string // in the error body that a fault answers with
	Connection string // the kind of the connection fault; empty: none
	Phase      string // of the fault
}

// kind is all answers that are alike. There are few of them, so each is counted as a number.
type kind struct {
	number    uint32
	operation string
	slot      *slot    // nil: none, it counts entries alone
	entries   []string // of the ledger
	total     atomic.Uint64
}

// maxBesides is how many answers that no description lists are counted by their statuses (choice): those of a suite are few.
// Beyond that those of faults to an operation are counted together, without a status.
const maxBesides = 2048

// How many kinds there are of a slot at most, with different entries, and of all (choice). What doesn't fit is counted without
// its entries, and each of them by itself: so the counts stay exact.
const (
	maxKindsOfSlot = 32
	maxKinds       = 1 << 16
)

// kinds are those of a slot. A list is never written to.
type kinds struct{ list atomic.Pointer[[]*kind] }

// find returns the kind with entries; nil: there is none. full reports whether there can be no more.
func (k *kinds) find(entries []string) (found *kind, full bool) {
	list := k.all()
	for _, known := range list {
		if slices.Equal(known.entries, entries) {
			return known, false
		}
	}
	return nil, len(list) >= maxKindsOfSlot
}

func (k *kinds) all() []*kind {
	if list := k.list.Load(); list != nil {
		return *list
	}
	return nil
}

// Counter counts the answers of one sandbox.
type Counter struct {
	of   *Counters
	last atomic.Pointer[judged] // the behaviour of the newest request; nil: there was none

	mu       sync.Mutex
	counts   []count // by the numbers of their kinds
	possible set
}

// judged is a behaviour, of a strict sandbox or one that isn't, whose possible points are known.
type judged struct {
	behavior *sim.Behavior
	strict   bool
}

type count struct {
	kind  uint32
	times uint64
}

// Count counts an answer of a bank with a behaviour. It comes before the answer is sent, so whoever has an answer finds it
// counted.
func (c *Counter) Count(a *Answer, b *sim.Behavior, strict bool) {
	if last := c.last.Load(); last == nil || last.behavior != b || last.strict != strict {
		c.allow(b, strict)
	}
	if k := c.of.kindOf(a); k != nil {
		c.add(k)
		return
	}
	c.add(c.of.kindWithout(a))
	for _, entry := range a.Entries {
		c.add(c.of.kindOfEntry(a.Operation.Name, entry))
	}
}

// allow adds what is possible under the behaviour of a request.
func (c *Counter) allow(b *sim.Behavior, strict bool) {
	possible := c.of.judge(b, strict)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.possible = c.possible.union(possible)
	c.last.Store(&judged{b, strict})
}

func (c *Counter) add(k *kind) {
	k.total.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	at, counted := slices.BinarySearchFunc(c.counts, k.number, func(own count, number uint32) int { return cmp.Compare(own.kind, number) })
	if !counted {
		c.counts = slices.Insert(c.counts, at, count{kind: k.number})
	}
	c.counts[at].times++
}

// kindOf returns the kind of an answer; nil: there are too many that differ in their entries.
func (c *Counters) kindOf(a *Answer) *kind {
	k := c.kindsOf(a)
	if known, full := k.kinds.find(a.Entries); known != nil || full {
		return known
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, full := k.kinds.find(a.Entries); known != nil || full || len(c.kinds) >= maxKinds {
		return known
	}
	added := &kind{number: uint32(len(c.kinds)), operation: a.Operation.Name, slot: k.slot, entries: slices.Clone(a.Entries)}
	c.kinds = append(c.kinds, added)
	list := append(slices.Clone(k.kinds.all()), added)
	k.kinds.list.Store(&list)
	return added
}

// kindWithout returns the kind of an answer that has no entries.
func (c *Counters) kindWithout(a *Answer) *kind {
	k := c.kindsOf(a)
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.without == nil {
		k.without = &kind{number: uint32(len(c.kinds)), operation: a.Operation.Name, slot: k.slot}
		c.kinds = append(c.kinds, k.without)
	}
	return k.without
}

// kindOfEntry returns the kind that counts an entry alone, for answers of an operation.
func (c *Counters) kindOfEntry(operation, id string) *kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	alone := relied{operation, id}
	if c.alone[alone] == nil {
		c.alone[alone] = &kind{number: uint32(len(c.kinds)), operation: operation, entries: []string{id}}
		c.kinds = append(c.kinds, c.alone[alone])
	}
	return c.alone[alone]
}

// kindsOf returns the kinds of the slot of an answer.
func (c *Counters) kindsOf(a *Answer) *slotKinds {
	own := c.index.operations[a.Operation]
	if at, ok := own.find(a); ok {
		return &c.slots[at]
	}
	p := own.besides(a)
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.besides[p]
	if k == nil && a.Injected && len(c.besides) >= maxBesides { // the bank itself has few
		p.Status, p.Code = 0, ""
		k = c.besides[p]
	}
	if k == nil {
		k = &slotKinds{slot: &slot{besides: &p, injected: a.Injected}}
		c.besides[p] = k
	}
	return k
}
