package conformance_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// call is what a request had and was answered.
type call struct {
	sent   []byte // the request's body
	status int
	header http.Header
	body   []byte
	isLost bool // whether the bank keeps nothing of what it has accepted
}

// A planted difference is something that a service does otherwise than the simulator.
type planted struct {
	name      string
	operation string              // whose requests it concerns, and whose exchanges are replayed
	dialect   sim.Dialect         // empty: the document's
	request   func(*http.Request) // changes the request, or nil
	answer    func(*call)         // changes the answer, or nil
}

func header(name, value string) func(*call) { return func(c *call) { c.header.Set(name, value) } }

func noHeader(name string) func(*call) {
	return func(c *call) {
		maps.DeleteFunc(c.header, func(n string, _ []string) bool { return strings.EqualFold(n, name) })
	}
}

// accepts answers a refusal with some code as if the request were accepted.
func accepts(code string, status int) func(*call) {
	return func(c *call) {
		if bytes.Contains(c.body, []byte(code)) {
			c.status, c.body = status, nil
		}
	}
}

// answers gives another answer in place of one with a status.
func answers(from, to int, body string) func(*call) {
	return func(c *call) {
		if c.status == from {
			c.status, c.body = to, []byte(body)
		}
	}
}

// each calls fn for every object in the body of an answer.
func each(fn func(object map[string]any)) func(*call) {
	return func(c *call) {
		var body any
		decoder := json.NewDecoder(bytes.NewReader(c.body))
		decoder.UseNumber()
		if decoder.Decode(&body) != nil {
			return
		}
		var walk func(any)
		walk = func(value any) {
			switch value := value.(type) {
			case map[string]any:
				fn(value)
				for _, name := range slices.Sorted(maps.Keys(value)) {
					walk(value[name])
				}
			case []any:
				for _, element := range value {
					walk(element)
				}
			}
		}
		walk(body)
		c.body, _ = json.Marshal(body)
	}
}

func set(name string, value any) func(*call) {
	return each(func(o map[string]any) {
		if _, there := o[name]; there {
			o[name] = value
		}
	})
}

func changed[T any](name string, to func(T) any) func(*call) {
	return each(func(o map[string]any) {
		if value, there := o[name].(T); there {
			o[name] = to(value)
		}
	})
}

func rename(name, to string) func(*call) {
	return each(func(o map[string]any) {
		if value, there := o[name]; there {
			delete(o, name)
			o[to] = value
		}
	})
}

// add adds a member to objects that have another one.
func add(beside, name string, value any) func(*call) {
	return each(func(o map[string]any) {
		if _, there := o[beside]; there {
			o[name] = value
		}
	})
}

func replace(old, with string) func(*call) {
	return func(c *call) { c.body = []byte(strings.ReplaceAll(string(c.body), old, with)) }
}

func plus(d int64) func(json.Number) any {
	return func(n json.Number) any { i, _ := n.Int64(); return i + d }
}

func reversed(all []any) any { all = slices.Clone(all); slices.Reverse(all); return all }

// echoesSent copies a member of the request to the answer.
func echoesSent(name string) func(*call) {
	return func(c *call) {
		var sent map[string]any
		if json.Unmarshal(c.sent, &sent) == nil && sent[name] != nil {
			set(name, sent[name])(c)
		}
	}
}

// ignores has a service ignore a parameter.
func ignores(parameter string) func(*http.Request) {
	return func(r *http.Request) {
		q := r.URL.Query()
		q.Del(parameter)
		r.URL.RawQuery = q.Encode()
	}
}

const public = sim.DialectPublic

