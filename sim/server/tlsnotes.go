package server

import (
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// noteInterval is the time from one line about clients to the next of the same kind (choice).
	noteInterval = time.Second
	// maxShownName is how many bytes of a name a line has (choice).
	maxShownName = 80
)

// tlsNotes are the kinds of log lines about clients that didn't come to a request.
type tlsNotes struct {
	mistaken, unknownName, distrust, failed limitedNote
}

// limitedNote is a kind of log line that clients cause, of which there is one in each interval at most.
type limitedNote struct {
	mu     sync.Mutex
	last   time.Time
	others int // lines that were left out since the last one
}

// log writes a line, unless it is too early.
func (l *limitedNote) log(to *slog.Logger, message string, attributes ...any) {
	l.mu.Lock()
	now := time.Now()
	if !l.last.IsZero() && now.Sub(l.last) < noteInterval {
		l.others++
		l.mu.Unlock()
		return
	}
	if l.others > 0 {
		attributes = append(attributes, "others", l.others)
	}
	l.last, l.others = now, 0
	l.mu.Unlock()
	to.Warn(message, attributes...)
}

// noteUnknownName logs that there is no certificate for a name.
func (s *Server) noteUnknownName(name string) {
	s.tls.unknownName.log(s.log, "a client asked for https by a name that has no certificate: add it with --tls-hosts", "name", shortName(name))
}

// shortName returns the beginning of a name.
func shortName(name string) string {
	if len(name) <= maxShownName {
		return name
	}
	end := maxShownName
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// serverErrors logs what net/http has to say.
type serverErrors struct{ *Server }

// handshakeError is how a line of net/http about a handshake that failed begins.
const handshakeError = "http: TLS handshake error from "

// Write logs a line.
func (s serverErrors) Write(line []byte) (int, error) {
	text := strings.TrimRight(string(line), "\n")
	if about, ok := strings.CutPrefix(text, handshakeError); ok {
		client, reason, _ := strings.Cut(about, ": ")
		s.noteHandshake(client, reason)
	} else {
		s.log.Warn(text)
	}
	return len(line), nil
}

// noteHandshake logs why a handshake failed, unless that was logged before, or the client has only looked whether the port is
// open.
func (s *Server) noteHandshake(client, reason string) {
	has := func(texts ...string) bool {
		for _, text := range texts {
			if strings.Contains(reason, text) {
				return true
			}
		}
		return false
	}
	switch {
	case reason == "EOF" || has("connection reset by peer", "no certificates configured"):
	case s.CA() == nil && has("unknown certificate", "bad certificate", "bad record MAC"):
		s.tls.distrust.log(s.log, "a client does not trust the certificate that --tls-cert names", "client", client, "reason", reason)
	case has("unknown certificate", "bad certificate", "bad record MAC"): // by the alerts that clients send; OpenSSL encrypts its own too early
		s.tls.distrust.log(s.log, "a client does not trust the certificate: it has to trust the CA, which 'banksim ca' prints",
			"client", client, "reason", reason)
	default:
		s.tls.failed.log(s.log, "a TLS handshake failed; TLS 1.2 and 1.3 are spoken", "client", client, "reason", reason)
	}
}
