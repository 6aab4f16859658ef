package journal

import (
	"context"
	"io"
)

// Cursor reads the exchanges of a journal that match a query, in their order, as they come. It is not for several goroutines.
// It remembers numbers only, so it keeps no exchange from being evicted.
type Cursor struct {
	of      *Journal
	query   *matcher
	looked  uint64   // the exchanges up to this number were looked at
	waiting []uint64 // the numbers of those that match and were not returned yet
	missed  uint64   // see Found
	passed  uint64   // see Found
}

// Found is an exchange that a cursor has found.
type Found struct {
	Exchange
	Missed uint64 // how many before it were evicted unseen, whether they match or not, or were skipped although they match
	Passed uint64 // how many before it match, and were passed over by Sample
}

// lookedAtOnce is how many entries a cursor looks at while it holds none of the journal's locks, after it has held it for a
// moment.
const lookedAtOnce = 256

// Follow returns a cursor that begins after the number of a query. The query's limit doesn't matter.
func (j *Journal) Follow(q Query) *Cursor {
	return &Cursor{of: j, query: q.matcher(), looked: q.After}
}

// Looked returns the number up to which the cursor has looked at exchanges.
func (c *Cursor) Looked() uint64 { return c.looked }

// Wait waits until there are exchanges that the cursor hasn't returned, though they may not match. It returns io.EOF once the
// journal is closed, and the context's error when the context ends.
func (c *Cursor) Wait(ctx context.Context) error {
	if len(c.waiting) > 0 && !c.of.Closed() {
		return nil
	}
	return c.of.Wait(ctx, c.looked)
}

// Look looks at further exchanges until so many that match are waiting, or there are no more.
func (c *Cursor) Look(most int) error {
	return c.look(func(e *entry) bool {
		if len(c.waiting) >= most {
			return false
		}
		if c.query.matches(e) {
			c.waiting = append(c.waiting, e.number)
		}
		return true
	})
}

// Sample looks at all further exchanges. If more than so many that match are then waiting, it passes over all but the newest.
func (c *Cursor) Sample(most int) error {
	count := uint64(len(c.waiting))
	err := c.look(func(e *entry) bool {
		switch {
		case !c.query.matches(e):
			return true
		case count >= uint64(most):
			c.waiting = append(c.waiting[:0], e.number)
		default:
			c.waiting = append(c.waiting, e.number)
		}
		count++
		return true
	})
	c.passed += count - uint64(len(c.waiting))
	return err
}

// Skip looks at the exchanges up to a number, and counts those that match, and those that are waiting, as missed.
func (c *Cursor) Skip(to uint64) error {
	c.missed += uint64(len(c.waiting))
	c.waiting = c.waiting[:0]
	return c.look(func(e *entry) bool {
		if e.number > to {
			return false
		}
		if c.query.matches(e) {
			c.missed++
		}
		return true
	})
}

// Next returns the oldest exchange that is waiting; ok is false if none is.
func (c *Cursor) Next() (found Found, ok bool) {
	for i, number := range c.waiting {
		e := c.of.find(number)
		if e == nil {
			c.missed++
			continue
		}
		c.waiting = append(c.waiting[:0], c.waiting[i+1:]...)
		found = Found{Exchange: e.exchange(), Missed: c.missed, Passed: c.passed}
		c.missed, c.passed = 0, 0
		return found, true
	}
	c.waiting = c.waiting[:0]
	return Found{}, false
}

// look calls fn for the exchanges that were not looked at yet, until it returns false.
func (c *Cursor) look(fn func(*entry) (looked bool)) error {
	for {
		entries, err := c.of.further(c.looked, lookedAtOnce)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if !fn(e) {
				return nil
			}
			c.missed += e.number - 1 - c.looked
			c.looked = e.number
		}
	}
}

// further returns the oldest entries after a number, as far as they are settled, and so many at most.
func (j *Journal) further(after uint64, most int) ([]*entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, io.EOF
	}
	held := j.afterLocked(after)
	held = held[:min(len(held), most)]
	return append([]*entry(nil), held[:firstPending(held)]...), nil
}