// differences are what a check must find, besides those of [generated].
var differences = []planted{
	// E-statements.
	{"disclosures: PENDING", "estatements.getDisclosures", "", nil, replace(`"NOT_ACCEPTED"`, `"PENDING"`)},
	{"disclosures: date alone", "estatements.getDisclosures", "", nil,
		set("institutionUserDisclosureStatusUpdateDateTime", "2026-01-15")},
	{"disclosures: user id in upper case", "estatements.getDisclosures", public, nil,
		changed("institutionUserId", func(id string) any { return strings.ToUpper(id) })},
	{"disclosures: an update has no effect", "estatements.getDisclosures", "", nil, set("paperWaiver", false)},
	{"disclosures: any token", "estatements.getDisclosures", "", func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer demo-token")
	}, nil},
	{"disclosures: tokens of other users", "estatements.getDisclosures", "", nil, accepts("UXESTMT_10003", 200)},
	{"account: a body", "estatements.updateAccount", "", nil, answers(200, 200, `{}`)},
	// Tokens.
	{"tokens: bearer in lower case", "tokens.issue", "", nil, set("token_type", "bearer")},
	{"tokens: short lifetime", "tokens.issue", "", nil, set("expires_in", "600")},
	{"tokens: whole lifetime", "tokens.issue", public, nil, set("expires_in", "86400")},
	{"tokens: the refresh token stays", "tokens.issue", "", nil, echoesForm("refresh_token")},
	{"tokens: institution in public", "tokens.issue", public, nil, add("access_token", "di_fiid", "02688")},
	{"tokens: cached", "tokens.issue", "", nil, noHeader("Cache-Control")},
	{"tokens: no challenge", "tokens.issue", "", nil, noHeader("WWW-Authenticate")},
	// Groups.
	{"create: groupId honoured", "groups.create", "", nil, echoesSent("groupId")},
	{"create: the name in capitals", "groups.create", "", nil,
		changed("groupName", func(s string) any { return strings.ToUpper(s) })},
	{"create: a number as id", "groups.create", public, nil, set("groupId", "17")},
	{"create: a negative count", "groups.create", "", nil, set("groupParticipantCount", json.Number("-1"))},
	{"create: time without milliseconds", "groups.create", "", nil,
		set("groupLastUpdatedDateTime", "2026-01-15T09:00:00Z")},
	{"update: the old description", "groups.update", "", nil, set("groupDescription", "as before")},
	{"list: pages from 1", "groups.list", "", nil, changed("number", plus(1))},
	{"list: relative links", "groups.list", "", nil,
		changed("href", func(s string) any { return s[strings.Index(s, "/digitalbanking"):] })},
	{"list: links of another page", "groups.list", public, nil, replace("?page=1&", "?page=2&")},
	{"list: backwards", "groups.list", "", nil, changed("content", reversed)},
	{"list: one less", "groups.list", "", nil,
		changed("content", func(all []any) any { return all[:max(len(all)-1, 0)] })},
	{"list: wrong total", "groups.list", "", nil, changed("totalPages", plus(1))},
	{"jobs: oldest first", "jobs.list", "", nil, changed("content", reversed)},
	{"jobs: links of another job", "jobs.list", "", nil, changed("href", func(s string) any {
		return regexp.MustCompile(`/jobs/[^/]+$`).ReplaceAllString(s, "/jobs/1")
	})},

	// Alerts.
	{"alert: id honoured", "alerts.createPreference", public, nil, set("alertPrefId", json.Number("0"))},
	{"alert: opted out", "alerts.createPreference", "", nil, set("alertOpted", false)},
	{"alert: update answers the old", "alerts.updatePreference", "", nil,
		changed("alertOpted", func(b bool) any { return !b })},
	{"alerts: of all accounts", "alerts.listPreferences", "", ignores("accountId"), nil},
}

// echoesForm copies a parameter of the request's form to the answer.
func echoesForm(name string) func(*call) {
	return func(c *call) {
		if form, err := url.ParseQuery(string(c.sent)); err == nil && form.Get(name) != "" {
			set(name, form.Get(name))(c)
		}
	}
}

