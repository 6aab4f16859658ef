package controlapi

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/memory"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

const (
	// pieceSize is how many bytes of a large answer are written at a time (choice).
	pieceSize = 64 << 10
	// pieceTimeout is how long a client may take to read a piece (choice).
	pieceTimeout = 30 * time.Second
	// largeWeight is the room that a large answer takes, in bytes: about what making and writing it holds.
	largeWeight = 1 << 20
)

// largeLease is the key of the lease for a large answer in the context of its call.
type largeLease struct{}

// takeLarge refuses (429) a call if the requests under way leave no room for a large answer.
func takeLarge(lease *memory.Lease) *refusal {
	if lease.Take(largeWeight) == nil {
		return nil
	}
	return refuse(http.StatusTooManyRequests,
		"the requests under way leave no room for a large answer: ask again later")
}

// withoutRoom gives back the room for the large answer while a function waits.
func withoutRoom(ctx context.Context, wait func() error) error {
	lease := ctx.Value(largeLease{}).(*memory.Lease)
	lease.Release()
	if err := wait(); err != nil {
		return err
	}
	if err := takeLarge(lease); err != nil {
		return err
	}
	return nil
}

// largeAnswer returns an answer that is written in pieces. If the client doesn't read them in time, it is broken off.
func largeAnswer(media string, write func(io.Writer)) stream {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		buffered := bufio.NewWriterSize(pieceWriter{w}, pieceSize)
		write(buffered)
		_ = buffered.Flush() // it fails if the client is gone, and then nobody can be told
	}
}

// pieceWriter writes in pieces, and gives the client time for each.
type pieceWriter struct{ http.ResponseWriter }

// Write implements io.Writer.
func (w pieceWriter) Write(data []byte) (written int, err error) {
	for piece := range slices.Chunk(data, pieceSize) {
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(pieceTimeout))
		n, err := w.ResponseWriter.Write(piece)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// largeText returns an answer that is known as a whole.
func largeText(media string, whole []byte) stream {
	return largeAnswer(media, func(w io.Writer) { _, _ = w.Write(whole) })
}

// largeJSON returns an answer that a function writes as JSON, value by value.
func largeJSON(write func(*strictjson.Writer)) stream {
	return largeAnswer(jsonMedia, func(w io.Writer) { write(strictjson.NewWriter(w)) })
}

// largeValue returns an answer that is one value in JSON.
func largeValue(value any) stream {
	return largeJSON(func(w *strictjson.Writer) { w.Value(value) })
}
