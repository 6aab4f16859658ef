package bankapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Choices about the answers of other services.
const (
	// streamAfter is how long the bank waits for the end of an answer before it sends the beginning. Most answers are
	// there at once, and the journal has the whole of them then.
	streamAfter = 100 * time.Millisecond
	// longestPause is how long another service may send nothing.
	longestPause = time.Minute
	pieceBytes   = 32 << 10
)

// stream is the body of another service's answer, or the rest of it. A goroutine reads it, so that a reader can stop
// waiting. Two pieces are held at most.
type stream struct {
	pieces chan []byte // closed at the end
	err    error       // why the end came too early, or nil; set before pieces is closed
	ended  bool        // whether the reader has seen the end
}

// readPieces reads a body until the context ends, and closes it.
func readPieces(ctx context.Context, body io.ReadCloser) *stream {
	s := &stream{pieces: make(chan []byte)}
	go func() {
		defer close(s.pieces)
		defer func() { _ = body.Close() }()
		for total := 0; ; {
			piece := make([]byte, pieceBytes)
			n, err := body.Read(piece)
			if total += n; total > maxForwarded {
				n, err = 0, fmt.Errorf("its answer is larger than %d MiB", maxForwarded>>20)
			}
			if n > 0 {
				select {
				case s.pieces <- piece[:n]:
				case <-ctx.Done():
					err = context.Cause(ctx)
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					s.err = err
				}
				return
			}
		}
	}()
	return s
}

// next returns the next piece, or nil at the end or after a time.
func (s *stream) next(after <-chan time.Time) []byte {
	select {
	case piece, ok := <-s.pieces:
		s.ended = !ok
		return piece
	case <-after:
		return nil
	}
}

// hasMore reports whether the end of the body was not read yet.
func (s *stream) hasMore() bool { return !s.ended }

// beginning returns the whole body if it is small and comes at once, and else the pieces until then.
func (s *stream) beginning() (read []byte, err error) {
	late := time.After(streamAfter)
	for len(read) <= largeAnswer {
		piece := s.next(late)
		if piece == nil {
			break
		}
		read = append(read, piece...)
	}
	if s.ended {
		return read, s.err
	}
	return read, nil
}

// all returns the whole body, and takes the room for it.
func (s *stream) all(held *leases) (read []byte, err error) {
	late := time.After(longestPause)
	for piece := s.next(late); piece != nil; piece = s.next(late) {
		if read = append(read, piece...); len(read) > fault.MaxAnswer {
			return nil, fmt.Errorf("its answer is larger than %d MiB, and a fault alters it", fault.MaxAnswer>>20)
		}
		if err := held.takeAnswer(cap(read)); err != nil {
			return nil, err
		}
	}
	if !s.ended {
		return nil, fmt.Errorf("its answer, which a fault alters, has not ended within %s", longestPause)
	}
	return read, s.err
}

// copyTo sends the rest of the body as it comes, and returns how many bytes it has sent. It fails if the other service
// breaks off, or sends nothing for too long, or if the client has gone.
func (s *stream) copyTo(w http.ResponseWriter) (sent int, err error) {
	client := http.NewResponseController(w)
	for {
		_ = client.SetWriteDeadline(time.Now().Add(longestPause + writeTimeout))
		if err := client.Flush(); err != nil {
			return sent, err
		}
		piece := s.next(time.After(longestPause))
		switch {
		case s.ended:
			return sent, s.err
		case piece == nil:
			return sent, fmt.Errorf("the other service has sent nothing for %s", longestPause)
		}
		n, err := w.Write(piece)
		if sent += n; err != nil {
			return sent, err
		}
	}
}
