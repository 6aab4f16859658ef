package sandbox

// AddedBytes returns how many bytes callers have added to all sandboxes together since their generations began. What a fork
// starts with is the other sandbox's.
func (r *Registry) AddedBytes() int64 { return r.added.Load() }

// recount counts what callers have added to a state in place of what they had added to an earlier one of the same generation.
// A nil state is that of a generation which is over.
func (s *Sandbox) recount(old, next *state) {
	if old.deleted { // then it isn't counted any more
		return
	}
	s.added.Add(next.added() - old.added())
}

// added returns how many bytes callers have added since the generation began.
func (st *state) added() int64 {
	if st == nil {
		return 0
	}
	_, atStart := st.generation.start.world.Added()
	_, now := st.world.Added()
	return int64(now - atStart)
}
