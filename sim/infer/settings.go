package infer

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// The bounds of the search for switches (choice).
const (
	maxShown   = 10 // exchanges without an explanation that candidates are tried for at a time
	maxNumbers = 30 // of each
)

// onlySettings returns the first institution and the values of switches.
func (f facts) onlySettings() facts {
	isRow := func(f fact) bool { return !strings.HasPrefix(f.path, "behavior/") }
	rest := min(1, len(f.list))
	return facts{}.with(append(f.list[:rest:rest], slices.DeleteFunc(slices.Clone(f.list[rest:]), isRow)...))
}

// withSwitches looks for switches of the bank that explain what its rows don't. It takes the value of a switch that
// explains the most exchanges, until no value explains more. If each value makes other exchanges worse, the search may
// have learned rows to explain what a switch does. Then it learns the rows again.
func (s search) withSwitches(ctx context.Context, start facts, best attempt) (attempt, error) {
	for best.distance() > 0 && ctx.Err() == nil && s.spend(0) {
		found, next := s.bestSwitch(ctx, start, best)
		if found == nil {
			break
		}
		if proof := next.explains(best); len(proof) > 0 {
			found.from = proof
		}
		start = start.without(found.path).with([]fact{*found})
		next.facts = next.without(found.path).with([]fact{*found})
		if best = next; best.distance() == 0 {
			break
		}
		if again, err := s.learnAll(ctx, start); err == nil && again.distance() < best.distance() {
			best = again
		}
	}
	return best, ctx.Err()
}

// bestSwitch returns the candidate whose answers come closest to the capture, and its attempt. It returns nil if they
// are no closer than in best.
func (s search) bestSwitch(ctx context.Context, start facts, best attempt) (found *fact, least attempt) {
	least = best
	var mixed, rest []fact // mixed explain an exchange and make others worse; rest don't explain any
	candidates := s.candidates(best)
	for i, f := range candidates {
		if ctx.Err() != nil || !s.spend(0) {
			break
		}
		s.tell(i, len(candidates))
		next, err := s.try(ctx, best.without(f.path).with([]fact{f}), best.outcomes, anyOutcome)
		if err != nil {
			continue
		}
		better, worse := next.comparedTo(best)
		switch {
		case better > 0 && worse > 0:
			mixed = append(mixed, f)
		case next.distance() < least.distance():
			found, least = &f, next
		default:
			rest = append(rest, f)
		}
	}
	if found != nil {
		return found, least
	}
	for i, f := range append(mixed, rest...) {
		if ctx.Err() != nil || !s.spend(0) || found != nil && i >= len(mixed) {
			break
		}
		next, err := s.learnAll(ctx, start.without(f.path).with([]fact{f}))
		if err == nil && next.distance() < least.distance() {
			found, least = &f, next
		}
	}
	return found, least
}

// explains returns the numbers of the exchanges that agree, and don't in another attempt.
func (a attempt) explains(other attempt) (numbers []int) {
	for i, o := range a.outcomes {
		if len(o.differs) == 0 && len(other.outcomes[i].differs) > 0 {
			numbers = append(numbers, o.number)
		}
	}
	return numbers
}

// comparedTo returns how many answers come closer to the capture than in another attempt, and how many are worse.
func (a attempt) comparedTo(other attempt) (better, worse int) {
	for i, o := range a.outcomes {
		switch was := other.outcomes[i]; {
		case len(o.differs) < len(was.differs), o.got.status == o.status && was.got.status != was.status:
			better++
		case !o.isAsGood(was):
			worse++
		}
	}
	return better, worse
}

// ofStatus is the distance of an answer whose status differs: its body isn't compared.
const ofStatus = 10 * maxPlaces

// distance counts the differences between the answers and the capture.
func (a attempt) distance() (distance int) {
	for _, o := range a.outcomes {
		if o.got.status != o.status {
			distance += ofStatus
		} else {
			distance += len(o.differs)
		}
	}
	return distance
}

// candidates returns the settings that could explain differing answers: the settings of their operations, with the
// numbers that the exchanges show.
func (s search) candidates(best attempt) (all []fact) {
	seen := map[string]bool{}
	for _, o := range best.firstDiffering(maxShown) {
		for _, c := range contract.Candidates(o.op.Name, o.numbers()) {
			f := fact{path: at("behavior", c.Path...), value: c.Value, from: []int{o.number}}
			if length, isTime := c.Value.(time.Duration); isTime {
				f.value = length.String()
			}
			if key := f.path + fmt.Sprint("=", f.value); !seen[key] {
				seen[key], all = true, append(all, f)
			}
		}
	}
	return all
}

// firstDiffering returns the first answers that differ.
func (a attempt) firstDiffering(most int) (some []outcome) {
	for _, o := range a.outcomes {
		if len(o.differs) > 0 && len(some) < most {
			some = append(some, o)
		}
	}
	return some
}

// maxLifetime is the longest lifetime that is taken from an answer (choice): a longer one may be a mistake.
const maxLifetime = 10 * 365 * 24 * time.Hour

// lifetimesOf returns how long tokens work, if an answer shows that it isn't the default.
func lifetimesOf(all []exchange) (found []fact) {
	seen := facts{}.with(nil)
	for _, x := range all {
		if x.op.Name != contract.TokensIssue.Name || !x.accepted() {
			continue
		}
		for _, of := range []struct {
			member string
			*contract.Switch
		}{
			{"expires_in", contract.TokensIssueAccessLifetime.Switch},
			{"refresh_token_expires_in", contract.TokensIssueRefreshLifetime.Switch},
		} {
			seconds, _ := strconv.Atoi(fmt.Sprint(member(decode(x.answer), of.member)))
			shown := time.Duration(min(seconds, int(maxLifetime/time.Second))) * time.Second
			if shown > time.Minute {
				shown = shown.Round(time.Minute) // the public dialect takes a second off
			}
			if usual, _ := time.ParseDuration(of.Default); shown != usual && shown > 0 && shown < maxLifetime {
				path := "behavior/" + strings.ReplaceAll(of.Key, ".", "/")
				seen.add([]fact{{path, shown.String(), []int{x.number}}})
			}
		}
	}
	return seen.list
}

// originsOf returns the origins of the pages that could read answers, as the browser that recorded them saw it.
func originsOf(all []exchange) []fact {
	var origins []any
	seen := map[string]bool{"": true}
	for _, x := range all {
		if !seen[x.origin] {
			origins, seen[x.origin] = append(origins, x.origin), true
		}
	}
	if origins == nil {
		return nil
	}
	return []fact{{"behavior/cors/origins", origins, []int{all[0].number}}}
}
