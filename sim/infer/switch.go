package infer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// The bounds of the search for switches (choice).
const (
	maxShown   = 10 // exchanges without an explanation that candidates are tried for at a time
	maxNumbers = 12 // that these exchanges show
)

// withSwitches looks for switches of the bank that explain what its rows don't. It takes the value of a switch that
// explains the most exchanges, until no value explains more. If each value makes other exchanges worse, the search may
// have learned rows to explain what a switch does. Then it learns the rows again.
func (s search) withSwitches(ctx context.Context, start facts, best attempt) (attempt, error) {
	for best.differing() > 0 && ctx.Err() == nil && *s.effort > 0 {
		found, next := s.bestSwitch(ctx, start, best)
		if found == nil {
			break
		}
		start = start.without(found.path).with([]fact{*found})
		if best = next; best.differing() == 0 {
			break
		}
		if again, err := s.learnAll(ctx, start); err == nil && again.differing() < best.differing() {
			best = again
		}
	}
	return best, ctx.Err()
}

// bestSwitch returns the candidate with the fewest differing answers, and its attempt. It returns nil if they are not
// fewer than in best.
func (s search) bestSwitch(ctx context.Context, start facts, best attempt) (found *fact, least attempt) {
	least = best
	var mixed, rest []fact // mixed explain an exchange and make others worse; rest don't explain any
	candidates := s.candidates(best)
	for i, f := range candidates {
		if ctx.Err() != nil || *s.effort <= 0 {
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
		case next.differing() < least.differing():
			found, least = &f, next
		default:
			rest = append(rest, f)
		}
	}
	if found != nil {
		return found, least
	}
	for i, f := range append(mixed, rest...) {
		if ctx.Err() != nil || *s.effort <= 0 || found != nil && i >= len(mixed) {
			break
		}
		next, err := s.learnAll(ctx, start.without(f.path).with([]fact{f}))
		if err == nil && next.differing() < least.differing() {
			found, least = &f, next
		}
	}
	return found, least
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

// differing returns how many answers differ.
func (a attempt) differing() (count int) {
	for _, o := range a.outcomes {
		if len(o.differs) > 0 {
			count++
		}
	}
	return count
}

// candidates returns the values of switches that could explain differing answers: of the switches of their operations,
// all words, and the numbers that the exchanges show.
func (s search) candidates(best attempt) (all []fact) {
	families, numbers := map[string]bool{"everywhere": true}, []int{}
	shown, first := 0, 0
	for _, o := range best.outcomes {
		if len(o.differs) == 0 || shown == maxShown {
			continue
		}
		if shown++; first == 0 {
			first = o.number
		}
		family, _, _ := strings.Cut(o.op.Name, ".")
		families[family] = true
		families["groups"] = families["groups"] || family == "jobs"
		families["jobs"] = families["jobs"] || family == "groups"
		families["estatements"] = families["estatements"] || family == "disclosures"
		if len(numbers) < maxNumbers {
			numbers = append(numbers, o.numbers()...)
		}
	}
	numbers = append(numbers, smallNumbers...)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	slices.Reverse(numbers) // of the limits that explain as much, the widest
	add := func(key string, value any) {
		all = append(all, fact{path: "behavior/" + strings.ReplaceAll(key, ".", "/"), value: value, from: first})
	}
	for _, w := range contract.Switches() {
		family, _, isOfFamily := strings.Cut(w.Key, ".")
		if isOfFamily && !families[family] {
			continue
		}
		switch w.Kind {
		case contract.Status:
			for _, name := range w.Names {
				add(w.Key, json.Number(name))
			}
		case contract.Word:
			for _, name := range w.Names {
				add(w.Key, name)
			}
		case contract.Flag:
			add(w.Key, true)
			add(w.Key, false)
		case contract.Number:
			for _, n := range numbers {
				if n >= w.Least && n <= w.Most && isOfFamily {
					add(w.Key, n)
				}
			}
		case contract.Lifetime:
			add(w.Key, "1ms")
			add(w.Key, "24h")
		case contract.Members:
			for _, name := range w.Names {
				add(w.Key, []any{name})
			}
		case contract.Texts:
			if !slices.Contains(w.Choices, contract.Accept) {
				continue
			}
			for _, name := range w.Names {
				if family, _, _ := strings.Cut(name, "."); families[family] {
					all = append(all, fact{at("behavior", w.Key, name), contract.Accept, first})
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(f fact) bool { return f.path == "behavior/dialect" })
}

// numbers returns the numbers that may be a limit of the service: those in the answer's page, the length of each text
// that was sent, and one less.
func (x exchange) numbers() (all []int) {
	if size := number(decode(x.answer), "page", "size"); size > 0 {
		all = append(all, size)
	}
	eachMember(decode(x.body), func(_, value string) {
		length := utf8.RuneCountInString(value)
		all = append(all, length, length-1)
	})
	return all
}

// smallNumbers are limits that no member shows, such as how many wrong passwords lock a user.
var smallNumbers = []int{1, 2, 3, 4, 5, 10}

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
				seen.add([]fact{{path, shown.String(), x.number}})
			}
		}
	}
	return seen.list
}
