package batch_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/batch"
)

// Items that wait are processed together, oldest first, up to the limit. An item that is alone has a round to itself.
// An item whose caller gives up before its round is not processed.
func TestRounds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ items, rounds []string }{
		"together": {[]string{"first", "a", "b", "c"}, []string{"first", "a b c"}},
		"limit":    {[]string{"first", "a", "b", "c", "d", "e"}, []string{"first", "a b c d", "e"}},
		"alone":    {[]string{"first", "a", "ALONE", "b"}, []string{"first", "a", "ALONE", "b"}},
		"given up": {[]string{"first", "a", "-b", "c"}, []string{"first", "a c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var rounds []string
				isReleased := make(chan struct{})
				isAlone := func(item string) bool { return item == "ALONE" }
				q := batch.New(4, isAlone, func(r *batch.Round[string]) {
					<-isReleased
					rounds = append(rounds, strings.Join(r.Items(), " "))
				})
				var callers sync.WaitGroup
				for _, item := range test.items {
					ctx, giveUp := context.WithCancel(t.Context())
					defer giveUp()
					callers.Go(func() {
						err := q.Do(ctx, item)
						assert.Equal(t, strings.HasPrefix(item, "-"), err != nil, "%s: %v", item, err)
					})
					synctest.Wait()
					if strings.HasPrefix(item, "-") {
						giveUp()
						synctest.Wait()
					}
				}
				close(isReleased)
				callers.Wait()
				assert.Equal(t, test.rounds, rounds)
			})
		})
	}
}

// Items that come while a round waits join it, up to the limit.
func TestJoin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var rounds []string
		isReleased := make(chan struct{})
		q := batch.New(3, func(string) bool { return false }, func(r *batch.Round[string]) {
			<-isReleased
			r.Join()
			rounds = append(rounds, strings.Join(r.Items(), " "))
		})
		var callers sync.WaitGroup
		for _, item := range []string{"a", "b", "c", "d"} {
			callers.Go(func() { assert.NoError(t, q.Do(t.Context(), item)) })
			synctest.Wait()
		}
		close(isReleased)
		callers.Wait()
		assert.Equal(t, []string{"a b c", "d"}, rounds)
	})
}
