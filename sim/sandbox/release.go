package sandbox

import "github.com/digitalbanking-sim/banksim/sim"

// freedBy returns about how many bytes nothing uses any more once the state is replaced by one that starts at a world, or by
// none. Rows that snapshots or other sandboxes share are counted, too: it only decides whether to return memory.
func (st *state) freedBy(next *sim.World) int64 {
	_, added := st.world.Added()
	freed := st.generation.journal.Bytes() + st.generation.history.Bytes() + int64(added)
	if next != st.generation.start.world {
		freed += st.generation.start.world.Bytes()
	}
	return freed
}
