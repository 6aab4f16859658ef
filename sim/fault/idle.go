package fault

import (
	"bytes"
	"slices"
	"strings"
)

// Idle is a firing without effect: neither the caller nor the bank could notice it.
type Idle struct {
	Name  string // of the rule
	Rival string // the rule that kept it from its effect, or "" if there was nothing to have an effect on
}

// Idle returns the firings without effect. whole is the answer before the connection fault broken damages it. Its body
// is nil for HEAD. broken is nil if there is no such fault. expiredBy names the rule that let the access token expire,
// and staleBy the rule that let the answer be from earlier data. Each may be empty.
func (v Firings) Idle(whole Answer, broken *Connection, expiredBy, staleBy string) []Idle {
	var all []Idle
	isLost := broken != nil && !broken.Delivers()
	for i, f := range v.Fired {
		then := f.Rule.Then
		isOfBank := then.ExpireToken && f.Rule.Name == expiredBy || then.Stale != 0 && f.Rule.Name == staleBy
		isAnswer := f == v.Answer && (then.Status != 0 || broken.affects(whole))
		if f.Delay == 0 && f != v.Forward && !isOfBank && !isAnswer && (isLost || !v.setsHeader(i)) {
			all = append(all, Idle{f.Rule.Name, v.rival(i, isLost, expiredBy, staleBy)})
		}
	}
	return all
}

// affects reports whether the fault changes an answer, or when it arrives.
func (c *Connection) affects(whole Answer) bool {
	_, alters := c.Kind.(alterer)
	_, holds := c.Kind.(holder)
	sent, delivers := c.Alter(whole)
	if !delivers || !alters && !holds {
		return true
	}
	isHEAD := whole.Body == nil // then no body is sent, whatever the fault makes of it
	return !isHEAD && (!bytes.Equal(sent.Body, whole.Body) || c.Holds(whole) > 0)
}

// sets reports whether a firing sets headers of the answer: see Render.
func (v Firings) sets(f *Firing) bool { return f.Rule.Then.Status == 0 || f == v.Answer }

// setsHeader reports whether a firing sets a header that no later one sets, too.
func (v Firings) setsHeader(place int) bool {
	f := v.Fired[place]
	if !v.sets(f) {
		return false
	}
	for name := range f.Rule.Then.Headers {
		if v.laterSetter(place, name) == "" {
			return true
		}
	}
	return false
}

// laterSetter returns the last rule after a place that sets a header, or "".
func (v Firings) laterSetter(place int, name string) string {
	for _, f := range slices.Backward(v.Fired[place+1:]) {
		for other := range f.Rule.Then.Headers {
			if v.sets(f) && strings.EqualFold(name, other) {
				return f.Rule.Name
			}
		}
	}
	return ""
}

// rival returns the rule that kept the firing at a place from its effect, or "".
func (v Firings) rival(place int, isLost bool, expiredBy, staleBy string) string {
	f := v.Fired[place]
	then, other := f.Rule.Then, v.Answer
	if other == nil || other == f {
		other = v.Forward
	}
	if other != nil && other != f {
		isEarlier := (then.ExpireToken || then.Stale != 0) && other.Phase == Before // the operation wasn't carried out
		if f.Rule.Answers() || then.Forward != nil || isEarlier || len(then.Headers) > 0 && isLost {
			return other.Rule.Name
		}
	}
	switch {
	case then.ExpireToken:
		return expiredBy
	case then.Stale != 0:
		return staleBy
	}
	rival := ""
	for name := range then.Headers {
		rival = max(rival, v.laterSetter(place, name))
	}
	return rival
}

// CountIdle returns the set after it has counted firings without effect.
func (s *Set) CountIdle(all []Idle) *Set {
	next := *s
	next.counts = slices.Clone(s.counts)
	for _, idle := range all {
		i := slices.IndexFunc(s.rules, func(c *compiledRule) bool { return c.rule.Name == idle.Name })
		if i < 0 || next.counts[i].idle == next.counts[i].fired { // it was removed during the request, or added again
			continue
		}
		next.counts[i].idle++
		next.counts[i].rival = idle.Rival
	}
	return &next
}
