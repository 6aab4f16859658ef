package infer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/infer/capture"
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
	// firstExchanges is how many exchanges a bank is looked for first, and moreExchanges how many times as many next.
	firstExchanges, moreExchanges = 250, 8
	// maxFacts is how many facts there are at most: a scenario has no more.
	maxFacts = 20_000
)

// Options are how a bank is found.
type Options struct {
	Name  string   // of the scenario
	Stubs bool     // whether requests to other paths become stubs
	Hosts []string // whose requests become stubs beside those to the service's own host
	Files fs.FS    // with the bodies that the capture names, or nil
	// MaxBytes is how much a capture may have, unpacked and with these bodies; or 0 for [capture.MaxBytes].
	MaxBytes int64
	// Progress is called with how many values of switches, and then facts, were tried, and how many there are; or nil.
	Progress func(done, total int)
}

// Result is a bank that was found.
type Result = controlapi.Inferred

// Infer finds the bank behind a capture. It fails if the capture can't be read, has nothing of the interface, lacks all
// credentials, or shows more than a scenario can have.
func Infer(ctx context.Context, recorded []byte, o Options) (Result, error) {
	c, err := read(ctx, recorded, o)
	if err != nil {
		return Result{}, err
	}
	masks := mask(ctx, c.all)
	normal := slices.DeleteFunc(slices.Clone(c.all), exchange.isFault)
	s := newSearch(knownFrom(ctx, normal), normal, o.Progress)
	best, untried, err := s.find(ctx, append(originsOf(normal), lifetimesOf(normal)...))
	if err != nil {
		return Result{}, err
	}
	best = s.complete(ctx, best)
	head := encode(map[string]string{"name": nameOf(o.Name)})
	bank := slices.Concat(head, []byte(description), s.clock(best.facts), best.yaml(s.order))
	added := c.addedRules(ctx, o, masks, scenario.MaxBytes-len(bank))
	yaml := string(append(bank, asYAML(added.all)...))
	if _, err := scenario.Parse("capture.yaml", []byte(yaml), scenario.WithoutWorld()); err != nil {
		return Result{}, fmt.Errorf("the bank is no scenario: %w", err)
	}
	if ctx.Err() != nil { // then not all of the capture is masked
		return Result{}, ctx.Err()
	}
	unexplained, shown := best.unexplained(), masks.replacer()
	return Result{
		YAML: yaml, Rows: best.tree().rows(), Agree: len(best.outcomes) - len(unexplained), Unexplained: unexplained,
		Others: requestsOf(c.others, shown), Unmasked: best.unmasked(masks.made()), LeftOut: c.leftOut(shown),
		Notes: append(c.notes(), added.notes...), Stubs: len(added.all) - added.faults, Faults: added.faults,
		Untried: untried,
	}, nil
}

// maxName is how long the name of a scenario may be, in bytes.
const maxName = 100

// nameOf returns a name that a scenario may have.
func nameOf(name string) string {
	if name == "" || len(name) > maxName {
		return "capture"
	}
	return name
}

// addedRules are the faults and then the stubs of a capture.
type addedRules struct {
	all    []fault.Rule
	faults int
	notes  []string // what is left out
}

// addedRules returns the rules that a scenario has room for, in bytes of their YAML.
func (c recording) addedRules(ctx context.Context, o Options, m masks, room int) addedRules {
	all, notes := faultsOf(c.all)
	faults := len(all)
	if o.Stubs {
		stubs, told := stubsOf(ctx, c, o.Hosts, m)
		all, notes = append(all, stubs...), append(notes, told...)
	}
	fitting := fit(all, room)
	if left := len(all) - len(fitting); left > 0 {
		notes = append(notes, fmt.Sprintf("%s left out: a scenario has room for %d, and for %d KiB",
			wording.Count(left, "rule"), fault.MaxRules, scenario.MaxBytes>>10))
	}
	return addedRules{fitting, min(faults, len(fitting)), notes}
}

// fit returns the first rules: at least three quarters of those that a scenario has room for, in bytes of their YAML.
func fit(all []fault.Rule, room int) []fault.Rule {
	all = all[:min(len(all), fault.MaxRules)]
	for len(all) > 0 && len(asYAML(all)) > room {
		all = all[:len(all)*3/4]
	}
	return all
}

