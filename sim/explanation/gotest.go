package explanation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// goTest returns the file of a test that sends the request to a bank of its own, and expects the same answer.
func goTest(x journal.Exchange, bank Bank, r *request, want journal.Expectation) string {
	t := &testFile{imports: []string{"net/http", "testing"}}
	for _, s := range r.secrets {
		t.line("// Set it to %s, which the journal has as %s.", s.about, s.fingerprint)
		t.line("const %s = %s", constant(s), strconv.Quote("$"+s.variable))
	}
	t.start(bank)
	t.inject(x)
	body := "http.NoBody"
	if r.hasBody {
		body = t.body(r)
	}
	t.line("request, err := http.NewRequestWithContext(t.Context(), %s, bank.BaseURL()+%s, %s)", strconv.Quote(r.method), goString(r.path), body)
	t.check()
	for _, h := range r.headers {
		t.line("request.Header.Add(%s, %s)", strconv.Quote(h.name), h.value.golang("+"))
	}
	t.line("response, err := bank.Client().Do(request)")
	if noResponse(x) {
		t.line("if err == nil {")
		t.line("\t_ = response.Body.Close()")
		t.line("\tt.Fatalf(\"it is answered with %d, and no answer was expected\", response.StatusCode)")
		t.line("}")
	} else {
		t.check()
		t.line("defer func() { _ = response.Body.Close() }()")
		t.line("if response.StatusCode != %d {", x.Response.Status)
		t.line("\tt.Errorf(\"it is answered with %%d, and not with %d\", response.StatusCode)", x.Response.Status)
		t.line("}")
	}
	t.line("%s", verifyGo(want))
	return t.file(x, r.notes)
}

// testFile is the text of a test.
type testFile struct {
	imports []string
	lines   []string
}

func (t *testFile) line(format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	t.lines = append(t.lines, format)
}

func (t *testFile) imported(path string) {
	if !slices.Contains(t.imports, path) {
		t.imports = append(t.imports, path)
	}
}

// check ends the test with an error.
func (t *testFile) check() {
	t.line("if err != nil {")
	t.line("\tt.Fatal(err)")
	t.line("}")
}

// start starts a bank from the scenario.
func (t *testFile) start(bank Bank) {
	switch {
	case bank.BuiltIn && bank.Scenario == "retail": // as by default
		t.line("bank := testkit.Start(t)")
	case bank.BuiltIn:
		t.line("bank := testkit.Start(t, testkit.Scenario(%s))", strconv.Quote(bank.Scenario))
	default:
		t.imported("os")
		t.line("// Set it to the file of the scenario %s.", oneLine(bank.Scenario))
		t.line("scenario, err := os.ReadFile(\"scenario.yaml\")")
		t.check()
		t.line("bank := testkit.Start(t, testkit.ScenarioYAML(string(scenario)))")
	}
}

// inject injects the fault that answered.
func (t *testFile) inject(x journal.Exchange) {
	f := x.Fault
	if !answeredByFault(x) {
		return
	}
	then := []string{}
	if x.Response.Status != 0 && (f.Phase == string(fault.Before) || f.BankStatus != x.Response.Status) {
		then = append(then, fmt.Sprintf("Status: %d", x.Response.Status))
	}
	if f.Connection != "" {
		measure := ""
		if f.Connection == string(fault.Hang) { // by default for longer than a test should wait
			t.imported("time")
			measure = ", Hang: time.Second"
		}
		then = append(then, fmt.Sprintf("Connection: testkit.Connection{Kind: %s%s}", strconv.Quote(f.Connection), measure))
	}
	t.line("bank.Inject(testkit.Fault{Operation: %s, Phase: %s, Then: testkit.Then{%s}})", strconv.Quote(x.Operation), strconv.Quote(f.Phase), strings.Join(then, ", "))
}

// noResponse reports whether a client has no response that it can read.
func noResponse(x journal.Exchange) bool {
	return x.Response.Status == 0 || x.Fault != nil && x.Fault.Connection == string(fault.Garbage)
}

// body returns the expression of the request's body.
func (t *testFile) body(r *request) string {
	if r.noBody != "" {
		t.imported("os")
		t.line("// Set it to a file with the body: %s.", r.noBody)
		t.line("body, err := os.Open(\"body\")")
		t.check()
		t.line("defer func() { _ = body.Close() }()")
		return "body"
	}
	t.imported("strings")
	t.line("body := strings.NewReader(%s)", r.body.golang(" + "))
	return "body"
}

// file returns the whole file.
func (t *testFile) file(x journal.Exchange, notes []string) string {
	var b strings.Builder
	b.WriteString("package bank_test\n\nimport (\n")
	slices.Sort(t.imports)
	for _, path := range t.imports {
		b.WriteString("\t" + strconv.Quote(path) + "\n")
	}
	b.WriteString("\n\t\"github.com/digitalbanking-sim/banksim/testkit\"\n)\n\n")
	name := testName(x)
	for _, about := range append([]string{
		name + " sends the request of exchange " + x.ID + " again: " + title(x) + ".",
		"The bank is as its scenario says: what else had changed it comes first.",
	}, notes...) {
		b.WriteString("// " + oneLine(about) + "\n")
	}
	b.WriteString("func " + name + "(t *testing.T) {\n")
	for _, line := range t.lines {
		b.WriteString("\t" + line + "\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// testName returns a name for the test, such as TestEstatementsUpdateUser400DisclosureNotAccepted.
func testName(x journal.Exchange) string {
	name := "Test" + camel(x.Operation)
	if x.Operation == "" {
		name += "NoOperation"
	}
	if x.Response.Status != 0 {
		name += strconv.Itoa(x.Response.Status)
	}
	if x.Decision.Outcome == journal.Refused {
		name += camel(x.Decision.Rule)
	}
	return name
}

// camel joins the words of a text, each with a capital letter.
func camel(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// constant returns the name of the constant for a secret.
func constant(s *secret) string {
	name := camel(strings.ToLower(s.variable))
	return strings.ToLower(name[:1]) + name[1:]
}

// golang returns the text as a Go expression. The operator between its parts has the spaces that gofmt gives it.
func (t text) golang(plus string) string {
	var pieces []string
	for _, p := range t.joined() {
		if p.secret != nil {
			pieces = append(pieces, constant(p.secret))
		} else {
			pieces = append(pieces, goString(p.plain))
		}
	}
	if len(pieces) == 0 {
		return `""`
	}
	return strings.Join(pieces, plus)
}

// goString returns a text as a Go string literal, raw if that is easier to read.
func goString(text string) string {
	if strconv.CanBackquote(text) && !strings.ContainsFunc(text, isInvisible) && strings.ContainsAny(text, "\"\\") {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// oneLine puts a text on one line, without control characters.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if isInvisible(c) {
			return ' '
		}
		return c
	}, text)
}
