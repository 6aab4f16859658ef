package fault

// statuses are the operations and statuses for which a set has or had a rule, so that a status can be told from one that no
// fault ever gave. There are at most as many as operations times statuses.
type statuses map[givenStatus]bool

type givenStatus struct {
	operation string
	status    int
}

func (s statuses) add(r *Rule) {
	if r.Then.Status == 0 {
		return
	}
	for _, op := range r.Operation.All() {
		s[givenStatus{op.Name, r.Then.Status}] = true
	}
}

// Gives reports whether a rule of the set, or one that it had, can give an operation's request an answer with a status.
func (s *Set) Gives(operation string, status int) bool {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.given[givenStatus{operation, status}]
}
