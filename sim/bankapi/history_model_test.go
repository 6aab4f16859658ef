package bankapi_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// What a history is about: a few rows, so that requests meet.
const (
	historyGroups   = 4 // names of groups
	historyAccounts = 2
)

// historyState is what the model knows of a sandbox: by index, the ids of the groups (empty: there is none of the name) and
// whether the accounts have e-statements; and whether the token is revoked.
type historyState struct {
	groups  [historyGroups]string
	opted   [historyAccounts]bool
	revoked bool
}

// historyWorld is the state with the one snapshot that a sandbox has.
type historyWorld struct {
	now, snapshot historyState
}

// The steps of a history.
const (
	stepCreate  = "create"  // a group
	stepList    = "list"    // the groups
	stepUpdate  = "update"  // an account, with the token
	stepRead    = "read"    // the accounts
	stepRevoke  = "revoke"  // the token
	stepReset   = "reset"   // the sandbox
	stepRestore = "restore" // the snapshot
)

// step is what one client asks for.
type step struct {
	kind  string
	index int // of the group or the account
	on    bool
}

// outcome is what it is answered.
type outcome struct {
	status int
	code   string
	id     string        // of the created group
	state  *historyState // what was listed or read
}

const generationEnded = "BANKSIM_GENERATION_ENDED"

// historyModel says which outcomes are right: reset and restore happen at once, and a request that a reset has ended changes
// nothing. What a snapshot holds is known when the history begins.
func historyModel(snapshot historyState) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return historyWorld{snapshot: snapshot} },
		Step: func(state, input, output any) (bool, any) {
			w := state.(historyWorld)
			legal := w.step(input.(step), output.(outcome))
			return legal, w
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
	}
}

// step changes the world as a step does, and reports whether the outcome is right.
func (w *historyWorld) step(in step, out outcome) bool {
	if out.code == generationEnded {
		return true
	}
	switch s := &w.now; in.kind {
	case stepCreate:
		if s.groups[in.index] != "" {
			return out.status == 400
		}
		s.groups[in.index] = out.id
		return out.status == 200 && out.id != ""
	case stepList:
		return out.status == 200 && out.state.groups == s.groups
	case stepUpdate:
		if s.revoked {
			return out.status == 401
		}
		s.opted[in.index] = in.on
		return out.status == 200
	case stepRead:
		return out.state.opted == s.opted && out.state.revoked == s.revoked
	case stepRevoke:
		s.revoked = true
		return out.status == 200
	case stepReset:
		*s = historyState{}
	case stepRestore:
		*s = w.snapshot
	}
	return true
}

// unfounded returns the requests that say a reset has ended them while there was none.
func unfounded(history []porcupine.Operation) []porcupine.Operation {
	return slices.DeleteFunc(slices.Clone(history), func(o porcupine.Operation) bool {
		return o.Output.(outcome).code != generationEnded || slices.ContainsFunc(history, func(reset porcupine.Operation) bool {
			return reset.Input.(step).kind == stepReset && reset.Call <= o.Return && o.Call <= reset.Return
		})
	})
}

// describeHistory lists a history by the times at which its steps began.
func describeHistory(history []porcupine.Operation) string {
	ordered := slices.Clone(history)
	slices.SortFunc(ordered, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, o := range ordered {
		fmt.Fprintf(&b, "client %d %4d-%4d %+v -> %+v", o.ClientId, o.Call, o.Return, o.Input, o.Output)
		if state := o.Output.(outcome).state; state != nil {
			fmt.Fprintf(&b, " %+v", *state)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
