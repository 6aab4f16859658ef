package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/store"
	"github.com/digitalbanking-sim/banksim/sim/watch"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// banks are the banks that serve serves.
type banks struct {
	*sandbox.Registry
	files scenario.Files // of the scenario
	store io.Closer      // or nil
}

// Close ends the banks in this process.
func (b banks) Close() {
	b.Registry.Close()
	if b.store != nil {
		_ = b.store.Close() // each change was synced when it was made
	}
}

// openBanks loads the scenario and opens the banks: in memory, or in the store of --data. It logs the warnings of the
// scenario, and whether the default bank was stored.
func (c serveCommand) openBanks(ctx context.Context, s streams, log *slog.Logger) (banks, error) {
	// The registry makes the rows: it knows when the clock starts.
	sc, files, err := s.loadScenario(c.Scenario, scenario.WithoutWorld(), s.loading())
	switch {
	case err != nil:
		return banks{}, wrongUse{err}
	case c.Watch && files == nil:
		return banks{}, wrongUse{fmt.Errorf("--watch needs a scenario from a file, and %s is none: leave --watch out, "+
			"or name a file, such as --scenario ./bank.yaml", wording.Quote(c.Scenario))}
	}
	watch.LogWarnings(log, sc)
	cfg := sandbox.Config{
		Scenario: sc, Seed: c.Seed, ClockStart: c.ClockStart.Time, StartsNow: c.ClockStart.IsZero(),
		Entries: c.journalEntries(), Log: log,
	}
	if c.Data == "" {
		registry := sandbox.NewRegistry(cfg)
		if c.Import != "" {
			if err := importInto(ctx, registry, c.Import); err != nil {
				registry.Close()
				return banks{}, wrongUse{fmt.Errorf("--import: %w", err)}
			}
			logStored(registry, log)
		}
		return banks{registry, files, nil}, nil
	}
	opened, err := awaitStore(ctx, c.Data, log)
	switch {
	case store.IsAway(err):
		return banks{}, err // it isn't the flag's fault
	case err != nil:
		return banks{}, wrongUse{err}
	}
	registry, wasStored, err := sandbox.OpenRegistry(ctx, cfg, opened)
	if err != nil {
		_ = opened.Close() // the error says more
		return banks{}, wrongUse{fmt.Errorf("--data: %w", err)}
	}
	if wasStored {
		logStored(registry, log)
	}
	return banks{registry, files, opened}, nil
}

// journalEntries returns how many exchanges each journal holds, or 0 for journal.DefaultEntries.
func (c serveCommand) journalEntries() int {
	switch {
	case c.Journal != nil:
		return *c.Journal
	case c.Data == "":
		return inMemoryEntries
	}
	return 0
}

// inMemoryEntries is how many exchanges a journal holds by default if nothing stores the banks (choice).
const inMemoryEntries = 2000

// closableStore is a store that this program opens and closes.
type closableStore interface {
	sandbox.Store
	io.Closer
	FingerprintKey() []byte
	SetFingerprintKey(ctx context.Context, key []byte) error
}

// databaseWait is how long a start waits for a database that isn't there yet (choice), and databasePause how often it
// looks.
const (
	databaseWait  = 30 * time.Second
	databasePause = 500 * time.Millisecond
)

// awaitStore opens the store once its database is there.
func awaitStore(ctx context.Context, data string, log *slog.Logger) (closableStore, error) {
	waiting, cancel := context.WithTimeout(ctx, databaseWait)
	defer cancel()
	for isTold := false; ; isTold = true {
		opened, err := openStore(ctx, data, false)
		if !store.IsAway(err) {
			return opened, err
		}
		if !isTold {
			log.Warn("the database isn't there yet: the start waits for it",
				"atMost", databaseWait.String(), "error", err)
		}
		select {
		case <-waiting.Done():
			return nil, err
		case <-time.After(databasePause):
		}
	}
}

// openStore opens a store. If the store has to exist, nothing is created.
func openStore(ctx context.Context, data string, mustExist bool) (opened closableStore, err error) {
	address, err := store.ParseAddress(data)
	if err != nil {
		return nil, err // it names --data
	}
	if mustExist {
		if address, err = address.Existing(); err != nil {
			return nil, wrongUse{err}
		}
	}
	if address.IsDatabase() {
		opened, err = store.OpenPostgres(ctx, address)
	} else {
		opened, err = store.OpenFile(address.Directory())
	}
	if err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	redact.UseKey(opened.FingerprintKey())
	return opened, nil
}

// logStored says that the default bank was stored before.
func logStored(sandboxes *sandbox.Registry, log *slog.Logger) {
	bank, given := sandboxes.Default().Known(), sandboxes.Origin().Scenario
	log.Info("the default bank goes on from where it was: "+
		"POST /v1/sandboxes/default/reset of the control API starts it afresh",
		"scenario", bank.Scenario.Name, "changes", bank.Changes())
	if bank.Scenario.Version != given.Version {
		log.Warn("the stored bank started from another scenario, or another version of it: a reset starts it from "+
			"what is given now", "stored", bank.Scenario.Tag, "given", given.Tag)
	}
}
