package scenario

import (
	"time"

	"gopkg.in/yaml.v3"
)

// afterStart warns of a time of the clock in a scenario that doesn't say where the clock starts. Under serve, such a
// clock starts at the real time, and the time may be over by then.
func (c *checker) afterStart(at *yaml.Node, key string, t time.Time) {
	add := "clock: {start: %s}"
	if c.clock.Run != nil {
		add = "start: %s to clock"
	}
	if c.clock.Start == "" && t.After(DefaultStart) {
		c.warn(lookup(at, key), "%s is a time of the clock, and the scenario doesn't say where its clock starts "+
			"(under serve: now): to start it at this time, add "+add, key, moment(t))
	}
}

// later warns of a time of the past that is later than the clock's start.
func (c *checker) later(at *yaml.Node, key string, t time.Time) {
	if c.clock.Start != "" && t.After(c.start) {
		c.warn(lookup(at, key), "%s is later than the clock's start, %s", key, moment(c.start))
	}
}
