package controlapi

import (
	"bufio"
	"net/http"
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

// replyLarge answers 200 with the JSON that a function writes piece by piece. An answer that the client doesn't read in time is broken
// off.
func (a control) replyLarge(w http.ResponseWriter, write func(wire.Stream)) error {
	release, err := a.takeRoom()
	if err != nil {
		return err
	}
	defer release()
	w.Header().Set("Content-Type", jsonMedia)
	s := wire.Stream{Writer: bufio.NewWriterSize(pieces{w, http.NewResponseController(w)}, pieceSize)}
	write(s)
	s.Text("\n")
	_ = s.Flush() // it fails if the client has disconnected, and then nobody can be told
	return nil
}

// pieces writes an answer in pieces, each within its time.
type pieces struct {
	http.ResponseWriter
	controller *http.ResponseController
}

// Write implements io.Writer.
func (p pieces) Write(data []byte) (int, error) {
	_ = p.controller.SetWriteDeadline(time.Now().Add(pieceTimeout))
	return p.ResponseWriter.Write(data)
}
