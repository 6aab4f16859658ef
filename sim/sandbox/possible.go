package sandbox

// CanInject reports whether a fault of this generation could have given an operation's request an answer with a status: a
// rule that the sandbox has or had, or a header of the request, where the scenario lets requests ask for faults.
func (m Moment) CanInject(operation string, status int) bool {
	return m.World.Behavior().FaultHeader || m.Faults.Gives(operation, status)
}
