package bankapi

import "time"

// Meter counts requests, over all sandboxes, by the name of their operation, or by "" for a path that no operation has.
type Meter interface {
	Answered(name string, status int) // the status is 0 if a fault lost the answer
	Unexplained(name string)          // an answer with 5xx that no rule, fault or stub explains
	FaultsFired(name string, faults int)
	Took(name string, d time.Duration) // from the request's headers to the end of its answer
}

// noMeter counts nothing.
type noMeter struct{}

func (noMeter) Answered(string, int)       {}
func (noMeter) Unexplained(string)         {}
func (noMeter) FaultsFired(string, int)    {}
func (noMeter) Took(string, time.Duration) {}