// recording is what a capture has.
type recording struct {
	all      []exchange // of the interface, in the order of their times
	others   []exchange // the others
	archive  capture.Archive
	redacted int // requests whose credentials were redacted
}

// read reads a capture.
func read(ctx context.Context, recorded []byte, o Options) (c recording, err error) {
	most := cmp.Or(o.MaxBytes, capture.MaxBytes)
	c.archive, err = capture.Read(ctx, recorded, most, o.Files, func(recorded capture.Exchange) string {
		x, reason := newExchange(recorded, o.Stubs)
		switch {
		case reason != "":
			return reason
		case x.isOfInterface():
			c.all = append(c.all, x)
		default:
			c.others = append(c.others, x)
		}
		return ""
	})
	switch {
	case err != nil:
		return c, err
	case len(c.all) == 0 && (!o.Stubs || len(c.others) == 0):
		why := ""
		if len(c.archive.Omitted) > 0 {
			first := c.archive.Omitted[0]
			why = fmt.Sprintf("; exchange %d was left out: %s", first.Exchange, first.Reason)
		}
		return c, fmt.Errorf("none of the %s is to an operation of the interface%s",
			wording.Count(c.archive.Entries, "exchange"), why)
	}
	for _, list := range [][]exchange{c.all, c.others} {
		withTimes(list)
		slices.SortStableFunc(list, func(a, b exchange) int { return a.started.Compare(b.started) })
	}
	c.redacted = replaceRedacted(c.all)
	return c, checkCredentials(c.all)
}

// withTimes gives the first exchanges the time of the first one that has a time.
func withTimes(list []exchange) {
	hasTime := func(x exchange) bool { return !x.at.IsZero() }
	first := max(slices.IndexFunc(list, hasTime), 0)
	for i := range list[:first] {
		list[i].started, list[i].at = list[first].started, list[first].at
	}
}

// notes says what the capture lacks.
func (c recording) notes() []string {
	notes, bodiless := []string{}, 0
	for _, x := range c.all {
		if x.lacksAnswer {
			bodiless++
		}
	}
	if bodiless > 0 {
		notes = append(notes, fmt.Sprintf("%d of %s have no body in the capture, so that only their statuses count: "+
			"record with the network tools open, or with Playwright's content: embed",
			bodiless, wording.Count(len(c.all), "answer")))
	}
	if c.redacted > 0 {
		notes = append(notes, fmt.Sprintf("the credentials of %s are redacted in the capture: each user that such "+
			"requests name has a token of its own", wording.Count(c.redacted, "request")))
	}
	return notes
}

// leftOut returns the entries of the capture that say nothing, as they may be shown.
func (c recording) leftOut(shown *strings.Replacer) []controlapi.LeftOut {
	all := []controlapi.LeftOut{}
	for _, omitted := range c.archive.Omitted {
		left := controlapi.LeftOut(omitted)
		left.Request = shown.Replace(left.Request)
		all = append(all, left)
	}
	return all
}

