package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// Header is the request header by which a caller asks for a fault.
const Header = redact.FaultHeader

// headerKeys are the keys that the header may have.
var headerKeys = []string{"status", "code", "message", "delay", "connection", "phase"}

// HeaderError is what is wrong with a header by which a caller asks for a fault. Its text quotes the header.
type HeaderError struct {
	message string
	Shown   string // the same, with fingerprints in place of what is quoted
}

func (e *HeaderError) Error() string { return e.message }

// wrong returns the error of a part of the header, which is quoted in the place of %s.
func wrong(format, quoted string) *HeaderError {
	return &HeaderError{fmt.Sprintf(format, phrase.Quote(quoted)), fmt.Sprintf(format, phrase.Quote(redact.Fingerprint(quoted)))}
}

// plainly returns an error that quotes nothing.
func plainly(message string) *HeaderError { return &HeaderError{message, message} }

// ParseHeader reads the fault that a request to an operation asks for: "status=500; delay=200ms; connection=reset;
// phase=after", with code and message for the error body. Its error is a [HeaderError].
func ParseHeader(text, operation string) (Rule, error) {
	r := Rule{Name: Header, Operation: On(operation)}
	var given []string
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		key, value, found := strings.Cut(part, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch {
		case !found || value == "":
			return r, wrong("%s has no value: write it as in status=500", key)
		case slices.Contains(given, key):
			return r, wrong("%s is given twice: remove one", key)
		}
		given = append(given, key)
		if err := r.set(key, value); err != nil {
			return r, err
		}
	}
	if len(given) == 0 {
		return r, plainly("it is empty: write what shall happen, as in status=500; delay=200ms")
	}
	if slices.Equal(given, []string{"phase"}) {
		return r, plainly("phase says only when: add status, delay or connection")
	}
	for _, problem := range Check([]Rule{r}) { // it quotes numbers, durations and codes of the contract alone
		return r, plainly(problem.Message)
	}
	return r, nil
}

// set sets a part of the rule from a part of the header.
func (r *Rule) set(key, value string) error {
	switch key {
	case "status":
		status, err := strconv.Atoi(value)
		if err != nil || status == 0 || len(value) > 3 {
			return wrong("status must be a number such as 500, not %s", value)
		}
		if status < LeastError || status > MostError {
			return plainly(fmt.Sprintf("status must be from %d to %d, not %d: the header can't give the body that any other needs",
				LeastError, MostError, status))
		}
		r.Then.Status = status
	case "code", "message":
		if r.Then.Error == nil {
			r.Then.Error = &Error{}
		}
		if key == "code" {
			r.Then.Error.Code = value
		} else {
			r.Then.Error.Message = value
		}
	case "delay":
		delay, err := time.ParseDuration(value)
		if err != nil {
			return wrong("delay must be a duration such as 200ms, not %s", value)
		}
		r.Then.Delay = Fixed(delay)
	case "connection":
		kind := Kind(value)
		if !slices.Contains(Kinds, kind) {
			return wrong("connection must be one of "+strings.Trim(fmt.Sprint(Kinds), "[]")+", not %s", value)
		}
		r.Then.Connection = &Connection{Kind: kind}
	case "phase":
		if r.Phase = Phase(value); r.Phase != Before && r.Phase != After {
			return wrong("phase must be before or after, not %s", value)
		}
	default:
		return wrong("unknown key %s: the keys are "+strings.Join(headerKeys, ", "), key)
	}
	return nil
}
