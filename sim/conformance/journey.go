package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	maxJourneys = 10_000
	maxShrinks  = 60 // runs that look for a shorter journey with the same difference (choice)
)

// journey returns the trial of a random journey. The first journey with a difference is the last one that is run.
func (r *replayer) journey(number int) trial {
	name := fmt.Sprintf("journey %d of seed %d", number, r.Seed)
	possible, reason := [][]*act(nil), ""
	return trial{Result{Exchange: name, Operation: "journeys", isJourney: true}, func() string {
		if r.differs != "" {
			return r.differs
		}
		possible, reason = r.possibleActs()
		return reason
	}, func(ctx context.Context, result *Result) {
		steps := r.draw(possible, number)
		*result, steps = r.walk(ctx, *result, steps)
		if len(result.Drifts) > 0 {
			steps = r.shrink(ctx, result, steps)
			result.Operation = steps[len(steps)-1].op.Name
			r.differs = fmt.Sprintf("not run: %s differs; to look for other differences, give --ignore %s",
				name, result.Drifts[0].Entry)
		}
		result.About = describe(steps)
	}}
}

// draw draws a journey. The seed and the number give the same one each time.
func (cfg Config) draw(subjects [][]*act, number int) []step {
	return draw(subjects, rand.New(rand.NewPCG(cfg.Seed, uint64(number))))
}

// possibleActs returns the acts that may be sent to the service, by subject, or why a journey can't begin with any.
func (r *replayer) possibleActs() (subjects [][]*act, reason string) {
	for _, all := range acts {
		var possible []*act
		for _, a := range all {
			request := r.translated(a.request(r.Config, step{act: a, name: owls}))
			why := r.reasonToSkip(fixtures.Exchange{Request: request})
			if reason = cmp.Or(reason, why); why == "" {
				possible = append(possible, a)
			}
		}
		if slices.ContainsFunc(possible, func(a *act) bool { return a.needs == "" }) {
			subjects = append(subjects, possible)
		}
	}
	if subjects != nil {
		reason = ""
	}
	return subjects, reason
}

// translated returns a request of the document's dialect in the dialect that is checked.
func (cfg Config) translated(request fixtures.Request) fixtures.Request {
	if cfg.dialect() == sim.DialectPublic {
		return requestInPublic(request, false)
	}
	return request
}

// walk runs a journey until the first difference, and undoes it. It returns the steps until there.
func (r *replayer) walk(ctx context.Context, result Result, steps []step) (Result, []step) {
	w := walk{replay: r.newReplay(fixtures.Exchange{Name: result.Exchange}), rows: map[int]*row{}}
	for _, s := range steps {
		number := strings.TrimPrefix(strings.ToUpper(s.name), strings.ToUpper(owls))
		if golden := owls + number; s.name != "" && w.names[quoted(golden)] == "" {
			unique := uniqueName(golden)
			w.names[quoted(golden)] = quoted(unique)
			w.names[quoted(strings.ToUpper(golden))] = quoted(strings.ToUpper(unique))
		}
	}
	w.toSimulator = &substitution{
		values: map[string]string{}, names: w.names, ids: w.substitution.ids, token: w.token,
	}
	last := len(steps)
	w.undoing(ctx, &result, func(ctx context.Context, result *Result) error {
		if err := r.simulator.reset(); err != nil {
			return err
		}
		for i, s := range steps {
			found := Result{}
			var err error
			if found.Drifts, err = w.step(ctx, s); err != nil {
				return err
			}
			r.ignore(&found)
			result.Drifts, result.Ignored = found.Drifts, append(result.Ignored, found.Ignored...)
			if len(result.Drifts) > 0 {
				last = i + 1
				return nil
			}
		}
		return nil
	})
	return result, steps[:last]
}

