package sim_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
)

// An id that is drawn may be one that a scenario has written, because it was saved from a bank with the same seed.
func TestDrawnGroupIDsAreNew(t *testing.T) {
	w := newBank(t)
	first, err := w.Fork().CreateGroup(document(w), "02688", sim.NewGroup{Name: "A"}, start)
	require.NoError(t, err)

	written := &sim.Group{InstitutionID: "02688", GroupID: first.GroupID, Name: "Written", ExperienceID: "e",
		LastUpdated: start}
	require.NoError(t, w.AddGroup(document(w), written))
	created, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: "A"}, start)
	require.NoError(t, err)
	assert.NotEqual(t, written.GroupID, created.GroupID)
	assert.Equal(t, first.ExperienceID, created.GroupID, "the id that would have been drawn next")
	kept, _ := w.Group("02688", first.GroupID)
	assert.Equal(t, "Written", kept.Name)
	assert.Len(t, slices.Collect(w.Groups("02688")), 2)
}

// A group keeps its own name, also where another group has the name in another case: however the bank compares names.
func TestAGroupKeepsItsName(t *testing.T) {
	for _, nameCase := range []sim.NameCase{sim.NameCaseSensitive, sim.NameCaseInsensitive} {
		b := sim.DefaultBehavior()
		b.Groups.DuplicateName = sim.DuplicateNameAllow
		w := sim.NewWorld(1, policies(b))
		groups := map[string]*sim.Group{}
		for _, name := range []string{"Aaa", "aaa", "Bbb"} {
			groups[name] = &sim.Group{InstitutionID: "02688", Name: name}
			require.NoError(t, w.AddGroup(document(w), groups[name]))
		}
		b.Groups.DuplicateName, b.Groups.NameCase = sim.DuplicateNameReject, nameCase
		policy := policies(b).Document
		for _, name := range []string{"Aaa", "aaa"} {
			_, err := w.UpdateGroup(policy, "02688", groups[name].GroupID, sim.NewGroup{Name: name}, start)
			require.NoError(t, err)
		}
		_, err := w.UpdateGroup(policy, "02688", groups["Bbb"].GroupID, sim.NewGroup{Name: "aaa"}, start)
		require.EqualError(t, err, `a group named "aaa" exists`)
	}
}

// Any list in any order is what sorting all its groups gives, ties in creation order; also for orders that were
// asked for before groups came, and in forks.
func TestGroupOrdersAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := sim.DefaultBehavior()
		b.Groups.DuplicateName = sim.DuplicateNameAllow
		w := sim.NewWorld(1, policies(b))
		var model []*sim.Group
		var institutions = []string{"1", "2", "22"}
		t.Repeat(map[string]func(*rapid.T){
			"create": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "count") {
					g := &sim.Group{
						InstitutionID:    rapid.SampledFrom(institutions).Draw(t, "institution"),
						Name:             rapid.SampledFrom([]string{"A", "B", "b", "é", "AA"}).Draw(t, "name"),
						ParticipantCount: rapid.IntRange(0, 3).Draw(t, "participants"),
					}
					if err := w.AddGroup(document(w), g); err != nil {
						t.Fatal(err)
					}
					model = append(model, g)
				}
			},
			"fork": func(t *rapid.T) { w = w.Fork() },
			"list": func(t *rapid.T) {
				institution := rapid.SampledFrom(institutions).Draw(t, "institution")
				var order []sim.SortKey
				var keys []func(a, b *sim.Group) int
				for range rapid.IntRange(0, 5).Draw(t, "keys") {
					by := rapid.SampledFrom(sim.GroupProperties).Draw(t, "by")
					sign := rapid.SampledFrom([]int{1, -1}).Draw(t, "direction")
					ignoreCase := rapid.Bool().Draw(t, "ignoreCase")
					order = append(order, sim.SortKey{By: by, Descending: sign < 0, IgnoreCase: ignoreCase})
					keys = append(keys, func(a, b *sim.Group) int {
						if ignoreCase && by == sim.ByGroupName {
							return sign * cmp.Compare(strings.ToUpper(a.Name), strings.ToUpper(b.Name))
						}
						return sign * compareBy(by, a, b)
					})
				}
				var want []*sim.Group
				for _, g := range model {
					if g.InstitutionID == institution {
						want = append(want, g)
					}
				}
				slices.SortStableFunc(want, func(a, b *sim.Group) int {
					for _, key := range keys {
						if c := key(a, b); c != 0 {
							return c
						}
					}
					return 0
				})
				position, size := rapid.IntRange(0, 60).Draw(t, "position"), rapid.IntRange(0, 30).Draw(t, "size")
				page, total := w.ListGroups(institution, order, position, size)
				if total != len(want) {
					t.Fatalf("total %d, want %d", total, len(want))
				}
				position = min(position, len(want))
				if want = want[position:min(position+size, len(want))]; !slices.Equal(page, want) {
					t.Fatalf("page %v, want %v", page, want)
				}
			},
		})
	})
}

func compareBy(by string, a, b *sim.Group) int {
	switch by {
	case sim.ByGroupID:
		return cmp.Compare(a.GroupID, b.GroupID)
	case sim.ByGroupName:
		return cmp.Compare(a.Name, b.Name)
	case sim.ByNoOfParticipants:
		return cmp.Compare(a.ParticipantCount, b.ParticipantCount)
	}
	return 0
}

func TestUsedRequestIDs(t *testing.T) {
	w := newBank(t)
	require.NoError(t, w.UseRequestID("02688", "t-1"))
	assert.ErrorIs(t, w.UseRequestID("02688", "t-1"), sim.RequestIDReused)
	assert.NoError(t, w.UseRequestID("05523", "t-1"), "another institution's")
	for i := range 100_000 {
		require.NoError(t, w.UseRequestID("1", fmt.Sprint(i)))
	}
	assert.NoError(t, w.UseRequestID("02688", "t-1"), "the oldest are forgotten")
	assert.ErrorIs(t, w.UseRequestID("1", "99999"), sim.RequestIDReused)
}
