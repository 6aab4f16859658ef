package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// shown is how many runs with findings are shown before the others are folded.
const shown = 12

// findings lists what is wrong, before everything else.
func (p *page) findings(r Report) {
	p.put(`<section aria-labelledby="findings"><h2 id="findings">Findings</h2><ol class="findings">` + "\n")
	var more []func()
	n := 0
	for i, e := range r.Explorations {
		for j := range e.Results {
			result := &e.Results[j]
			if len(result.Findings) == 0 {
				continue
			}
			show := func() { p.finding(result, i, e.Name, len(r.Explorations) > 1) }
			if n++; n > shown {
				more = append(more, show)
			} else {
				show()
			}
		}
	}
	p.put("</ol>\n")
	if len(more) > 0 {
		p.fold(plural(len(more), "run", "runs")+" more with findings", func() {
			p.put(`<ol class="findings">` + "\n")
			for _, show := range more {
				show()
			}
			p.put("</ol>\n")
		})
	}
	p.put("</section>\n")
}

// finding shows a run with findings, of the exploration with a number and a name.
func (p *page) finding(r *explore.Result, number int, name string, named bool) {
	p.put(`<li><h3>%s</h3>`, r.Name)
	for _, finding := range told(r) {
		p.put("<p>%s</p>", finding)
	}
	p.put(`<p><span class="tag %s">%s %s</span> <span class="soft">%s.`, severity(r), signOf(r.Verdict), string(r.Verdict), reaction(r))
	if named {
		p.put(` In <a href="#e%d">%s</a>.`, number, name)
	}
	p.put(`</span></p><button class="link" %s>See the run, and how to reproduce it</button></li>`+"\n", p.result(r))
}

// exploration shows what became of each failure of each call.
func (p *page) exploration(i int, e explore.Report) {
	p.put(`<section aria-labelledby="e%d"><h2 id="e%d">%s</h2>`+"\n<p>%s</p>\n", i, i, e.Name, explored(e))
	if all := notes(e); len(all) > 0 {
		p.put(`<p class="note">%s</p>`+"\n", strings.Join(all, "\n"))
	}
	if len(e.Results) > 0 {
		p.runs(e)
	}
	p.put("</section>\n")
}

// runs shows the runs of an exploration, of which there are some.
func (p *page) runs(e explore.Report) {
	p.put(`<p class="legend">`)
	for _, v := range verdicts {
		n := 0
		for i := range e.Results {
			if result := &e.Results[i]; result.Verdict == v.verdict && !unreached(result) {
				n++
			}
		}
		p.put(`<span><b class="glyph">%s</b>%s: %d</span> `, v.sign, string(v.verdict)+" ("+v.about+")", n)
	}
	p.put("</p>\n")
	var single, several []*explore.Result
	for j := range e.Results {
		result := &e.Results[j]
		if strings.Contains(result.Name, "+") {
			several = append(several, result)
		} else {
			single = append(single, result)
		}
	}
	if len(single) > 0 {
		p.failures(e, single)
	}
	if len(several) > 0 {
		p.severalFailures(several)
	}
}

// failures shows the runs with one failure: a row for each failure, a column for each call.
func (p *page) failures(e explore.Report, results []*explore.Result) {
	calls, failures := slices.Clone(e.Calls), []string{}
	at := map[string]*explore.Result{}
	for _, result := range results {
		call, failure := aim(result.Name)
		at[result.Name] = result
		if !slices.Contains(calls, call) {
			calls = append(calls, call)
		}
		if !slices.Contains(failures, failure) {
			failures = append(failures, failure)
		}
	}
	slices.SortStableFunc(failures, func(a, b string) int {
		if isStatus(a) && isStatus(b) {
			return strings.Compare(a, b)
		}
		return btoi(isStatus(b)) - btoi(isStatus(a))
	})
	p.put(`<div class="scroll"><table class="matrix runs"><thead><tr><th scope="col">Failure</th>`)
	for _, call := range calls {
		p.put(`<th scope="col">%s</th>`, call)
	}
	p.put("</tr></thead><tbody>\n")
	for _, failure := range failures {
		p.put(`<tr><th scope="row">%s</th>`, failure)
		for _, call := range calls {
			p.put("<td>")
			if result, ok := at[call+"/"+failure]; ok {
				p.runButton(result)
			}
			p.put("</td>")
		}
		p.put("</tr>\n")
	}
	p.put("</tbody></table></div>\n")
}

// isStatus reports whether a failure is named after a status, such as 500 or 500_2001.
func isStatus(failure string) bool {
	status, _, _ := strings.Cut(failure, "_")
	_, err := strconv.Atoi(status)
	return err == nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// severalFailures lists the runs in which several calls failed.
func (p *page) severalFailures(results []*explore.Result) {
	p.put(`<h3>Several failures in one run</h3><div class="scroll"><table class="matrix runs wide"><tbody>` + "\n")
	for _, result := range results {
		p.put(`<tr><th scope="row">%s</th><td>`, strings.ReplaceAll(result.Name, "+", ", then "))
		p.runButton(result)
		p.put("</td></tr>\n")
	}
	p.put("</tbody></table></div>\n")
}

// runButton opens a run, and says what it came to.
func (p *page) runButton(r *explore.Result) {
	p.put(`<button class="run %s" %s><span><b class="glyph" aria-hidden="true">%s</b>%s</span><small>%s</small><i class="unseen">%s%s</i></button>`,
		severity(r), p.result(r), signOf(r.Verdict), short(r.Verdict), shortReaction(r), Line(r.Name), finds(r))
}

func finds(r *explore.Result) string {
	if len(r.Findings) == 0 {
		return ""
	}
	return "; " + plural(len(r.Findings), "finding", "findings")
}

// result is what opens with a run: what happened, and how to see it again. It is on the page once, wherever it opens.
func (p *page) result(r *explore.Result) markup {
	if opens, ok := p.results[r]; ok {
		return opens
	}
	p.results[r] = p.drawer(r.Name, len(r.Findings) > 0, func() {
		for _, finding := range told(r) {
			p.put(`<p class="note bad">%s</p>`, finding)
		}
		for _, f := range r.Faults {
			if f.Failure.About != "" {
				p.put("<p>%s</p>", f.Failure.About)
			}
		}
		p.put(`<p><span class="tag %s">%s %s</span> <span class="soft">%s, after %s.</span></p>`, severity(r), signOf(r.Verdict), string(r.Verdict), reaction(r), rounded(r.Took))
		if len(r.Calls) > 0 {
			p.put(`<h3>The calls</h3><ol class="calls">`)
			for _, call := range r.Calls {
				p.put("<li><code>%s</code></li>", call)
			}
			p.put("</ol>")
		}
		if len(r.Differences) > 0 {
			p.block("What differs from the undisturbed run", strings.Join(r.Differences, "\n"))
		}
		p.block("What the app said", r.Message)
		p.block("This run alone", r.Run)
		p.block("The fault in Go", r.Go)
		p.block("The fault in a scenario", r.YAML)
	})
	return p.results[r]
}

// block shows a text as it is, if there is one.
func (p *page) block(title, text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		p.put(`<h3>%s</h3><pre tabindex="0">%s</pre>`, title, text)
	}
}
