package scenario

import (
	"math"
	"runtime/debug"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// generate checks a generate block.
func (c *checker) generate(at *yaml.Node, f generateBlock) {
	if !c.partial && valueOf(at, "users") == nil && valueOf(at, "groups") == nil {
		c.add(at, "generate without users and groups generates nothing: add one of them, or remove generate")
	}
	if f.Disclosures != nil {
		c.shares(lookup(at, "disclosures"), *f.Disclosures)
	}
	c.limit(at, f)
	if f.ParticipantsPerGroup > f.Users && f.Groups > 0 {
		c.warn(lookup(at, "participantsPerGroup"),
			"participantsPerGroup %d is more than %s", f.ParticipantsPerGroup, wording.Count(f.Users, "generated user"))
	}
	if limit := c.behavior.Groups.NameLimit; f.Groups > 0 && limit < longestGroupName {
		c.add(lookup(at, "groups"), "generated group names have up to %d characters, more than %d: "+
			"raise behavior.groups.nameLimit, or write the groups", longestGroupName, limit)
	}
}

// generatedAmount counts the generated rows of the institutions so far.
type generatedAmount struct {
	rows    int
	bytes   int64 // that there must be for the rows in the memory limit
	tooMuch bool  // whether it is reported already
}

// limit checks that the rows to generate are not too many. Only the first block that is too much is reported.
func (c *checker) limit(at *yaml.Node, f generateBlock) {
	if c.amount.tooMuch {
		return
	}
	c.amount.rows += f.rows()
	c.amount.bytes += f.bytes()
	rows, bytes, memory := c.amount.rows, c.amount.bytes, debug.SetMemoryLimit(-1)
	switch {
	case rows > maxGenerated:
		c.add(at, "generate makes %d users, accounts, groups and participants, in all institutions up to here, "+
			"more than %d: lower users, accountsPerUser, groups or participantsPerGroup", rows, maxGenerated)
	case bytes > memory && !c.files[0].builtIn: // what is built in is small
		fitting := int64(float64(rows) * (float64(memory) / float64(bytes)))
		c.add(at, "generate makes %d users, accounts, groups and participants, in all institutions up to here, "+
			"more than the %d for which the process has memory: give the process more memory "+
			"(GOMEMLIMIT, or the container's limit), or ask for fewer", rows, fitting)
	default:
		return
	}
	c.amount.tooMuch = true
}

// shares checks that the shares of a mix add up to 1. It skips a mix with a wrong value, because that is reported
// already.
func (c *checker) shares(at *yaml.Node, m disclosureMix) {
	sum := float64(m.Accepted + m.NotAccepted + m.None)
	if !c.partial && !hasInvalid(at, c.invalid) && math.Abs(1-sum) > 1e-9 {
		c.add(at, "the shares accepted, notAccepted and none add up to %s, not to 1: change one of them by %s",
			decimal(sum), decimal(1-sum))
	}
}

// decimal formats a small number without binary rounding errors.
func decimal(f float64) string { return strconv.FormatFloat(math.Round(f*1e9)/1e9, 'f', -1, 64) }
