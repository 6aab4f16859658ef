package fault

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Header is the request header by which a caller asks for a fault.
const Header = contract.FaultHeader

// ParseHeader reads the fault that a request to an operation asks for: "status=500; delay=200ms; connection=reset;
// phase=after", with code and message for the error body. It is a rule, and checked as any other.
func ParseHeader(text, operation string) (Rule, error) {
	r := Rule{Name: Header, Operation: On(operation)}
	var given []string
	for part := range strings.SplitSeq(text, ";") {
		key, value, _ := strings.Cut(part, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch {
		case strings.TrimSpace(part) == "":
			continue
		case value == "":
			return r, fmt.Errorf("%s has no value: write it as in status=500", phrase.Quote(key))
		case slices.Contains(given, key):
			return r, fmt.Errorf("%s is given twice: remove one", phrase.Quote(key))
		}
		given = append(given, key)
		if err := r.set(key, value); err != nil {
			return r, err
		}
	}
	switch {
	case len(given) == 0:
		return r, errors.New("it is empty: write what shall happen, as in status=500; delay=200ms")
	case slices.Equal(given, []string{"phase"}):
		return r, errors.New("phase says only when: add status, delay or connection")
	}
	for _, problem := range Check([]Rule{r}) {
		return r, errors.New(problem.Message)
	}
	return r, nil
}

// set sets a part of the rule from a part of the header.
func (r *Rule) set(key, value string) error {
	then := &r.Then
	switch key {
	case "status":
		status, err := strconv.Atoi(value)
		if err != nil || status == 0 {
			return fmt.Errorf("status must be a number such as 500, not %s", phrase.Quote(value))
		}
		if status < LeastError || status > MostError {
			return fmt.Errorf("status must be from %d to %d, not %d: the header can't give the body that any other needs",
				LeastError, MostError, status)
		}
		then.Status = status
	case "code", "message":
		if then.Error == nil {
			then.Error = &Error{}
		}
		if key == "code" {
			then.Error.Code = value
		} else {
			then.Error.Message = value
		}
	case "delay":
		delay, err := time.ParseDuration(value)
		if err != nil {
			return fmt.Errorf("delay must be a duration such as 200ms, not %s", phrase.Quote(value))
		}
		then.Delay = Fixed(delay)
	case "connection":
		then.Connection = &Connection{Kind: Kind(value)}
		if !slices.Contains(Kinds, then.Connection.Kind) {
			return fmt.Errorf("connection must be one of %s, not %s", strings.Trim(fmt.Sprint(Kinds), "[]"), phrase.Quote(value))
		}
	case "phase":
		if r.Phase = Phase(value); !slices.Contains(Phases, r.Phase) {
			return fmt.Errorf("phase must be before or after, not %s", phrase.Quote(value))
		}
	default:
		return fmt.Errorf("unknown key %s: the keys are status, code, message, delay, connection, phase", phrase.Quote(key))
	}
	return nil
}
