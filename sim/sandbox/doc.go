// Package sandbox holds isolated simulated banks. A [Sandbox] has a world, a virtual clock, faults and a journal of
// its own; a [Registry] finds it by name. The package knows no HTTP. Start at sandbox.go.
//
// # One way in
//
// A request that only reads runs in [Sandbox.View], a request or call that changes something in [Sandbox.Update].
// Each gets the sandbox at one moment as a value, and may return an exchange for the journal.
//
// A function that is given to View or Update may run again, because another process was faster. It depends only on its
// arguments. It does no I/O and does not wait. It records only the exchange that it returns.
//
// # Where banks are
//
// In memory, Update holds the lock of the sandbox, and readers never wait. With a [Store], calls wait in the queue of
// their bank. A batch of them runs on the state that this process has, and one commit stores the batch if the bank is
// still at that version (commit.go). If others were faster, the process follows their changes and the batch runs
// again.
//
// # Generations
//
// A [Generation] of a sandbox is the time between two resets. A new scenario begins one, too. A request that a fault
// delays does not read or change a later one.
package sandbox
