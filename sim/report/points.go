package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// label returns the name of a point of an operation. An answer is named by status, code and rule, such as
// "400 2004 group-exists". A failure of the connection is named like "reset after the change".
func label(p coverage.Point) string {
	words := []string{strconv.Itoa(p.Status), p.Code, p.Rule}
	if p.Connection != "" {
		words = []string{p.Connection}
		if p.Phase != "" {
			words = append(words, p.Phase+" the change")
		}
	}
	if p.Dialect != string(sim.DialectDocument) {
		words = append(words, "("+p.Dialect+")")
	}
	return Line(strings.Join(words, " "))
}

// The states of a point. They are classes of the page's style.
const (
	never       = "never"
	onlyByFault = "fault"
	byBank      = "met"
	impossible  = ""
)

func state(p coverage.PointCount) string {
	switch {
	case p.ByBank > 0:
		return byBank
	case p.Injected > 0:
		return onlyByFault
	case p.Possible:
		return never
	}
	return impossible
}

// metBy says how often a point was met.
func metBy(p coverage.PointCount) string {
	if state(p) == never {
		return "never met"
	}
	return fmt.Sprintf("met: by the bank %d, by a fault %d", p.ByBank, p.Injected)
}

// possible returns the points of an operation that can be met, or were met.
func possible(o coverage.OperationSummary) []coverage.PointCount {
	return slices.DeleteFunc(slices.Clone(o.Points), func(p coverage.PointCount) bool { return state(p) == impossible })
}

// neverCalled returns the names of the operations that don't count.
func neverCalled(c *coverage.Summary) (names []string) {
	for _, o := range c.Operations {
		if !o.Called && !c.All {
			names = append(names, o.Operation)
		}
	}
	return names
}

// summary says how many of the possible points were met.
func summary(s coverage.Share) string {
	text := fmt.Sprintf("%d of %d met", s.Covered, s.Possible)
	if s.OnlyByFault > 0 {
		text += fmt.Sprintf(", %d only by a fault", s.OnlyByFault)
	}
	return text
}

// pointList is a titled list of points, with a line for each operation.
type pointList struct {
	Title string
	Lines []string
}

// pointLists returns the lists of the text report, without empty ones.
func pointLists(operations []coverage.OperationSummary) (lists []pointList) {
	add := func(title, wanted string, isListed func(coverage.Point) bool) {
		list := pointList{Title: title}
		for _, o := range operations {
			var names []string
			for _, p := range o.Points {
				if state(p) == wanted && isListed(p.Point) {
					names = append(names, label(p.Point))
				}
			}
			if len(names) > 0 {
				list.Lines = append(list.Lines, o.Operation+": "+strings.Join(names, ", "))
			}
		}
		if len(list.Lines) > 0 {
			lists = append(lists, list)
		}
	}
	isConnection := func(p coverage.Point) bool { return p.Kind == coverage.Connection }
	add("never met", never, coverage.Point.IsAnswer)
	add("never met, as a correct client can't", never, coverage.Point.IsMistake)
	add("connection failures never met", never, isConnection)
	add("met only by a fault", onlyByFault, func(coverage.Point) bool { return true })
	return lists
}