// variations are what every service may do: a check must not report them.
var variations = []planted{
	{name: "other texts", answer: func(c *call) {
		if c.status >= 400 {
			set("message", "Something went wrong.")(c)
			set("statusMessage", "Something went wrong.")(c)
			set("errorMessage", "Something went wrong.")(c)
		}
	}},
	{name: "headers in lower case", answer: func(c *call) {
		lower := http.Header{"Content-Type": nil} // else net/http adds one
		for name, values := range c.header {
			lower[strings.ToLower(name)] = values
		}
		c.header = lower
	}},
	{name: "members in another order", answer: each(func(map[string]any) {})},
	{name: "more headers", answer: func(c *call) {
		c.header.Set("X-Request-Id", "7")
		c.header.Set("Strict-Transport-Security", "max-age=1")
		c.header.Add("Vary", "Accept")
	}},
	{name: "more white space", answer: func(c *call) {
		var indented bytes.Buffer
		if json.Indent(&indented, c.body, "", "   ") == nil {
			c.body = append(indented.Bytes(), '\n')
		}
	}},
	{name: "escaped texts", answer: func(c *call) {
		c.body = bytes.ReplaceAll(c.body, []byte("/"), []byte(`\/`))
	}},
	{name: "another realm", answer: func(c *call) {
		if c.header.Get("WWW-Authenticate") != "" {
			scheme, _, _ := strings.Cut(c.header.Get("WWW-Authenticate"), " ")
			c.header.Set("WWW-Authenticate", scheme+` realm="bank"`)
		}
	}},
	{name: "more directives for caches", answer: func(c *call) {
		if c.header.Get("Cache-Control") != "" {
			c.header.Set("Cache-Control", "private, no-store, max-age=0")
		}
	}},
	{name: "no Pragma", answer: noHeader("Pragma")},
	{name: "methods in another order", answer: func(c *call) {
		if allow := strings.Split(c.header.Get("Allow"), ", "); len(allow) > 1 {
			slices.Reverse(allow)
			c.header.Set("Allow", strings.Join(allow, ","))
		}
	}},
	{name: "parameters of links in another order", answer: changed("href", func(s string) any {
		at, query, _ := strings.Cut(s, "?")
		parameters := strings.Split(query, "&")
		slices.SortStableFunc(parameters, func(a, b string) int { return strings.Compare(b[:3], a[:3]) })
		return strings.TrimSuffix(at+"?"+strings.Join(parameters, "&"), "?")
	})},
	{name: "other times of changes", answer: changed("groupLastUpdatedDateTime", func(string) any {
		return "2026-11-29T17:03:59.123Z"
	})},
	{name: "other amounts", answer: changed("noOfParticipants", plus(17))},
	{name: "a server", answer: header("Server", "bank/2.1")},
	{name: "a charset", answer: func(c *call) {
		if kind := c.header.Get("Content-Type"); kind != "" {
			c.header.Set("Content-Type", kind+"; charset=utf-8")
		}
	}},
}

// twoJobs gives the bank a second job, and alert types of its own.
const twoJobs = `
institutions:
  - institutionId: "02688"
    institutionAlertTypes:
      - {alertTypeName: LOW_BALANCE, channelsOptd: [EMAIL, SMS, PUSH, WEB]}
      - {alertTypeName: LARGE_WITHDRAWAL, channelsOptd: [EMAIL, SMS, PUSH, WEB]}
    institutionAlertPreferences: [{alertTypeName: LOW_BALANCE, channelTypeName: EMAIL}]
    groups:
      - groupName: Payroll deposit
        jobs: [{type: ADD, inputFileName: a.csv, jobStatus: SUCCESSFUL, createdDateTime: 2026-01-10T08:30:00Z}]
`

// startPlanted starts a service with the difference that the pointer names.
func startPlanted(t *testing.T) (url string, current *atomic.Pointer[planted]) {
	t.Helper()
	current = &atomic.Pointer[planted]{}
	url, stop := startServiceOf(retail+twoJobs, func(sandboxes *sandbox.Registry) service {
		return func(r *http.Request, bank asking) call { return current.Load().serve(sandboxes, r, bank) }
	})
	t.Cleanup(stop)
	return url, current
}

// serve answers a request with the difference.
func (p *planted) serve(sandboxes *sandbox.Registry, r *http.Request, bank asking) call {
	if p.operation != "" && !isFor(r, p.operation) {
		return bank(r)
	}
	if p.request != nil {
		p.request(r)
	}
	before := sandboxes.Default().Known().World
	c := bank(r)
	if p.answer != nil {
		p.answer(&c)
	}
	if c.isLost && c.status < 300 {
		_ = sandboxes.Default().Change(r.Context(), func(tx *sandbox.Tx) error {
			tx.World = before.Fork()
			return nil
		})
	}
	return c
}

// isFor reports whether a request is for an operation, in any dialect.
func isFor(r *http.Request, operation string) bool {
	return slices.ContainsFunc(contract.Interfaces(), func(i *contract.Interface) bool {
		op := i.Operation(operation)
		path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(op.Path, `[^/]+`)
		return op.Method == r.Method && regexp.MustCompile("^"+path+"$").MatchString(r.URL.Path)
	})
}

