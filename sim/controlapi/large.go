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

// replyLarge answers 200 with the JSON that a function writes piece by piece. An answer that the client doesn't read in time is broken
// off.
func replyLarge(w http.ResponseWriter, write func(wire.Stream)) error {
	return replyLargeAs(w, jsonMedia, func(s wire.Stream) {
		write(s)
		s.Text("\n")
	})
}

// replyLargeAs is replyLarge for another media type.
func replyLargeAs(w http.ResponseWriter, media string, write func(wire.Stream)) error {
	w.Header().Set("Content-Type", media)
	s := wire.Stream{Writer: bufio.NewWriterSize(pieces{w, http.NewResponseController(w)}, pieceSize)}
	write(s)
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
