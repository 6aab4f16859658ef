package sandbox

// freed returns about how many bytes nothing uses any more once the generation is over. Rows that snapshots or other sandboxes
// share are counted, too: it only decides whether to return memory.
func (st *state) freed() int64 {
	return st.generation.journal.Bytes() + st.generation.history.Bytes() + st.added()*bytesOfRow
}
