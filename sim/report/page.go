package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

//go:embed page.css
var style string

// markup is HTML as it is. Any other text is escaped.
type markup string

// page is an HTML page in the making. Packages for templates would double what it takes in the program.
type page struct {
	*bytes.Buffer
	drawers bytes.Buffer               // what opens with a click, at the end of the page
	n       int                        // of the drawers
	results map[*explore.Result]markup // what opens the drawers of runs
}

// put adds HTML with values of it: numbers, and texts, which are escaped.
func (p *page) put(format string, values ...any) { fmt.Fprintf(p, format, escaped(values)...) }

func escaped(values []any) []any {
	all := make([]any, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case int, uint64, markup:
			all[i] = v
		default:
			all[i] = html.EscapeString(clean(fmt.Sprint(v)))
		}
	}
	return all
}

// drawer adds what opens with a click on the buttons that have the attributes that it returns. It is printed if it is told to.
func (p *page) drawer(title string, printed bool, fill func()) markup {
	p.n++
	rest := p.Buffer
	p.Buffer = &bytes.Buffer{}
	class := markup("drawer")
	if printed {
		class += " printed"
	}
	p.put(`<div class="%s" id="d%d" popover role="dialog" aria-labelledby="t%d">`, class, p.n, p.n)
	p.put(`<div class="head"><h2 id="t%d">%s</h2><button type="button" class="close" popovertarget="d%d" popovertargetaction="hide" aria-label="Close" autofocus>×</button></div>`, p.n, title, p.n)
	number := p.n
	fill()
	p.put("</div>\n")
	p.drawers.Write(p.Bytes())
	p.Buffer = rest
	return markup(fmt.Sprintf(`type="button" popovertarget="d%d"`, number))
}

// writePage returns the report as a page that loads nothing and runs nothing.
func writePage(r Report) []byte {
	p := &page{Buffer: &bytes.Buffer{}, results: map[*explore.Result]markup{}}
	hash := sha256.Sum256([]byte(style))
	p.put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.put(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'">`+"\n",
		markup(base64.StdEncoding.EncodeToString(hash[:])))
	p.put(`<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">` + "\n")
	p.put("<title>%s · banksim</title>\n<style>%s</style>\n</head>\n<body>\n", r.title(), markup(style))
	p.put(`<header class="top">%s<b>banksim</b><span>%s</span></header>`+"\n<main>\n<h1>%s</h1>\n", logo, r.Version, r.title())
	p.tiles(r)
	if r.findings() > 0 {
		p.findings(r)
	}
	for i, e := range r.Explorations {
		p.exploration(i, e)
	}
	if r.Coverage != nil {
		p.coverage(*r.Coverage)
	}
	p.put("</main>\n")
	p.Write(p.drawers.Bytes())
	p.put("</body>\n</html>\n")
	return p.Bytes()
}

const logo markup = `<svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><rect width="16" height="16" rx="3.5" fill="#0b6e75"/><path d="M3 6.4 8 3.3l5 3.1v.9H3zM4.2 8.2h1.4v3H4.2zm3.1 0h1.4v3H7.3zm3.1 0h1.4v3h-1.4zM3 12h10v1.2H3z" fill="#fff"/></svg>`

func (r Report) title() string {
	switch {
	case len(r.Explorations) == 0:
		return "Answer coverage"
	case r.Coverage == nil:
		return "Explored failures"
	}
	return "Explored failures and answer coverage"
}

// tiles are the numbers that people look for first.
func (p *page) tiles(r Report) {
	p.put(`<div class="tiles">`)
	if len(r.Explorations) > 0 {
		found, kind := r.findings(), markup("good")
		if found > 0 {
			kind = "bad"
		}
		runs, ended := 0, ""
		for _, e := range r.Explorations {
			runs += e.Runs
			if e.Ended != "" {
				ended = ", ended early"
			}
		}
		p.tile(kind, fmt.Sprint(found), counted(found, "finding", "findings"), "")
		p.tile("", fmt.Sprint(runs), counted(runs, "run", "runs"), "of "+plural(len(r.Explorations), "exploration", "explorations")+ended)
	}
	if c := r.Coverage; c != nil {
		kind, note := markup(""), "of the operations that were called"
		switch {
		case r.Shortfall() != "":
			kind, note = "bad", fmt.Sprintf("fewer than %d %%", r.FailUnder)
		case r.FailUnder > 0:
			kind, note = "good", fmt.Sprintf("at least %d %%", r.FailUnder)
		}
		percent := "–" // of nothing
		if c.Total.Possible > 0 {
			percent = fmt.Sprintf("%d %%", c.Total.PercentRounded)
		}
		p.tile(kind, percent, "of the answers were met", note)
		p.tile("", fmt.Sprint(c.Total.NeverMet), "never met", summary(c.Total))
		n := called(c)
		p.tile("", fmt.Sprint(n), counted(n, "operation", "operations")+" called", fmt.Sprintf("of %d, in %s", len(c.Operations), plural(c.Runs, "run", "runs")))
	}
	p.put("</div>\n")
}

func (p *page) tile(kind markup, number, what, note string) {
	p.put(`<div class="tile %s"><b>%s</b> <span>%s</span> <small>%s</small></div>`, kind, number, what, note)
}

func counted(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// breakable returns a name that may go on in another line after a dot.
func breakable(name string) markup {
	return markup(strings.ReplaceAll(html.EscapeString(clean(name)), ".", ".<wbr>"))
}

// fold adds what is folded until someone unfolds or prints it.
func (p *page) fold(title string, fill func()) {
	p.put(`<details><summary>%s</summary>`, title)
	fill()
	p.put("</details>\n")
}

// sign shows how a point was met, by a colour and a form. The title is said besides, see [page.cell].
func (p *page) sign(s state, title string) {
	class := [...]markup{"impossible", "never", "fault", "met"}[s]
	p.put(`<i class="sign %s" title="%s"></i>`, class, title)
}

// legend explains the signs.
func (p *page) legend() {
	p.put(`<p class="legend">`)
	for _, s := range []state{naturally, onlyByFault, never, impossible} {
		p.put(`<span>`)
		p.sign(s, "")
		p.put(`%s</span> `, [...]string{"not possible under the switches", "never met", "met only by a fault", "met"}[s])
	}
	p.put("</p>\n")
}

// bar shows a share: what was met, and of that what was met only by a fault.
func (p *page) bar(s coverage.Share) {
	of := max(s.Possible, 1)
	met, fault := 100*(s.Met-s.OnlyByFault)/of, 100*s.OnlyByFault/of
	p.put(`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="ground" width="100" height="6"/><rect class="met" width="%d" height="6"/><rect class="fault" x="%d" width="%d" height="6"/></svg>`, met, met, fault)
}
