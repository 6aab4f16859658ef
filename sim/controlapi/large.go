package controlapi

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

const (
	// pieceSize is the size of the pieces in which a large answer is written, in bytes (choice).
	pieceSize = 64 << 10
	// pieceTimeout is how long a client may take to read one (choice).
	pieceTimeout = 30 * time.Second
	// largeWeight is the share that a large answer takes of Config.Answers, in bytes: what making and writing it holds, about.
	largeWeight = 1 << 20
)

// takeRoom takes the room that a large answer needs, until release is called. It refuses (503) if there is none.
func (a control) takeRoom() (release func(), err error) {
	if a.Answers == nil {
		return func() {}, nil
	}
	if !a.Answers.TryAcquire(largeWeight) {
		return nil, refuse(http.StatusServiceUnavailable, "too many large answers are being written: ask again later")
	}
	return func() { a.Answers.Release(largeWeight) }, nil
}

// replyLarge answers 200 with the JSON that a function writes piece by piece. What fits into one piece is sent with its length; the rest
// is sent as it comes. It fails only before anything was sent: after that, an answer that can't be completed is broken off, so
// that nobody takes it for a whole one.
func (a control) replyLarge(w http.ResponseWriter, write func(*wire.Stream)) error {
	release, err := a.takeRoom()
	if err != nil {
		return err
	}
	defer release()
	w.Header().Set("Content-Type", jsonMedia)
	p := &pieces{w: w, controller: http.NewResponseController(w)}
	s := wire.NewStream(p)
	write(s)
	s.Text("\n")
	switch err := s.Err(); {
	case err == nil && !p.sent:
		w.Header().Set("Content-Length", strconv.Itoa(p.waiting.Len()))
		_ = p.send() // it fails if the client has disconnected, and then nobody can be told
	case err == nil:
		_ = p.send()
	case p.gone:
	case p.sent:
		panic(http.ErrAbortHandler) // net/http closes the connection and logs nothing
	default:
		w.Header().Del("Content-Disposition")
		return err
	}
	return nil
}

// pieces writes an answer in pieces, each within its time.
type pieces struct {
	w          http.ResponseWriter
	controller *http.ResponseController
	waiting    bytes.Buffer
	sent       bool // whether a piece was sent
	gone       bool // whether the client has disconnected
}

// Write implements io.Writer.
func (p *pieces) Write(data []byte) (int, error) {
	if p.waiting.Len() > 0 && p.waiting.Len()+len(data) > pieceSize {
		if err := p.send(); err != nil {
			return 0, err
		}
	}
	return p.waiting.Write(data)
}

// send sends what was written.
func (p *pieces) send() error {
	p.sent = true
	_ = p.controller.SetWriteDeadline(time.Now().Add(pieceTimeout))
	_, err := p.w.Write(p.waiting.Bytes())
	p.gone = err != nil
	p.waiting.Reset()
	return err
}
