package infer

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// outcome is what a bank answers to a request of the capture.
type outcome struct {
	exchange
	got     answer
	here    listed   // what the bank's answer lists, if it has the same status
	differs []string // where the answers differ, or empty if they agree
	// trusted says whether the bank has answered all changes before it as the service did. If not, the two may have
	// different rows now, although they began with the same ones.
	trusted bool
	sum     uint64 // of the status and the body of the bank's answer
}

var sums = maphash.MakeSeed()

// accepts reports whether the bank accepts the request.
func (o outcome) accepts() bool { return o.got.status < 300 }

// isAsGood reports whether an outcome of the same exchange agrees, or differs as another one does.
func (o outcome) isAsGood(other outcome) bool {
	return len(o.differs) == 0 ||
		slices.Equal(o.differs, other.differs) && o.got.decision.Rule == other.got.decision.Rule
}

// replay sends the exchanges to a bank, until one of the outcomes is not wanted. before has the outcomes of another
// bank. As long as the two banks draw the same ids, equal answers are not compared again.
func replay(
	ctx context.Context, b bank, all []exchange, before []outcome, wanted func(outcome) bool,
) (outcomes []outcome, err error) {
	ids, trusted := translation{}, true
	for i, x := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o := outcome{exchange: x, got: b.ask(x.at, ids.request(x)), trusted: trusted}
		o.sum = maphash.Bytes(sums, o.got.body) ^ uint64(o.got.status)
		isKnown := i < len(before) && before[i].sum == o.sum
		if creates(x.op) && !isKnown {
			before = nil
		}
		if isKnown && !creates(x.op) { // a creation has ids to learn
			o.differs, o.here = before[i].differs, before[i].here
		} else {
			o.differs, o.here = ids.compareAnswers(x, o.got)
		}
		o.got.body = nil // nobody reads it again
		outcomes = append(outcomes, o)
		if !wanted(o) {
			break
		}
		trusted = trusted && (len(o.differs) == 0 || !x.op.Changes)
	}
	return outcomes, nil
}

// compareAnswers returns where a bank's answer differs from the recorded one, and which rows it lists. It learns the
// ids that both have drawn.
func (t translation) compareAnswers(x exchange, got answer) (places []string, here listed) {
	switch {
	case x.status != got.status:
		return []string{fmt.Sprintf("status %d, not %d", got.status, x.status)}, listed{}
	case x.lacksAnswer:
		return nil, listed{}
	}
	wanted, own := decode(x.answer), decode(got.body)
	if creates(x.op) && x.accepted() {
		t.learn(x, "", wanted, own)
	}
	d := comparison{translation: t, exchange: x}
	d.compare(wanted, own)
	if wanted == nil && own == nil && (len(x.answer) == 0) != (len(got.body) == 0) {
		d.add(": %s, not %s", shownBody(got.body), shownBody(x.answer))
	}
	return d.places(), listedIn(own)
}

// shownBody says of a body that is no JSON object whether it is empty.
func shownBody(body []byte) string {
	if len(body) == 0 {
		return "no body"
	}
	return "another body"
}

// translation has, by ids and tokens of the capture, those that the bank has drawn in their place.
type translation map[string]string

// drawnMembers are the members of answers whose values are drawn: the ids of new rows, and tokens.
var drawnMembers = []string{
	"groupId", "experienceId", "jobId", "alertPrefId", "access_token", "refresh_token", "id_token", "code",
}

// creates reports whether an operation draws tokens, or the id of a group, a job or an alert preference.
func creates(op *contract.Operation) bool {
	return op.Changes && op.Method == http.MethodPost || op.Name == contract.GroupsUploadParticipants.Name
}

// learn notes what the bank has drawn in the place of the values of an answer: not of those that the request names.
func (t translation) learn(x exchange, name string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		for name, value := range want {
			t.learn(x, name, value, member(got, name))
		}
	case string, json.Number:
		if slices.Contains(drawnMembers, name) && got != nil && !x.sentID(fmt.Sprint(want)) {
			t[fmt.Sprint(want)] = fmt.Sprint(got)
		}
	}
}

// alertPrefID matches the id of an alert preference in a body with its name: it is a number like others.
var alertPrefID = lazy.Regexp(`("alertPrefId"\s*:\s*)(\d+)`)

// in returns a text with the bank's ids in it.
func (t translation) in(text string) string {
	return match.ReplaceWords(text, func(value string) string {
		if own, known := t[value]; known && strings.Trim(value, "0123456789") != "" {
			return own
		}
		return value
	})
}

