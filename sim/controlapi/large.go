package controlapi

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Limits of large answers (choice).
const (
	// smallAnswer is the size up to which an answer is sent in one piece and waits for nobody, in bytes.
	smallAnswer = 64 << 10
	// DefaultLargeAnswers is how many larger ones are sent at a time.
	DefaultLargeAnswers = 4
	// largeAnswerWait is how long a large answer waits for its turn.
	largeAnswerWait = 10 * time.Second
)

// turns are the places of large answers.
type turns chan struct{}

func newTurns(count int) turns {
	if count < 1 {
		count = DefaultLargeAnswers
	}
	return make(turns, count)
}

// take waits for a place. It refuses (503) if there is none in time.
func (t turns) take(ctx context.Context) error {
	timer := time.NewTimer(largeAnswerWait)
	defer timer.Stop()
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
	case <-timer.C:
	}
	return refuse(http.StatusServiceUnavailable, "%d large answers are being sent, and none ended within %s: ask again later", cap(t), largeAnswerWait)
}

func (t turns) leave() { <-t }

// largeAnswer writes an answer of any size. What fits into one piece is sent with its length; the rest is sent as it
// comes, once there is a place for it.
type largeAnswer struct {
	http.ResponseWriter
	request *http.Request
	turns   turns
	piece   bytes.Buffer
	placed  bool // whether it has a place
	began   bool // whether the header was sent
	gone    bool // whether the client has disconnected
}

// Write implements io.Writer.
func (l *largeAnswer) Write(data []byte) (int, error) {
	if l.piece.Len() > 0 && l.piece.Len()+len(data) > smallAnswer {
		if err := l.send(); err != nil {
			return 0, err
		}
	}
	return l.piece.Write(data)
}

// take waits for a place, if the answer has none yet.
func (l *largeAnswer) take() error {
	if l.placed {
		return nil
	}
	err := l.turns.take(l.request.Context())
	l.placed = err == nil
	return err
}

// leave gives the place of the answer to another one.
func (l *largeAnswer) leave() {
	if l.placed {
		l.turns.leave()
	}
}

// send sends what was written.
func (l *largeAnswer) send() error {
	if !l.began {
		if err := l.take(); err != nil {
			return err
		}
		l.began = true
		l.WriteHeader(http.StatusOK)
	}
	_, err := l.ResponseWriter.Write(l.piece.Bytes())
	l.gone = err != nil
	if l.piece.Reset(); l.piece.Cap() > 2*smallAnswer {
		l.piece = bytes.Buffer{}
	}
	return err
}

// end sends the rest.
func (l *largeAnswer) end() error {
	if !l.began && l.piece.Len() <= smallAnswer {
		l.Header().Set("Content-Length", strconv.Itoa(l.piece.Len()))
		_, _ = l.ResponseWriter.Write(l.piece.Bytes()) // it fails if the client has disconnected, and then nobody can be told
		return nil
	}
	return l.send()
}

// replyLarge answers 200 with the JSON that a function writes piece by piece. It fails only before anything was sent:
// after that, an answer that can't be completed is broken off, so that nobody takes it for a whole one.
func (a control) replyLarge(w http.ResponseWriter, r *http.Request, write func(*wire.Stream)) error {
	answer := &largeAnswer{ResponseWriter: w, request: r, turns: a.large}
	defer answer.leave()
	return answer.reply(write)
}

// reply answers with what a function writes.
func (l *largeAnswer) reply(write func(*wire.Stream)) error {
	header := l.Header()
	header.Set("Content-Type", "application/json")
	s := wire.NewStream(l)
	write(s)
	s.Text("\n")
	err := s.Err()
	if err == nil {
		err = l.end()
	}
	switch {
	case err == nil || l.gone: // and then nobody can be told
		return nil
	case l.began:
		panic(http.ErrAbortHandler) // net/http closes the connection and logs nothing
	}
	header.Del("Content-Disposition")
	return err
}
