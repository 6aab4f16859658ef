package capture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// The limits of a capture (choice).
const (
	MaxBytes     = 64 << 20
	maxExchanges = 10_000
	maxPairs     = 100 // headers or parameters of a request
)

// Archive says what an archive has beside the exchanges that were read.
type Archive struct {
	Entries int       // how many
	Omitted []Omitted // the entries that were left out
}

// Omitted is an entry that is left out.
type Omitted struct {
	Exchange int    // its number in the capture, from 1
	Request  string // its method and its path, as far as they can be read
	Reason   string
}

// Read reads an archive, and calls fn with each exchange. fn returns why it has no use for one, or "". files has the
// bodies that the archive only names; it may be nil. Read fails if the capture is no archive, has more than 10,000
// entries, or more than most bytes, unpacked and with these bodies.
func Read(
	ctx context.Context, capture []byte, most int64, files fs.FS, fn func(Exchange) (reason string),
) (Archive, error) {
	if int64(len(capture)) > most {
		return Archive{}, fmt.Errorf("the capture is larger than %d MiB: record a shorter session", most>>20)
	}
	capture, bodies, err := unpack(capture, most, files)
	if err != nil {
		return Archive{}, err
	}
	r := reader{
		decoder: json.NewDecoder(bytes.NewReader(capture)), bodies: bodies, fn: fn, members: map[string]bool{},
	}
	err = r.object(func(name string) error {
		r.members[name] = true
		if name != "log" {
			return r.skip()
		}
		return r.object(func(name string) error {
			if name != "entries" {
				return r.skip()
			}
			return r.entries(ctx)
		})
	})
	if err == nil {
		err = r.end()
	}
	switch {
	case ctx.Err() != nil:
		return r.archive, ctx.Err()
	case errors.Is(err, errTooMany):
		return r.archive, err
	case err != nil:
		return r.archive, fmt.Errorf("the capture is no HTTP archive (HAR): %w", inWords(err))
	case r.members["info"] && r.members["item"]:
		return r.archive, errors.New("the capture is a Postman collection: it has requests, but not what a service " +
			"answered. Send them through a proxy that writes an HTTP archive (HAR), such as mitmproxy with " +
			"--set hardump=capture.har")
	case r.archive.Entries == 0:
		return r.archive, errors.New("the capture has no exchanges: an HTTP archive (HAR) has them in log.entries; " +
			"a simulator's journal is one under journal.har")
	}
	return r.archive, nil
}

// reader reads an archive one entry at a time.
type reader struct {
	decoder *json.Decoder
	bodies  *bodies
	fn      func(Exchange) string
	members map[string]bool // at the top
	archive Archive
	last    time.Time // of the entry before
}

var errTooMany = fmt.Errorf("the capture has more than %d exchanges: record a shorter session", maxExchanges)

// ignored is a value without a use here.
type ignored struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

func (r *reader) skip() error { return r.decoder.Decode(new(ignored)) }

// object reads an object. member reads the value of each member.
func (r *reader) object(member func(name string) error) error {
	if err := r.open('{'); err != nil {
		return err
	}
	for r.decoder.More() {
		name, err := r.decoder.Token()
		if err != nil {
			return err
		}
		if err := member(fmt.Sprint(name)); err != nil {
			return err
		}
	}
	_, err := r.decoder.Token()
	return err
}

// open reads the beginning of an object or an array.
func (r *reader) open(delim json.Delim) error {
	token, err := r.decoder.Token()
	if err == nil && token != delim {
		err = fmt.Errorf("it has another value where an archive has %v, at byte %d", delim, r.decoder.InputOffset())
	}
	return err
}

// end fails if another value follows.
func (r *reader) end() error {
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, errors.New("another value follows it"))
	}
	return nil
}

func (r *reader) entries(ctx context.Context) error {
	if err := r.open('['); err != nil {
		return err
	}
	for r.decoder.More() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.archive.Entries == maxExchanges {
			return errTooMany
		}
		r.archive.Entries++
		e := entry{Started: moment{Time: r.last}} // for one without a time
		err := r.decoder.Decode(&e)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return err // nothing after it can be read
		}
		r.last = e.Started.Time
		r.add(e, err)
	}
	_, err := r.decoder.Token()
	return err
}

// add passes on the exchange of an entry, or notes why it is left out.
func (r *reader) add(e entry, err error) {
	x, reason := Exchange{Method: method(e.Request.Method)}, ""
	if err != nil {
		x.URL, _ = url.Parse(e.Request.URL) // it may be what can't be read
		reason = inWords(err).Error()
	} else if x, err = e.exchange(r.bodies); err != nil {
		reason = err.Error()
	} else {
		x.Number = r.archive.Entries
		reason = r.fn(x)
	}
	if reason != "" {
		r.archive.Omitted = append(r.archive.Omitted, Omitted{r.archive.Entries, x.name(), wording.Line(reason)})
	}
}

// inWords returns an error of decoding without the types of this program.
func inWords(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped):
		place := "it"
		if mistyped.Field != "" {
			place = mistyped.Field
		}
		return fmt.Errorf("%s is a JSON %s, where an archive has another type", place, wording.Shorten(mistyped.Value))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends early")
	}
	return err
}
