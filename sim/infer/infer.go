package infer

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// The bounds of a search (choice). Its effort is counted in answers and facts of the banks that are tried. When it is
// used up, nothing more is learned, and the facts that are left stay.
const (
	// minEffort is the effort for a capture of few exchanges, whose lists may have many rows.
	minEffort = 100_000
	// effortPerExchange is how often all exchanges may be answered beyond that.
	effortPerExchange = 100
	// effortPerSize is how many bytes of an exchange are as much effort as another exchange.
	effortPerSize = 4096
	// effortPerFacts is how many facts of a bank make each of its answers so much dearer: it may list them.
	effortPerFacts = 1000
	// maxFacts is how many facts there are at most: a scenario has no more.
	maxFacts = 20_000
)

// Options are how a bank is found.
type Options struct {
	Name  string // of the scenario
	Stubs bool   // whether requests to other paths become stubs
	// Progress is called with how many facts were tried, and how many there are; or nil.
	Progress func(done, total int)
}

// Result is a bank that was found.
type Result struct {
	YAML        []byte
	Rows        int
	Agree       int          // exchanges whose answers are those of the capture
	Unexplained []Difference // the others
	Others      []string     // requests that are not the interface's, or have no answer
	Unmasked    []string     // members whose values come from the capture, with how often
	Stubs       int
	Untried     int // facts that may not be needed: the search ended before it left them out
}

// Difference is an exchange that the bank answers otherwise than the service did.
type Difference struct {
	Exchange int // its number in the capture, from 1
	Request  string
	Places   []string // members of the answer, or the status
	Rule     string   // by which the bank refuses the request, or empty
}

// Infer finds the bank behind a capture. It fails if the capture can't be read, has nothing of the interface, lacks
// credentials, or shows more than a scenario can have.
func Infer(ctx context.Context, capture []byte, o Options) (Result, error) {
	whole, err := read(ctx, capture, o.Stubs)
	if err != nil {
		return Result{}, err
	}
	var all, others []exchange
	for _, x := range whole {
		if x.isOfInterface() {
			all = append(all, x)
		} else {
			others = append(others, x)
		}
	}
	if len(all) == 0 && !o.Stubs {
		return Result{}, fmt.Errorf("none of the %s is to an operation of the interface",
			wording.Count(len(whole), "exchange"))
	}
	whole = nil // so that the memory for what is masked is free
	if err := checkWhole(all); err != nil {
		return Result{}, err
	}
	made := mask(ctx, all)
	s := newSearch(knownFrom(ctx, all), all, o.Progress)
	best, untried, err := s.find(ctx)
	if err != nil {
		return Result{}, err
	}
	withOrigins := best.facts.with(originsOf(all))
	if _, err := s.scenario(withOrigins, scenario.WithoutWorld()); err == nil {
		best.facts = withOrigins
	}
	r := newResult(best)
	r.Others, r.Untried = requestsOf(others), untried
	r.YAML = slices.Concat(encode(map[string]string{"name": o.Name}), []byte(description), best.yaml(s.order))
	if o.Stubs {
		stubs := stubsOf(ctx, others)
		if r.Stubs = len(stubs); r.Stubs > 0 {
			r.YAML = append(r.YAML, encode(map[string]any{"faults": stubs})...)
		}
	}
	r.Unmasked = best.unmasked(made)
	if _, err := scenario.Parse("capture.yaml", r.YAML, scenario.WithoutWorld()); err != nil {
		return Result{}, fmt.Errorf("the bank is no scenario: %w", err)
	}
	return r, ctx.Err()
}

const description = "description: Answers a capture as the service did.\n"

// search looks for the bank behind exchanges.
type search struct {
	known
	order     map[string]int // of groups
	exchanges []exchange
	progress  func(done, total int)
	effort    *int // that is left
}

func newSearch(k known, all []exchange, progress func(done, total int)) search {
	effort := minEffort
	for _, x := range all {
		effort += effortPerExchange * x.effort()
	}
	return search{k, k.groupOrder(), all, progress, &effort}
}

// effort returns how much it is to answer the exchange once.
func (x exchange) effort() int { return 1 + (len(x.body)+len(x.answer))/effortPerSize }

// attempt is what a bank with some facts answers.
type attempt struct {
	facts
	outcomes []outcome
}