// shrink leaves out steps as long as the rest shows a difference about one of the same entries, and puts the
// differences of the shortest journey in the result.
func (r *replayer) shrink(ctx context.Context, result *Result, steps []step) []step {
	runs := 0
	isSame := func(d Drift) bool {
		return slices.ContainsFunc(result.Drifts, func(known Drift) bool { return known.Entry == d.Entry })
	}
	// try reports whether a journey shows the difference, too.
	try := func(shorter []step) bool {
		if runs++; runs > maxShrinks || result.isUnsafe() {
			return false
		}
		again, until := r.walk(ctx, Result{Exchange: result.Exchange}, shorter)
		result.Error, result.LeftBehind = again.Error, again.LeftBehind
		if !slices.ContainsFunc(again.Drifts, isSame) {
			return false
		}
		result.Drifts, steps = again.Drifts, until
		return true
	}
	if result.isUnsafe() {
		return steps
	}
	if !try(steps) {
		for i := range result.Drifts {
			if !result.isUnsafe() {
				result.Drifts[i].Message += "; the same steps didn't show it again"
			}
		}
		return steps
	}
	for size := len(steps) / 2; size > 0; {
		before := len(steps)
		for at := 0; at+size < len(steps); { // the last step shows the difference
			shorter, other := without(steps, at, size), without(redirected(steps, at), at, size)
			if !try(shorter) && (size > 1 || slices.Equal(shorter, other) || !try(other)) {
				at += size
			}
		}
		if size > 1 || len(steps) == before {
			size /= 2
		}
	}
	return steps
}

// isUnsafe reports whether another run could leave something behind, or fail.
func (result *Result) isUnsafe() bool { return result.Error != "" || len(result.LeftBehind) > 0 }

// without returns a journey without some of its steps, and without those that are about their rows.
func without(steps []step, at, size int) (rest []step) {
	made := map[int]bool{0: true}
	for i, s := range steps {
		if (i < at || i >= at+size) && made[s.row] {
			rest, made[s.number] = append(rest, s), true
		}
	}
	return rest
}

// redirected returns a journey that needs one of its steps less: others are about an earlier row of the same kind, and
// use the name that a group had before.
func redirected(steps []step, at int) []step {
	all := slices.Clone(steps)
	gone := all[at]
	for _, earlier := range all[:at] {
		for i, s := range all {
			if s.row == gone.number && earlier.offers(s.needs) {
				all[i].row = earlier.number
			}
			if earlier.number == gone.row && s.name == gone.name {
				all[i].name = earlier.name
			}
		}
	}
	return all
}

// walk is one run of a journey, at the simulator and at the service.
type walk struct {
	*replay
	toSimulator *substitution // which has tokens of its own
	rows        map[int]*row  // by the number of the step that made it
}

// row is something that a journey has made at both sides.
type row struct {
	kind              kind
	simulated, served fixtures.IDs
	write             fixtures.Request // the last one that set its values
	deleted           bool
}

// step sends a step to the simulator and to the service, and returns how the answers differ. It leaves the step out if
// the row that it is about was never made.
func (w *walk) step(ctx context.Context, s step) ([]Drift, error) {
	name := w.exchange.Name
	defer func() { w.exchange = fixtures.Exchange{Name: name} }()
	request := w.translated(s.request(w.Config, s))
	e := fixtures.Exchange{Name: s.op.Name + "/" + name, Dialect: w.dialect(), Request: request}
	about := &row{}
	if s.row > 0 {
		if about = w.rows[s.row]; about == nil {
			return nil, nil
		}
		if about.write.Method != "" {
			e.Before = []fixtures.Request{about.write} // the answer may repeat its values
		}
	}
	w.ids = maps.Clone(about.served)
	e = w.inOwnTokens(w.simulator.answering(e, w.toSimulator, about.simulated))
	w.exchange = e
	issued := len(w.issued)
	got, err := w.send(ctx, request)
	if err != nil {
		return nil, err
	}
	x := w.newComparison(about.simulated)
	for _, number := range slices.Sorted(maps.Keys(w.rows)) {
		if row := w.rows[number]; row.kind.list == s.op {
			x.rows = append(x.rows, *row)
		}
	}
	drifts := w.scrubbed(x.compare(got))
	for i := range drifts {
		drifts[i].Exchange = name
	}
	isAccepted := e.Answer.Status < 300
	switch k, known := kindOf(s.op); {
	case isAccepted != got.accepted(): // nobody knows what the row is like now
		delete(w.rows, s.row)
	case !isAccepted:
	case s.op == contract.TokensIssue && len(w.issued) > issued:
		w.noteTokens(s, w.issued[len(w.issued)-1])
	case s.op == k.create:
		w.noteRow(s, k, request, got)
	case s.op == k.remove:
		about.deleted = true
	case known:
		about.write = request
	}
	return drifts, nil
}

