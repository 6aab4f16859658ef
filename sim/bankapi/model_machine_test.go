package bankapi_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// refSandbox is the reference's sandbox: a bank, its clock, the start of its generation, and its exchanges.
type refSandbox struct {
	refMoment
	scenario  refScenario
	given     *uint64 // the seed that it was created with
	seed      uint64
	start     refMoment
	snapshots map[string]refMoment
	exchanges []string // "operation status", the oldest that the journal holds first
	forgotten int      // exchanges before those
}

// refMoment is a bank at a virtual time.
type refMoment struct {
	bank refBank
	now  time.Time
}

func (m refMoment) copy() refMoment { return refMoment{m.bank.copy(), m.now} }

// machine holds a simulator and the reference side by side.
type machine struct {
	learner
	registry         *sandbox.Registry
	service, control http.Handler
	sandboxes        map[string]*refSandbox
	compared         map[string]*sim.World // as they were when their states were compared last
	steps            int                   // calls made
	met              map[string]int
}

const modelServiceURL = "http://bank.example"

// sandboxNames are the names that the sandboxes of a sequence may have.
var sandboxNames = []string{sandbox.Default, "a", "b", "c"}

// newMachine starts with the default sandbox on the first scenario and two more on the others.
func newMachine(t *rapid.T, met map[string]int) *machine {
	log := slog.New(slog.DiscardHandler)
	registry := sandbox.NewRegistry(sandbox.Config{Scenario: refScenarios[0].Scenario})
	m := &machine{
		learner:  learner{t: t, drawn: map[string]string{}},
		registry: registry,
		service:  bankapi.New(bankapi.Config{Sandboxes: registry, Log: log}),
		control: controlapi.New(controlapi.Config{Sandboxes: registry, Ready: func() bool { return true },
			ServiceURL: modelServiceURL, Version: "test", StartedAt: time.Now(), Log: log}),
		sandboxes: map[string]*refSandbox{},
		compared:  map[string]*sim.World{},
		met:       met,
	}
	t.Cleanup(registry.Close)
	m.sandboxes[sandbox.Default] = newRefSandbox(refScenarios[0], nil)
	for i, name := range []string{"a", "b"} {
		if _, err := registry.Create(sandbox.Plan{Name: name, Scenario: refScenarios[i+1].Scenario}); err != nil {
			t.Fatalf("create %s: %v", name, err)
		}
		m.sandboxes[name] = newRefSandbox(refScenarios[i+1], nil)
	}
	return m
}

func newRefSandbox(sc refScenario, seed *uint64) *refSandbox {
	s := &refSandbox{given: seed, snapshots: map[string]refMoment{}}
	s.restart(sc)
	return s
}

// restart begins a generation on a scenario. A seed that the sandbox was created with replaces the scenario's own.
func (s *refSandbox) restart(sc refScenario) {
	s.scenario, s.seed = sc, sc.Seed
	s.start = refMoment{newRefBank(sc), refStart}
	if s.given != nil && *s.given != s.seed {
		s.seed = *s.given
		s.start.bank.draws = fmt.Sprintf("seed %d", s.seed)
	}
	s.reset()
}

func (s *refSandbox) reset() {
	s.refMoment = s.start.copy()
	s.exchanges, s.forgotten = nil, 0
}