// checkPlanted checks a service with a planted difference.
func checkPlanted(t *testing.T, url string, p planted) conformance.Report {
	cfg := conformance.Config{BaseURL: url, Dialect: p.dialect, AllowWrites: true, Users: everyone}
	if p.operation != "" {
		cfg.Only = []string{p.operation}
		if strings.HasPrefix(p.operation, "jobs.") { // a list names the jobs that are read
			cfg.Only = []string{"jobs.*"}
		}
	}
	return run(t, cfg)
}

// A check finds each difference that is planted in a service.
func TestACheckFindsWhatIsPlanted(t *testing.T) {
	url, current := startPlanted(t)
	for i, p := range differences {
		if i%simtest.Times(2, 1) != 0 {
			continue
		}
		t.Run(string(p.dialect)+" "+p.name, func(t *testing.T) {
			current.Store(&p)
			report := checkPlanted(t, url, p)
			assert.NotEmpty(t, slices.Concat(describe(report.Differences()), report.LeftBehind()))
		})
	}
}

// describe returns the first differences of a report.
func describe(found []conformance.Difference) (all []string) {
	for _, d := range found[:min(len(found), 3)] {
		all = append(all, d.Exchange+": "+d.Message)
	}
	return all
}

// A check reports nothing that every service may do.
func TestACheckAllowsVariations(t *testing.T) {
	url, current := startPlanted(t)
	for i := 0; i < len(variations); i += simtest.Times(3, 1) {
		p := variations[i]
		// By day in one of the dialects, which alternate.
		dialects := []sim.Dialect{sim.DialectDocument, public, sim.DialectDocument}[i%2:][:simtest.Times(1, 2)]
		for _, p.dialect = range dialects {
			t.Run(string(p.dialect)+" "+p.name, func(t *testing.T) {
				current.Store(&p)
				report := checkPlanted(t, url, p)
				assert.Empty(t, slices.Concat(describe(report.Differences()), report.LeftBehind(), report.Errors()))
			})
		}
	}
}

// ownBanks are banks with the values of the golden exchanges and with data of their own.
var ownBanks = map[string]string{
	"alert types and defaults": `
institutions:
  - institutionId: "02688"
    institutionAlertTypes:
      - {alertTypeName: LOW_BALANCE, channelsOptd: [EMAIL, SMS, PUSH, WEB]}
      - {alertTypeName: LARGE_WITHDRAWAL, channelsOptd: [EMAIL, SMS, PUSH, WEB]}
    institutionAlertPreferences: [{alertTypeName: LOW_BALANCE, channelTypeName: EMAIL}]
`,
	"many groups and users": `
institutions:
  - institutionId: "02688"
    generate: {users: 50, groups: 300}
`,
	"custom disclosures": `
institutions:
  - institutionId: "02688"
    institutionDisclosures:
      - {institutionDisclosureId: 0123456789ABCDEF0123456789ABCDEF, institutionDisclosureName: Mobile deposit}
`,
	"jobs that failed": `
institutions:
  - institutionId: "02688"
    groups:
      - groupName: Payroll deposit
        jobs: [{type: ADD, inputFileName: a.csv, jobStatus: FAILED, createdDateTime: 2026-01-10T08:30:00Z}]
`,
	"electronic statements": `
institutions:
  - institutionId: "02688"
    users:
      - hostUserId: "1001"
        accounts:
          - {accountId: acc-1001-checking, activateEstatement: true}
          - {accountId: acc-1001-savings, activateEstatement: true}
`,
	"another clock": "clock: {start: 2031-05-01T00:00:00Z}\n",
}

// A check reports nothing that another bank may have otherwise.
func TestOwnBanksGiveNoAlarm(t *testing.T) {
	for name, yaml := range ownBanks {
		for _, dialect := range []sim.Dialect{sim.DialectDocument, public}[:simtest.Times(1, 2)] {
			t.Run(string(dialect)+" "+name, func(t *testing.T) {
				t.Parallel()
				url, stop := startService(retail+yaml, asTheBank())
				defer stop()
				report := run(t, conformance.Config{
					BaseURL: url, Dialect: dialect, AllowWrites: true, Users: everyone,
					Journeys: simtest.Times(5, 20), Seed: 3})
				assert.Empty(t, slices.Concat(describe(report.Differences()), report.LeftBehind(), report.Errors()))
			})
		}
	}
}
