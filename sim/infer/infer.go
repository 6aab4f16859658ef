package infer

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// The bounds of a search (choice).
const (
	// maxPasses is how often the capture is answered to learn more.
	maxPasses = 50
	// maxAnswers is how many requests are answered to leave facts out. Then those that are left stay.
	maxAnswers = 100_000
)

// Options are how a bank is found.
type Options struct {
	Name  string // of the scenario
	Stubs bool   // whether requests to other paths become stubs
	// Progress is called with how many requests were answered, and about how many there will be; or nil.
	Progress func(done, total int)
}

// Result is a bank that was found.
type Result struct {
	YAML        []byte       `json:"yaml"`
	Rows        int          `json:"rows"`
	Agree       int          `json:"agree"`       // exchanges whose answers are those of the capture
	Unexplained []Difference `json:"unexplained"` // the others
	Others      []string     `json:"others"`      // requests that are not the interface's
	Kept        []string     `json:"kept"`        // members whose values come from the capture, with how often
	Stubs       int          `json:"stubs"`
}

// Difference is an exchange that the bank answers otherwise.
type Difference struct {
	Exchange int      `json:"exchange"` // its number in the capture, from 1
	Request  string   `json:"request"`
	Places   []string `json:"places"` // members of the answer, or the status
	Rule     string   `json:"rule,omitzero"`
}

// Infer finds the bank behind a capture. It fails if the capture can't be read, has nothing of the interface, or lacks
// credentials.
func Infer(ctx context.Context, capture []byte, open Open, o Options) (Result, error) {
	whole, err := read(capture)
	if err != nil {
		return Result{}, err
	}
	all, others := ofInterface(whole)
	if len(all) == 0 && !o.Stubs {
		return Result{}, fmt.Errorf("none of the %s is to an operation of the interface", phrase.Count(len(whole), "exchange"))
	}
	if err := checkCredentials(all); err != nil {
		return Result{}, err
	}
	all = masked(all)
	s := search{known: study(all), open: open, exchanges: all, progress: o.Progress}
	found, err := s.find(ctx)
	if err != nil {
		return Result{}, err
	}
	r := newResult(found)
	r.Others = others
	r.YAML = slices.Concat(encode(map[string]string{"name": o.Name}), []byte(description), found.yaml(s.groupOrder))
	if stubs := stubsOf(whole); o.Stubs && len(stubs) > 0 {
		r.Stubs = len(stubs)
		r.YAML = append(r.YAML, encode(map[string]any{"faults": rules(stubs)})...)
	}
	r.Kept = kept(r.YAML)
	return r, nil
}

const description = "description: Answers a capture as the service did.\n"

// search looks for the bank behind exchanges.
type search struct {
	known
	open      Open
	exchanges []exchange
	progress  func(done, total int)
}

// attempt is what a bank with some facts answers.
type attempt struct {
	facts
	outcomes []outcome
}

// start is the time of the first exchange: the clock of the bank begins there.
func (s search) start() time.Time {
	if len(s.exchanges) == 0 {
		return time.Time{}
	}
	return s.exchanges[0].at
}

// first is the number of the first exchange in the capture.
func (s search) first() int {
	if len(s.exchanges) == 0 {
		return 1
	}
	return s.exchanges[0].number
}

// scenario returns the facts as a scenario whose clock stands still.
func (s search) scenario(f facts, options ...scenario.Option) (*scenario.Scenario, error) {
	head := fmt.Sprintf("name: capture\nseed: 1\nclock: {start: %s, run: false}\n", s.start().UTC().Format(time.RFC3339))
	return scenario.Parse("capture.yaml", append([]byte(head), f.yaml(s.groupOrder)...), options...)
}

// try answers the capture with a bank, until one of the outcomes is not wanted.
func (s search) try(ctx context.Context, f facts, wanted func(outcome) bool) (attempt, error) {
	sc, err := s.scenario(f)
	if err != nil {
		return attempt{}, err
	}
	bank := s.open(sc)
	defer bank.Close()
	outcomes, err := ask(ctx, bank, s.exchanges, wanted)
	return attempt{f, outcomes}, err
}

func anyOutcome(outcome) bool { return true }