// request returns a request of the capture with the bank's ids in it.
func (t translation) request(x exchange) *http.Request {
	path := t.in(x.path)
	if id := x.vars["alertPreferenceId"]; t[id] != "" {
		path = strings.TrimSuffix(path, id) + t[id]
	}
	body := alertPrefID().ReplaceAllStringFunc(t.in(string(x.body)), func(member string) string {
		parts := alertPrefID().FindStringSubmatch(member)
		if t[parts[2]] != "" {
			return parts[1] + t[parts[2]]
		}
		return member
	})
	r := &http.Request{
		Method: x.method, URL: &url.URL{Path: path, RawQuery: t.in(x.query.Encode())}, Host: "bank.test",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: http.NoBody, ContentLength: int64(len(body)),
	}
	if plain, err := url.PathUnescape(path); err == nil {
		r.URL.Path, r.URL.RawPath = plain, path
	}
	if body != "" {
		r.Body = io.NopCloser(strings.NewReader(body))
	}
	for name, values := range x.header {
		for _, value := range values {
			if name = http.CanonicalHeaderKey(name); name == "Authorization" {
				value = t.in(value)
			}
			r.Header.Add(name, value)
		}
	}
	for _, name := range notSent {
		r.Header.Del(name)
	}
	if body != "" {
		r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	}
	return r
}

// notSent are headers that are about the connection, or for the simulator that the capture comes from.
var notSent = []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", contract.SandboxHeader, "Origin"}

// free are members of answers that no bank has to repeat: texts for people, the rest of a lifetime, and names that the
// service makes up.
var free = []string{"message", "errorMessage", "statusMessage", "expires_in", "refresh_token_expires_in",
	"workingFileName", "institutionUserDisclosureId"}

var isTime = lazy.Regexp(`^\d{4}-\d\d-\d\dT`)

// maxPlaces is how many places of an answer are named at most (choice).
const maxPlaces = 20

// comparison collects where two JSON values differ.
type comparison struct {
	translation
	exchange exchange
	path     []string // to the values
	first    []string
	more     int
}

// add adds that the values differ, in words.
func (d *comparison) add(format string, values ...any) {
	if len(d.first) == maxPlaces {
		d.more++
		return
	}
	words := wording.Line(wording.Message(strings.Join(d.path, "")) + fmt.Sprintf(format, values...))
	if !slices.Contains(d.first, words) {
		d.first = append(d.first, words)
	}
}

// places returns the first places in their order, and how many others there are.
func (d *comparison) places() []string {
	slices.Sort(d.first)
	if d.more > 0 {
		d.first = append(d.first, fmt.Sprintf("and %d more", d.more))
	}
	return d.first
}

func (d *comparison) compare(want, got any) {
	switch want := want.(type) {
	case map[string]any:
		other, isObject := got.(map[string]any)
		if !isObject {
			d.add(": %s, not %s", valueText(got), valueText(want))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			d.path = append(d.path, "."+name)
			d.compare(want[name], other[name])
			d.path = d.path[:len(d.path)-1]
		}
		for _, name := range slices.Sorted(maps.Keys(other)) {
			if _, there := want[name]; !there {
				d.add(".%s: not in the capture", wording.Shorten(name))
			}
		}
		return
	case []any:
		other, isList := got.([]any)
		if !isList {
			d.add(": %s, not a list", valueText(got))
			return
		}
		if len(want) != len(other) {
			d.add(": %d elements, not %d", len(other), len(want))
			return
		}
		for i := range want {
			d.compare(want[i], other[i])
		}
		return
	}
	name := ""
	if len(d.path) > 0 {
		name = d.path[len(d.path)-1][1:]
	}
	switch answered, recorded := valueText(got), valueText(want); {
	case d.isSame(d.exchange, name, want, got):
	case answered == recorded:
		d.add(": %s", answered)
	default:
		d.add(": %s, not %s", answered, recorded)
	}
}

// isSame reports whether two values of a member mean the same.
func (t translation) isSame(x exchange, name string, want, got any) bool {
	wantText, gotText := fmt.Sprint(want), fmt.Sprint(got)
	switch {
	case want == nil, got == nil:
		return want == got
	case slices.Contains(free, name), isTime().MatchString(wantText) && isTime().MatchString(gotText):
		return true
	case name == "href": // both have the address of their service before the path
		_, after, _ := strings.Cut(wantText, x.path)
		return strings.HasSuffix(gotText, t.in(x.path+after))
	case slices.Contains(drawnMembers, name) && x.accepted() && t[wantText] != "":
		return t[wantText] == gotText
	}
	return want == got
}

// valueText returns a text, a number or a boolean, or says that there is no value.
func valueText(value any) string {
	switch value.(type) {
	case nil:
		return "none"
	case map[string]any, []any:
		return "an object or a list"
	}
	text, isText := value.(string)
	if isText && !interfaceWords()[text] && !madeUp().MatchString(text) && !isMask().MatchString(text) {
		return "another text" // it may be a secret
	}
	return wording.Shorten(fmt.Sprint(value))
}

// isMask matches what stands in place of secrets and persons, and ids, times and codes.
var isMask = lazy.Regexp(`^([a-z-]+-\d+x*é?|\d{1,12}|[0-9a-f-]{36}|\d{4}-\d\d-\d\dT\S*|[A-Z]{0,10}_?\d{1,5}|https?://bank\.\S*)$`)