// names returns the names of the sandboxes that exist.
func (m *machine) names() []string {
	var names []string
	for _, name := range sandboxNames {
		if m.sandboxes[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// tokens returns the access or the refresh tokens that a sandbox has issued, valid or not, and sometimes both, the newest
// first.
func (m *machine) tokens(name string, refresh bool) []string {
	var texts []string
	either := chance(m.t, 5, "either kind")
	for _, g := range slices.Backward(m.sandboxes[name].bank.grants) {
		for _, t := range slices.Backward(g.tokens) {
			if t.refresh == refresh || either {
				texts = append(texts, t.text)
			}
		}
	}
	return append(texts, "nope")
}

func serve(h http.Handler, base string, a simtest.Call) (status int, header http.Header, body string) {
	r := httptest.NewRequest(a.Method, base+a.Path, strings.NewReader(a.Body))
	r.Header = a.Header
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header(), strings.TrimSpace(w.Body.String())
}

// call sends a request to a sandbox's service and compares the answer with the reference's verdict, and with the status
// and code that the contract has for it.
func (m *machine) call(name string, op *contract.Operation, a simtest.Call, judge func(s *refSandbox, baseURL string) verdict) {
	m.steps++
	baseURL := modelServiceURL
	if name != sandbox.Default {
		baseURL += "/sandboxes/" + name
	}
	m.where = fmt.Sprintf("%s (%s) in %s: %s", op.Name, op.Dialect, name, a)
	s, behavior := m.sandboxes[name], new(sim.Behavior)
	want := refused(contract.SandboxUnknown)
	if s != nil {
		s.bank.endJobs(s.now)
		own := s.bank.behavior
		defer func() { s.bank.behavior = own }()
		behavior = contract.SpokenIn(own, op.Dialect)
		s.bank.behavior = behavior
		want = judge(s, baseURL)
	}
	status, header, body := serve(m.service, baseURL, a)
	code := ""
	if status >= 400 {
		code = contract.ErrorCode([]byte(body))
	}
	m.met[fmt.Sprintf("%s %s %d %s", op.Name, op.Dialect, status, code)]++
	wantStatus, wantCode := want.expected(op, behavior)
	if a.Method == http.MethodHead {
		m.equal("", body, "body of an answer to HEAD")
		want.then, wantCode = nil, ""
	}
	if status != wantStatus || code != wantCode {
		m.t.Fatalf("%s\nwant %s: %d %s\n got %d %s: %s", m.where, want.rule, wantStatus, wantCode, status, code, body)
	}
	if s == nil {
		return
	}
	s.exchanges = append(s.exchanges, fmt.Sprintf("%s %d", op.Name, status))
	m.equal(fmt.Sprint(s.forgotten+len(s.exchanges)), header.Get("Banksim-Exchange"), "number of the exchange")
	m.equal(cmp.Or(string(want.rule), op.Name), m.decision(name, header), "rule that decided")
	if want.then != nil {
		want.then(&m.learner, body)
	}
	if m.world(name) != m.compared[name] {
		m.compare(name)
	}
}

// spoken returns an operation in the dialect of the document or, more seldom, in the public one.
func (m *machine) spoken(op *contract.Operation) *contract.Operation {
	if chance(m.t, 3, "public dialect") {
		return op.In(sim.DialectPublic)
	}
	return op
}

// decision returns the rule by which the journal says that an exchange was decided.
func (m *machine) decision(name string, header http.Header) string {
	sb, _ := m.registry.Get(name)
	x, _ := sb.Now().Journal.Get(header.Get("Banksim-Exchange"))
	return x.Decision.Rule
}

// ask reads from the control API.
func (m *machine) ask(path string) string {
	status, _, body := serve(m.control, "", simtest.NewCall(http.MethodGet, path, ""))
	if status != 200 {
		m.t.Fatalf("%s: GET %s: %d %s", m.where, path, status, body)
	}
	return body
}

// world returns the world of a sandbox. A request that changes nothing leaves it in place.
func (m *machine) world(name string) *sim.World {
	sb, _ := m.registry.Get(name)
	return sb.Now().World
}

// compare compares a sandbox's state, as the control API shows it, with the reference.
func (m *machine) compare(name string) {
	m.compared[name] = m.world(name)
	got := decodeSome[stateBody](&m.learner, m.ask("/v1/sandboxes/"+name+"/state"))
	s := m.sandboxes[name]
	s.bank.endJobs(s.now)
	want := s.bank.state(s.now)
	if wantText, gotText := simtest.JSON(want), simtest.JSON(got); wantText != gotText {
		m.t.Fatalf("%s: state of %s\nwant %s\n got %s", m.where, name, wantText, gotText)
	}
}

// compareAll compares everything that the control API shows of every sandbox.
func (m *machine) compareAll() {
	m.where = "at the end"
	type named struct {
		Name     string `json:"name"`
		Scenario string `json:"scenario"`
		Seed     uint64 `json:"seed"`
	}
	var want []named
	for _, name := range slices.Sorted(slices.Values(m.names())) {
		s := m.sandboxes[name]
		want = append(want, named{name, s.scenario.Name, s.seed})
	}
	m.equal(want, decodeSome[struct {
		Sandboxes []named `json:"sandboxes"`
	}](&m.learner, m.ask("/v1/sandboxes")).Sandboxes, "sandboxes")
	for _, name := range m.names() {
		if sb, ok := m.registry.Get(name); ok {
			if err := simtest.CheckSaved(sb.Bank()); err != nil {
				m.t.Fatalf("%s, saved as a scenario: %v", name, err)
			}
		}
		m.compare(name)
		m.compareRest(name)
	}
}

// compareRest compares the clock, the snapshots, the diffs and the journal of a sandbox.
func (m *machine) compareRest(name string) {
	s, path := m.sandboxes[name], "/v1/sandboxes/"+name
	m.equal(fmt.Sprintf(`{"now":%q,"running":false}`, s.now.Format(time.RFC3339Nano)), m.ask(path+"/clock"), "clock of "+name)

	snapshots := decodeSome[struct {
		Snapshots []api.Snapshot `json:"snapshots"`
	}](&m.learner, m.ask(path+"/snapshots")).Snapshots
	if len(snapshots) != len(s.snapshots) {
		m.t.Fatalf("snapshots of %s: %v", name, snapshots)
	}
	for _, got := range snapshots {
		m.equal(s.snapshots[got.Name].now, got.Now, "time of snapshot "+got.Name+" of "+name)
		snapshot := s.snapshots[got.Name]
		m.equal(s.differing(snapshot), m.diff(path, got.Name), "diff of "+name+" since "+got.Name)
	}
	m.equal(s.differing(s.start), m.diff(path, "start"), "diff of "+name)

	var exchanges []string
	for _, x := range decodeSome[journal.Page](&m.learner, m.ask(path+"/journal?limit=1000")).Exchanges {
		exchanges = append(exchanges, fmt.Sprintf("%s %d", x.Operation, x.Response.Status))
		m.equal(name, x.Sandbox, "sandbox of an exchange")
	}
	m.equal(s.exchanges, exchanges, "journal of "+name)
}

// diff returns the names of the rows that differ, those of tokens aside.
func (m *machine) diff(path, since string) []string {
	changes := decodeSome[struct {
		Changes []api.Change `json:"changes"`
	}](&m.learner, m.ask(path+"/diff?since="+since)).Changes
	var rows []string
	for _, c := range changes {
		if !strings.HasPrefix(c.Row, "grants/") {
			rows = append(rows, c.Row)
		}
	}
	slices.Sort(rows)
	return rows
}
