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

// NoExchanges makes Follow return no exchanges.
const NoExchanges = math.MaxUint64

// followJournal is follow, and brings the journal to the exchanges of the store.
func (s *Sandbox) followJournal(ctx context.Context) error {
	for {
		after := s.state.Load().generation.journal.FillAfter()
		news, err := s.follow(ctx, s.registry.store, after)
		if err != nil {
			return err
		}
		records, err := s.decodeExchanges(news.Exchanges)
		if err != nil || s.state.Load().generation.journal.Fill(after, records, news.Last) {
			return err
		}
	}
}

// follow brings the sandbox to the version that the store has. It returns the news, with the exchanges after a
// number. It fails with ErrTooOld if the bank must be loaded.
func (s *Sandbox) follow(ctx context.Context, st Store, after uint64) (News, error) {
	current := s.state.Load()
	if current.deleted {
		return News{}, ErrDeleted
	}
	began := time.Now()
	news, err := st.Follow(ctx, s.name, current.version, after)
	if err = s.registry.health.note(usedByCall, began, err); err != nil {
		return news, err
	}
	states := []*state{current}
	for _, c := range news.Changes {
		next, err := states[len(states)-1].apply(c)
		if err != nil {
			return news, fmt.Errorf("%w: following others: %w", ErrNotStored, err)
		}
		states = append(states, next)
	}
	if len(states) > 1 {
		states[len(states)-1].version = news.Version
		s.installAfter(current, states[1:]...)
	}
	return news, nil
}

// decodeExchanges returns exchanges of the store, with the worlds around them as far as this process knows them.
func (s *Sandbox) decodeExchanges(exchanges []NumberedExchange) ([]journal.Record, error) {
	records := make([]journal.Record, 0, len(exchanges))
	for _, x := range exchanges {
		record, err := journal.Decode(x.Number, x.Data)
		if err != nil {
			return nil, fmt.Errorf("%w: exchange %s: %w", ErrNotStored, strconv.FormatUint(x.Number, 10), err)
		}
		s.past.setWorlds(&record.Step)
		records = append(records, record)
	}
	return records, nil
}

// reloading is a bank that is being loaded again, because the store can't say what has happened since the version
// that this process has.
type reloading struct {
	done chan struct{}
	err  error // set before done is closed
}

// reload loads the bank again. Callers that come while it does share the work, and it goes on if their context ends.
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

// readAgain returns the state of the bank as the store has it. It fails with ErrDeleted if another bank has taken the
// name.
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
