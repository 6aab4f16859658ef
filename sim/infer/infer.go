package infer

import (
	"context"
	"fmt"
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
	maxAnswers = 200_000
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
	s := search{ctx: ctx, open: open, exchanges: all, known: study(all), progress: o.Progress}
	found, err := s.find()
	if err != nil {
		return Result{}, err
	}
	return s.result(found, whole, others, o)
}

// search looks for the bank behind exchanges.
type search struct {
	known
	ctx       context.Context
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

// scenario returns the facts as a scenario whose clock stands still.
func (s search) scenario(f facts) (*scenario.Scenario, error) {
	text := append(f.yaml("capture", s.groupPlaces),
		fmt.Sprintf("seed: 1\nclock: {start: %s, run: false}\n", s.start().UTC().Format(time.RFC3339))...)
	return scenario.Parse("capture.yaml", text)
}

// try answers the capture with a bank, until one of the outcomes is not wanted.
func (s search) try(f facts, wanted func(outcome) bool) (attempt, error) {
	sc, err := s.scenario(f)
	if err != nil {
		return attempt{}, err
	}
	bank := s.open(sc)
	defer bank.Close()
	outcomes, err := ask(s.ctx, bank, s.exchanges, wanted)
	return attempt{f, outcomes}, err
}

func any_(outcome) bool { return true }

// find learns facts until no exchange teaches more, and leaves out those that no answer needs.
func (s search) find() (attempt, error) {
	facts := facts{}.with([]fact{{at("", "institutions", s.home), nil, s.exchanges[0].number}})
	found, err := s.try(facts, any_)
	for pass := 0; err == nil && pass < maxPasses; pass++ {
		if s.progress != nil {
			s.progress(pass*len(s.exchanges), (pass+3)*len(s.exchanges))
		}
		next := s.learn(found)
		if len(next.list) == len(found.list) {
			break
		}
		found, err = s.try(next, any_)
	}
	if err != nil {
		return found, err
	}
	return s.shrink(found)
}

// learn returns the facts with those that the differing answers teach. Answers after a change that the bank has not
// answered as the service did count when the others teach nothing.
func (s search) learn(found attempt) facts {
	for _, trusting := range []bool{false, true} {
		for _, teach := range []func(reading) []fact{reading.teach, reading.moreGroups} {
			next := found.facts
			for _, o := range found.outcomes {
				o.trusted = o.trusted || trusting
				if len(o.differs) > 0 {
					next = s.valid(next, teach(reading{s.known, o}))
				}
			}
			if len(next.list) > len(found.list) {
				return next
			}
		}
	}
	return found.facts
}

// teach returns what one differing answer says about the bank.
func (r reading) teach() []fact {
	switch {
	case r.accepts() && r.accepted() && r.status != r.got.Status:
		return r.fromSwitch()
	case r.accepts() && r.accepted():
		return r.fromRows()
	}
	return r.fromRefusals()
}

// valid returns the facts with those others that a scenario may have.
func (s search) valid(f facts, others []fact) facts {
	next := f.with(others)
	if len(next.list) == len(f.list) {
		return f
	}
	text := next.yaml("capture", s.groupPlaces)
	if _, err := scenario.Parse("capture.yaml", text, scenario.WithoutWorld()); err != nil {
		return f
	}
	return next
}

// shrink leaves out each fact that no answer needs.
func (s search) shrink(found attempt) (attempt, error) {
	answers, before := 0, found.outcomes
	for i := len(found.list) - 1; i >= 0 && answers < maxAnswers; i-- {
		if i >= len(found.list) {
			continue
		}
		n, isWorse := 0, false
		next, err := s.try(found.without(found.list[i].place), func(o outcome) bool {
			isWorse = len(o.differs) > len(before[n].differs)
			n++
			return !isWorse
		})
		answers += n
		switch {
		case s.ctx.Err() != nil:
			return found, err
		case err == nil && !isWorse:
			found = next
		}
	}
	return found, nil
}

func (s search) result(found attempt, whole []exchange, others []string, o Options) (Result, error) {
	r := Result{Others: others, Unexplained: []Difference{}}
	r.YAML = found.yaml(o.Name, s.groupPlaces)
	for _, f := range found.list {
		if strings.Count(f.place, "/")%2 == 1 && f.value == nil {
			r.Rows++
		}
	}
	for _, out := range found.outcomes {
		if len(out.differs) == 0 {
			r.Agree++
			continue
		}
		d := Difference{out.number, out.method + " " + out.path, out.differs, ""}
		if !out.accepts() {
			d.Rule = out.got.Decision.Rule
		}
		r.Unexplained = append(r.Unexplained, d)
	}
	r.Kept = kept(r.YAML)
	return r, nil
}