// find learns facts until no exchange teaches more, and leaves out those that no answer needs.
func (s search) find(ctx context.Context) (attempt, error) {
	found, err := s.try(ctx, facts{}.with([]fact{{at("", "institutions", s.home), nil, s.first()}}), anyOutcome)
	for pass := 0; err == nil && pass < maxPasses; pass++ {
		if s.progress != nil {
			s.progress(pass*len(s.exchanges), (pass+3)*len(s.exchanges))
		}
		next := s.learn(found)
		if len(next.list) == len(found.list) {
			break
		}
		found, err = s.try(ctx, next, anyOutcome)
	}
	if err != nil {
		return found, err
	}
	return s.shrink(ctx, found)
}

// learn returns the facts with those that the differing answers teach. Answers after a change that the bank has not
// answered as the service did count when the others teach nothing.
func (s search) learn(found attempt) facts {
	all := func(r reading) [][]fact { r.trusted = true; return r.teach() }
	for _, teach := range []func(reading) [][]fact{reading.teach, all, reading.unseenGroups} {
		next := found.facts
		for _, o := range found.outcomes {
			if len(o.differs) > 0 {
				next = s.valid(next, found.firstNew(teach(reading{s.known, o, nil})))
			}
		}
		if len(next.list) > len(found.list) {
			return next
		}
	}
	return found.facts
}

// valid returns the facts with those of others that a scenario may have.
func (s search) valid(f facts, others []fact) facts {
	next := f.with(others)
	if len(next.list) == len(f.list) {
		return f
	}
	if _, err := s.scenario(next, scenario.WithoutWorld()); err == nil {
		return next
	}
	if len(others) == 1 {
		return f
	}
	for i := range others {
		f = s.valid(f, others[i:i+1])
	}
	return f
}

// shrink leaves out each fact that no answer needs.
func (s search) shrink(ctx context.Context, found attempt) (attempt, error) {
	answers, before := 0, found.outcomes
	for i := len(found.list) - 1; i >= 0 && answers < maxAnswers; i-- {
		if i >= len(found.list) {
			continue
		}
		n, isWorse := 0, false
		next, err := s.try(ctx, found.without(found.list[i].place), func(o outcome) bool {
			isWorse = o.distance() > before[n].distance()
			n++
			return !isWorse
		})
		answers += n
		switch {
		case ctx.Err() != nil:
			return found, err
		case err == nil && !isWorse:
			found = next
		}
	}
	return found, nil
}

// newResult returns what a bank answers as the capture, and what not.
func newResult(found attempt) Result {
	r := Result{Rows: found.tree().rows(), Unexplained: []Difference{}}
	for _, o := range found.outcomes {
		if len(o.differs) == 0 {
			r.Agree++
			continue
		}
		d := Difference{Exchange: o.number, Request: o.method + " " + phrase.Shorten(o.path), Places: o.differs}
		if !o.accepts() {
			d.Rule = o.got.Decision.Rule
		}
		r.Unexplained = append(r.Unexplained, d)
	}
	return r
}

// WriteText writes what was found, for people: everything but the scenario.
func (r Result) WriteText(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "a bank of %s: %s the same", phrase.Count(r.Rows, "row"), phrase.Count(r.Agree, "answer"))
	if len(r.Unexplained) > 0 {
		fmt.Fprintf(&out, ", %s not", phrase.Count(len(r.Unexplained), "answer"))
	}
	out.WriteString("\n")
	for _, d := range r.Unexplained {
		fmt.Fprintf(&out, "exchange %d, %s\n", d.Exchange, d.Request)
		for _, place := range d.Places {
			fmt.Fprintf(&out, "  %s\n", place)
		}
		if d.Rule != "" {
			fmt.Fprintf(&out, "  the bank refuses it: %s\n", d.Rule)
		}
	}
	if r.Stubs > 0 {
		fmt.Fprintf(&out, "%s, with bodies of the capture\n", phrase.Count(r.Stubs, "stub"))
	}
	if len(r.Others) > 0 {
		fmt.Fprintf(&out, "not the interface's: %s\n", strings.Join(r.Others, ", "))
	}
	if len(r.Kept) > 0 {
		fmt.Fprintf(&out, "as they are in the capture, for you to look at: %s\n", strings.Join(r.Kept, ", "))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