// scenario returns the facts as a scenario whose clock stands still at the time of the first exchange.
func (s search) scenario(f facts, options ...scenario.Option) (*scenario.Scenario, error) {
	var start time.Time
	if len(s.exchanges) > 0 {
		start = s.exchanges[0].at
	}
	head := fmt.Sprintf("name: capture\nseed: 1\nclock: {start: %s, run: false}\n", start.UTC().Format(time.RFC3339))
	return scenario.Parse("capture.yaml", append([]byte(head), f.yaml(s.order)...), options...)
}

// try answers the capture with a bank, until one of the outcomes is not wanted.
func (s search) try(ctx context.Context, f facts, wanted func(outcome) bool) (attempt, error) {
	sc, err := s.scenario(f)
	if err != nil {
		return attempt{}, err
	}
	b := openBank(sc)
	defer b.close()
	*s.effort -= len(f.list)
	outcomes, err := replay(ctx, b, s.exchanges, func(o outcome) bool {
		*s.effort -= o.effort() * (1 + len(f.list)/effortPerFacts)
		return wanted(o)
	})
	return attempt{f, outcomes}, err
}

func anyOutcome(outcome) bool { return true }

// find learns facts until no exchange teaches more, and leaves out those that no answer needs. It returns how many
// facts it has not tried to leave out.
func (s search) find(ctx context.Context) (best attempt, untried int, err error) {
	first := fact{path: at("", "institutions", s.defaultInstitution), from: 1}
	if len(s.exchanges) > 0 {
		first.from = s.exchanges[0].number
	}
	best, err = s.try(ctx, facts{}.with([]fact{first}), anyOutcome)
	for err == nil {
		next := s.learn(ctx, best)
		if len(next.list) == len(best.list) {
			return s.shrink(ctx, best)
		}
		best, err = s.try(ctx, next, anyOutcome)
	}
	return best, 0, err
}

// learn returns the facts with those that the differing answers teach. Answers that are not trusted count when the
// others teach nothing.
func (s search) learn(ctx context.Context, best attempt) facts {
	trusting := func(l lesson) [][]fact {
		l.trusted = true
		return l.teach()
	}
	for _, teach := range []func(lesson) [][]fact{lesson.teach, trusting, lesson.unseenGroups} {
		learned := best.facts.with(nil)
		for _, o := range best.outcomes {
			if len(o.differs) == 0 {
				continue
			}
			if *s.effort -= bytes.Count(o.answer, []byte("{")); *s.effort <= 0 || ctx.Err() != nil {
				break
			}
			learned.add(best.firstNew(teach(lesson{known: s.known, outcome: o})))
		}
		if next := s.withValid(ctx, best.facts, learned.list[len(best.list):]); len(next.list) > len(best.list) {
			return next
		}
	}
	return best.facts
}

// withValid returns the facts together with others that a scenario may have beside them.
func (s search) withValid(ctx context.Context, f facts, others []fact) facts {
	next := f.with(others)
	if *s.effort -= len(next.list); len(next.list) == len(f.list) || *s.effort <= 0 || ctx.Err() != nil {
		return f
	}
	if _, err := s.scenario(next, scenario.WithoutWorld()); err == nil {
		return next
	}
	if len(others) == 1 {
		return f
	}
	half := len(others) / 2
	return s.withValid(ctx, s.withValid(ctx, f, others[:half]), others[half:])
}

// shrink leaves out each fact that no answer needs. It returns how many it has not tried.
func (s search) shrink(ctx context.Context, best attempt) (shrunk attempt, untried int, err error) {
	all := best.list
	for i := len(all) - 1; i >= 0; i-- {
		if *s.effort <= 0 {
			return best, i + 1, nil
		}
		if s.progress != nil {
			s.progress(len(all)-1-i, len(all))
		}
		if !best.paths[all[i].path] { // it was below another one
			continue
		}
		answered, isWorse := 0, false
		next, err := s.try(ctx, best.without(all[i].path), func(o outcome) bool {
			isWorse = !o.isAsGood(best.outcomes[answered])
			answered++
			return !isWorse
		})
		if ctx.Err() != nil {
			return best, 0, ctx.Err()
		}
		if err == nil && !isWorse { // an error: the scenario needs the fact
			best = next
		}
	}
	return best, 0, nil
}

// newResult returns what a bank answers as the capture, and what not.
func newResult(best attempt) Result {
	r := Result{Rows: best.tree().rows()}
	for _, o := range best.outcomes {
		if len(o.differs) == 0 {
			r.Agree++
			continue
		}
		d := Difference{Exchange: o.number, Request: o.method + " " + wording.Shorten(o.path), Places: o.differs}
		if !o.accepts() {
			d.Rule = o.got.decision.Rule
		}
		r.Unexplained = append(r.Unexplained, d)
	}
	return r
}