// clock returns the clock of a scenario whose tokens have times, or nothing.
func (s search) clock(f facts) []byte {
	hasTime := func(f fact) bool { return strings.HasSuffix(f.path, "/expiresAt") }
	if len(s.exchanges) == 0 || !slices.ContainsFunc(f.list, hasTime) {
		return nil
	}
	return encode(map[string]any{"clock": map[string]string{"start": s.exchanges[0].at.UTC().Format(time.RFC3339)}})
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

// spend uses effort up, and reports whether any is left.
func (s search) spend(effort int) bool {
	*s.effort -= effort
	return *s.effort > 0
}

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

// try answers the capture with a bank, until one of the outcomes is not wanted. before has the outcomes of another
// bank, or is nil.
func (s search) try(ctx context.Context, f facts, before []outcome, wanted func(outcome) bool) (attempt, error) {
	sc, err := s.scenario(f)
	if err != nil {
		return attempt{}, err
	}
	b := openBank(sc)
	defer b.close()
	s.spend(len(f.list))
	outcomes, err := replay(ctx, b, s.exchanges, before, func(o outcome) bool {
		s.spend(o.effort() * (1 + len(f.list)/effortPerFacts))
		return wanted(o)
	})
	return attempt{f, outcomes}, err
}

func anyOutcome(outcome) bool { return true }

// tryAsGood answers the capture with a bank until an answer is worse than the best bank's. ok is false then, and where
// no scenario may have the facts.
func (s search) tryAsGood(ctx context.Context, f facts, best attempt) (next attempt, ok bool) {
	answered, ok := 0, true
	next, err := s.try(ctx, f, best.outcomes, func(o outcome) bool {
		ok = o.isAsGood(best.outcomes[answered])
		answered++
		return ok
	})
	return next, ok && err == nil
}

// find looks for the bank behind the first exchanges, and then behind more and more of them: most facts are learned,
// and left out again, where an attempt is cheap. It returns how many facts it has not tried to leave out. What is shown
// stays, but for what no scenario may have.
func (s search) find(ctx context.Context, shown []fact) (best attempt, untried int, err error) {
	institution := fact{path: at("", "institutions", s.defaultInstitution), from: []int{1}}
	if len(s.exchanges) > 0 {
		institution.from[0] = s.exchanges[0].number
	}
	all, start := s.exchanges, facts{}.with([]fact{institution})
	for _, one := range shown {
		start = s.withValid(ctx, start, []fact{one})
	}
	needed := facts{}.with(start.list[1:])
	for n := firstExchanges; ; n *= moreExchanges {
		s.exchanges = all[:min(n, len(all))]
		if best, err = s.learnAll(ctx, start); err == nil {
			best, err = s.withSwitches(ctx, start.onlySettings(), best)
		}
		if err == nil {
			best, untried, err = s.shrink(ctx, best, needed)
		}
		if err != nil || n >= len(all) {
			return best, untried, err
		}
		start, needed = best.facts, best.facts
	}
}

// learnAll learns from the answers of a bank with some facts, until no exchange teaches more.
func (s search) learnAll(ctx context.Context, f facts) (best attempt, err error) {
	best, err = s.try(ctx, f, nil, anyOutcome)
	for err == nil {
		next := s.learn(ctx, best)
		if len(next.list) == len(best.list) {
			return best, nil
		}
		best, err = s.try(ctx, next, best.outcomes, anyOutcome)
	}
	return best, err
}

// learn returns the facts with those that the differing answers teach. Answers that are not trusted count when the
// others teach nothing.
func (s search) learn(ctx context.Context, best attempt) facts {
	trusting := func(l lesson) [][]fact {
		l.bank.trusted = true
		return l.teach()
	}
	for _, teach := range []func(lesson) [][]fact{lesson.teach, trusting, lesson.unseenGroups} {
		learned := best.facts.with(nil)
		for _, o := range best.outcomes {
			if len(o.differs) == 0 {
				continue
			}
			if !s.spend(bytes.Count(o.answer, []byte("{"))) || ctx.Err() != nil {
				break
			}
			learned.add(best.firstNew(teach(lesson{known: s.known, exchange: o.exchange, bank: o})))
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
	if !s.spend(len(next.list)) || len(next.list) == len(f.list) || ctx.Err() != nil {
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

func (s search) tell(done, total int) {
	if s.progress != nil {
		s.progress(done, total)
	}
}

// shrink leaves out each fact that no answer needs. It doesn't try those that are needed already, and returns how many
// others it has not tried.
func (s search) shrink(ctx context.Context, best attempt, needed facts) (shrunk attempt, untried int, err error) {
	all := best.list
	for i := len(all) - 1; i >= 0; i-- {
		if !s.spend(0) {
			return best, i + 1, nil
		}
		s.tell(len(all)-1-i, len(all))
		if path := all[i].path; needed.paths[path] || !best.paths[path] { // the latter was below another one
			continue
		}
		if next, ok := s.tryAsGood(ctx, best.without(all[i].path), best); ok {
			best = next
		}
		if ctx.Err() != nil {
			return best, 0, ctx.Err()
		}
	}
	return best, 0, nil
}

// unexplained returns the exchanges that the bank answers otherwise than the service did.
func (a attempt) unexplained() []controlapi.Unexplained {
	all := []controlapi.Unexplained{}
	for _, o := range a.outcomes {
		if len(o.differs) == 0 {
			continue
		}
		d := controlapi.Unexplained{
			Exchange: o.number, Request: o.method + " " + wording.Shorten(o.path), Places: o.differs,
		}
		if !o.accepts() {
			d.Rule = o.got.decision.Rule
		}
		all = append(all, d)
	}
	return all
}