// inOwnTokens returns an exchange with the names of the journey's tokens in the place of the simulator's.
func (w *walk) inOwnTokens(e fixtures.Exchange) fixtures.Exchange {
	text := string(e.Answer.JSON)
	for name, token := range w.toSimulator.values {
		text = strings.ReplaceAll(text, token, name)
	}
	if e.Answer.JSON != nil {
		e.Answer.JSON = json.RawMessage(text)
	}
	return e
}

// noteRow notes the row that a step has made, unless it may have been there before.
func (w *walk) noteRow(s step, k kind, request fixtures.Request, got answer) {
	made := &row{kind: k, simulated: fixtures.IDs{}, served: fixtures.IDs{}, write: request}
	made.simulated.Learn(w.exchange.Answer.JSON)
	made.served.Learn(got.body)
	if w.own[made.served[k.id]] {
		w.rows[s.number] = made
	}
}

// noteTokens notes the tokens that a step was issued.
func (w *walk) noteTokens(s step, served issued) {
	var simulated struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	isComplete := served.access != "" && (served.refresh != "" || s.makes == tokenRow)
	if json.Unmarshal(w.exchange.Answer.JSON, &simulated) != nil || !isComplete {
		return
	}
	note := func(name, simulated, served string) {
		w.toSimulator.values[name], w.values[name] = simulated, served
	}
	note(accessOf(s.number), simulated.Access, served.access)
	if s.makes == pairRow {
		note(refreshOf(s.number), simulated.Refresh, served.refresh)
	}
	w.rows[s.number] = &row{}
}

// rowDifferences compares how a whole list shows the rows of a journey: each that isn't deleted, with its values. What
// is on a page depends on the bank.
func (x comparison) rowDifferences(wanted, body []byte) (all []difference) {
	want, got := newListing(wanted), newListing(body)
	if !got.isWhole {
		return nil
	}
	for _, row := range x.rows {
		expected, listed := want.find(row.kind.id, row.simulated), got.find(row.kind.id, row.served)
		id := row.kind.id + " " + row.served[row.kind.id]
		switch {
		case row.deleted && listed != nil:
			all = append(all, difference{"." + got.name, row.kind.gone, "nothing that was deleted", id})
		case expected != nil && listed == nil:
			all = append(all, difference{"." + got.name, nil, id, "none"})
		case expected != nil && listed != nil:
			member, _ := x.object.Member(got.name)
			ofRow := x
			ofRow.echoes = newEchoes(fixtures.Exchange{Request: row.write}, x.sub, row.simulated, row.served)
			at := place{comparison: &ofRow, path: "." + got.name, object: member.Type.Object}
			all = append(all, at.compare(expected, listed)...)
		}
	}
	return all
}

// listing is a list of groups or alert preferences, or a page of it.
type listing struct {
	name     string // of the member that has the elements
	elements []json.RawMessage
	isWhole  bool
}

func newListing(body []byte) listing {
	var list struct {
		Content, AlertPreferences []json.RawMessage
		Page                      *struct{ TotalPages int }
	}
	_ = json.Unmarshal(body, &list) // no list: it has no elements
	if list.Page != nil {
		return listing{"content", list.Content, list.Page.TotalPages <= 1}
	}
	const pageSize = 100 // published
	return listing{"alertPreferences", list.AlertPreferences, len(list.AlertPreferences) < pageSize}
}

// find returns the element with the id of a row. It returns nil if the list has no such element.
func (l listing) find(member string, row fixtures.IDs) (element any) {
	for _, text := range l.elements {
		ids := fixtures.IDs{}
		if ids.Learn(text); ids[member] == row[member] && decode(text, &element) == nil {
			return element
		}
	}
	return nil
}
