package simtest

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// CheckSaved saves a bank as a scenario, loads that, and returns the first difference: in rows, behaviour and clock.
// Grants, groups and jobs get other sequence numbers: of them, the ids and the names are compared. Tokens that were
// issued in the meantime must not show.
func CheckSaved(b scenario.Bank) error {
	saved, err := scenario.Save(b)
	if err != nil {
		return err
	}
	loaded, err := scenario.Parse("saved.yaml", saved)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, saved)
	}
	again := loaded.Bank()
	if want, got := summary(b), summary(again); !reflect.DeepEqual(want, got) {
		return fmt.Errorf("saved %+v,\nloaded %+v\n%s", want, got, saved)
	}
	for change := range again.World.Diff(b.Now, b.World, b.Now) {
		switch cmp.Or(change.Before, change.After).(type) {
		case *sim.Grant, *sim.Group, *sim.Job, *sim.AlertPreference:
		default:
			return fmt.Errorf("%s: saved %+v, loaded %+v\n%s", change.Row, change.Before, change.After, saved)
		}
	}
	for t := range b.World.Tokens() {
		if !t.IsListed() && strings.Contains(string(saved), t.Text) {
			return fmt.Errorf("a token that was issued meanwhile shows:\n%s", saved)
		}
	}
	return nil
}

// summary returns what a saved bank has in common with the one that it loads to.
func summary(b scenario.Bank) []any {
	w := b.World
	all := []any{b.Now.UTC(), b.Running, w.Behavior(), w.Home(), len(b.Faults)}
	bySequence := func(a, b *sim.Group) int { return cmp.Compare(a.Sequence, b.Sequence) }
	for i := range w.Institutions() {
		for _, g := range slices.SortedFunc(w.Groups(i.InstitutionID), bySequence) {
			all = append(all, []any{g.GroupID, g.Name, g.Description, g.Status, slices.Collect(g.Participants())})
		}
		byID := func(a, b *sim.Job) int { return cmp.Compare(a.JobID, b.JobID) }
		for _, j := range slices.SortedFunc(w.Jobs(i.InstitutionID), byID) {
			all = append(all, []any{j.JobID, j.GroupID, j.Type, j.Status, j.Total, j.Succeeded, j.Failed, j.Errors})
		}
	}
	return all
}
