package report

import (
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// coverage shows which answers each operation gave, and which it never did.
func (p *page) coverage(c coverage.Summary) {
	p.put(`<section aria-labelledby="coverage"><h2 id="coverage">Answers</h2>` + "\n")
	called, not := operations(&c)
	if len(called) == 0 {
		p.put("<p>No operation was called.</p>\n")
	} else {
		p.put("<p>Every answer that the description of an operation lists is a sign, and so is every refusal by a rule of the bank and every way in which a connection fails. " +
			"Point at a sign, or open the operation, to read which one it is.</p>\n")
		p.legend()
		p.matrix(called)
	}
	if len(not) > 0 {
		p.fold(plural(len(not), "operation was", "operations were")+" never called", func() {
			p.put(`<ul class="names">`)
			for _, o := range not {
				p.put("<li><code>%s</code> <small>%s</small></li>", o.Operation, plural(o.Answers.Possible, "answer", "answers"))
			}
			p.put("</ul>")
		})
	}
	if len(c.Entries) > 0 {
		p.fold(plural(len(c.Entries), "entry", "entries")+" of the ledger that the answers rested on", func() { p.entries(c.Entries) })
	}
	p.put("</section>\n")
}

func (p *page) entries(entries []coverage.EntryCount) {
	p.put(`<div class="scroll" tabindex="0"><table class="list"><thead><tr><th scope="col">Entry</th><th scope="col">Basis</th><th scope="col" class="number">Answers</th></tr></thead><tbody>`)
	for _, e := range entries {
		p.put(`<tr><th scope="row"><code>%s</code></th><td>%s</td><td class="number">%d</td></tr>`, e.ID, e.Basis, e.Answers)
	}
	p.put("</tbody></table></div>")
}

// columnOf returns the column of a point in the matrix: its status, or what becomes of its answer.
func columnOf(m coverage.Met) string {
	if m.Connection != "" {
		return m.Connection
	}
	return strconv.Itoa(m.Status)
}

// columns returns those that points of operations are in: statuses in their order, then what becomes of answers.
func columns(operations []coverage.OperationSummary) (statuses, connections []string) {
	for _, o := range operations {
		spoken := dialects(o)
		for _, m := range o.Points {
			all := &statuses
			if m.Connection != "" {
				all = &connections
			}
			if name := columnOf(m); slices.Contains(spoken, m.Dialect) && !slices.Contains(*all, name) {
				*all = append(*all, name)
			}
		}
	}
	slices.Sort(statuses)
	return statuses, connections
}

// matrix shows operations and their answers.
func (p *page) matrix(operations []coverage.OperationSummary) {
	statuses, connections := columns(operations)
	p.put(`<div class="scroll"><table class="matrix"><thead><tr><td></td><th scope="colgroup" colspan="%d">Answers by status</th>`, len(statuses))
	if len(connections) > 0 {
		p.put(`<th scope="colgroup" class="edge" colspan="%d">Connection failures</th>`, len(connections))
	}
	p.put(`</tr><tr><th scope="col">Operation</th>`)
	all := slices.Concat(statuses, connections)
	for i, name := range all {
		p.put(`<th scope="col"%s>%s</th>`, edge(i, len(statuses)), name)
	}
	p.put("</tr></thead><tbody>\n")
	for _, o := range operations {
		open := p.operation(o)
		p.put(`<tr><th scope="row"><button class="link" %s>%s</button>`, open, breakable(o.Operation))
		p.bar(o.Answers)
		p.put(`<small>%d %% · %d of %d</small></th>`, o.Answers.PercentRounded, o.Answers.Met, o.Answers.Possible)
		for i, name := range all {
			p.cell(o, name, edge(i, len(statuses)))
		}
		p.put("</tr>\n")
	}
	p.put("</tbody></table></div>\n")
}

func edge(i, statuses int) markup {
	if i == statuses {
		return ` class="edge"`
	}
	return ""
}

// cell shows the points of an operation in a column. What the signs say is there as text, too.
func (p *page) cell(o coverage.OperationSummary, column string, edge markup) {
	spoken := dialects(o)
	var points []coverage.Met
	share := coverage.Share{}
	for _, m := range o.Points {
		if columnOf(m) != column || !slices.Contains(spoken, m.Dialect) {
			continue
		}
		points = append(points, m)
		if !m.Possible {
			continue
		}
		share.Possible++
		switch stateOf(m) {
		case naturally:
			share.Met++
		case onlyByFault:
			share.Met++
			share.OnlyByFault++
		}
	}
	p.put(`<td%s>`, edge)
	if len(points) > 0 {
		p.put(`<span class="unseen">%s</span><span class="signs" aria-hidden="true">`, summary(share))
		for _, m := range points {
			p.sign(stateOf(m), Name(m.Point)+": "+stateOf(m).words(m.Count))
		}
		p.put("</span>")
	}
	p.put("</td>")
}

// operation is what opens with an operation: each of its points.
func (p *page) operation(o coverage.OperationSummary) markup {
	return p.drawer(o.Operation, true, func() {
		p.put("<p>Answers: %s.", summary(o.Answers))
		if o.Connections.Possible > 0 {
			p.put(" Connection failures: %s.", summary(o.Connections))
		}
		p.put("</p>\n")
		spoken := dialects(o)
		for _, dialect := range spoken {
			if len(spoken) > 1 || dialect != "document" {
				p.put("<h3>In the %s dialect</h3>", dialect)
			}
			var points []coverage.Met
			for _, m := range o.Points {
				if m.Dialect == dialect {
					points = append(points, m)
				}
			}
			p.points(points)
		}
		if len(o.Besides) > 0 {
			p.put("<h3>Answers that no description lists</h3>")
			p.points(o.Besides)
		}
	})
}

// points lists points with how often they were met: what is possible first.
func (p *page) points(points []coverage.Met) {
	p.put(`<table class="list"><thead><tr><th scope="col">Answer</th><th scope="col">Rule</th><th scope="col">Met</th></tr></thead><tbody>`)
	for _, m := range slices.Concat(possible(points, true), possible(points, false)) {
		s := stateOf(m)
		rule := m.Rule
		m.Rule = ""
		name := Name(m.Point)
		if m.Connection == "" && m.Kind == coverage.Injected {
			rule = "by a fault alone"
		}
		p.put(`<tr class="s%d"><th scope="row">%s</th><td>%s</td><td><span class="how">`, int(s), name, rule)
		p.sign(s, "")
		p.put(`%s</span></td></tr>`, s.words(m.Count))
	}
	p.put("</tbody></table>\n")
}

func possible(points []coverage.Met, is bool) []coverage.Met {
	var all []coverage.Met
	for _, m := range points {
		if (stateOf(m) != impossible) == is {
			all = append(all, m)
		}
	}
	return all
}
