package journal_test

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Equal answers are held once, although they count each time. Others aren't confused with them.
func TestEqualAnswersAreHeldOnce(t *testing.T) {
	const exchanges, large = 1000, 4000
	before := heap()
	j := journal.New(journal.DefaultLimits(), nil)
	for i := range exchanges {
		raw := list(large)
		raw.ResponseBody[0] = "ab"[i%2]
		if i%3 == 0 {
			j.Reserve().Fill(raw)
		} else {
			j.Add(raw)
		}
	}
	assert.Greater(t, j.Bytes(), int64(exchanges*large))
	assert.Less(t, heap()-before, int64(exchanges*large/4))
	for i, x := range j.Page(journal.Query{}).Exchanges {
		require.Equal(t, "ab"[i%2], x.Response.Body[0])
		require.Len(t, x.Response.Body, large)
	}
}

// Each exchange has its own decision, whatever part of it differs from those before.
func TestDecisionsAreNotConfused(t *testing.T) {
	j := journal.New(journal.DefaultLimits(), nil)
	var want []journal.Raw
	add := func(change func(raw *journal.Raw)) {
		raw := list(0)
		change(&raw)
		j.Add(raw)
		want = append(want, raw)
	}
	add(func(*journal.Raw) {})
	add(func(raw *journal.Raw) { raw.Operation = "groups.create" })
	add(func(raw *journal.Raw) { raw.Dialect = "public" })
	for i := range reflect.TypeFor[journal.Decision]().NumField() {
		add(func(raw *journal.Raw) {
			switch member := reflect.ValueOf(&raw.Decision).Elem().Field(i); member.Interface().(type) {
			case string:
				member.SetString("other")
			case []string:
				member.Set(reflect.ValueOf([]string{"other"}))
			default:
				t.Fatalf("member %d of a decision is neither a text nor several", i)
			}
		})
	}
	for i, raw := range want {
		x, ok := j.Get(strconv.Itoa(i + 1))
		require.True(t, ok)
		assert.Equal(t, raw.Decision, x.Decision)
		assert.Equal(t, raw.Operation, x.Operation)
		assert.Equal(t, raw.Dialect, x.Dialect)
	}
}
