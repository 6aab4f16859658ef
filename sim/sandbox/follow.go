package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// NoExchanges is the number after which Follow returns no exchanges.
const NoExchanges = math.MaxUint64

// followJournal is follow with the exchanges that the journal doesn't have.
func (s *Sandbox) followJournal(ctx context.Context) error {
	return s.follow(ctx, s.registry.store, s.state.Load().generation.journal.Complete())
}

// follow brings the sandbox to the version that the store has, and its journal to the exchanges after a number. It fails with
// ErrTooOld if the bank must be loaded.
func (s *Sandbox) follow(ctx context.Context, st Store, after uint64) error {
	current := s.state.Load()
	if current.deleted {
		return ErrDeleted
	}
	began := time.Now()
	news, err := st.Follow(ctx, s.name, current.version, after)
	if err = s.registry.health.note(usedByCall, began, err); err != nil {
		return err
	}
	states := []*state{current}
	for _, c := range news.Changes {
		next, err := states[len(states)-1].apply(c)
		if err != nil {
			return fmt.Errorf("%w: following others: %w", ErrNotStored, err)
		}
		states = append(states, next)
	}
	last := states[len(states)-1]
	if len(states) > 1 {
		last.version = news.Version
		s.installAfter(current, states[1:]...)
	}
	if after == NoExchanges {
		return nil
	}
	return s.fill(last, news.Exchanges, news.Last)
}

// fill adds exchanges of the store to the journal, with the worlds around them as far as this process knows them.
func (s *Sandbox) fill(st *state, exchanges []NumberedExchange, last uint64) error {
	entries := make([]*journal.Entry, 0, len(exchanges))
	for _, x := range exchanges {
		e, err := journal.Decode(x.Number, x.Data)
		if err != nil {
			return fmt.Errorf("%w: exchange %s: %w", ErrNotStored, strconv.FormatUint(x.Number, 10), err)
		}
		s.past.setWorlds(e)
		entries = append(entries, e)
	}
	st.generation.journal.Fill(entries, last)
	return nil
}

// reloading is a bank that is being loaded again, because the store can't say what has happened since the version that this
// process has.
type reloading struct {
	done chan struct{}
	err  error // set before done is closed
}

// reload loads the bank again. Callers that come meanwhile share the work, and it goes on if their context ends.
func (s *Sandbox) reload(ctx context.Context) error {
	l := s.startReload()
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return fmt.Errorf("%w: the bank is being read from its store", ErrNotStored)
	}
}

func (s *Sandbox) startReload() *reloading {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reloading == nil {
		s.reloading = &reloading{done: make(chan struct{})}
		go s.finishReload(s.reloading)
	}
	return s.reloading
}

func (s *Sandbox) finishReload(l *reloading) {
	from := s.state.Load()
	next, err := s.readAgain(from)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		unused := next.generation.journal
		if s.state.Load() == from {
			unused = from.generation.journal
			s.past.add([]*state{next})
			s.install(next)
		}
		if next.generation.journal != from.generation.journal {
			unused.Close()
		}
	}
	l.err, s.reloading = err, nil
	close(l.done)
}

// readAgain returns the state of the bank as the store has it. It fails with ErrDeleted if another bank has taken the name.
func (s *Sandbox) readAgain(from *state) (*state, error) {
	if from.deleted {
		return nil, ErrDeleted
	}
	ctx, cancel := context.WithTimeout(s.registry.ctx, worldTimeout)
	defer cancel()
	b, err := s.registry.loadBank(ctx, s.name)
	switch {
	case errors.Is(err, ErrNoSandbox):
		return nil, ErrDeleted
	case err != nil:
		return nil, err
	case b.Version.Bank != from.version.Bank:
		return nil, ErrDeleted
	}
	return s.decodeBank(b, from, from.generation.start.scenario)
}
