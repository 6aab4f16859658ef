package server

import (
	"net"
	"sync"
)

// portTries is how often a port is looked for that had no listener before (choice).
const portTries = 100

// ports finds ports for listeners that come and go. A client may go on after its listener has ended; it must not reach the
// next one, so no port is taken twice as long as there are others.
type ports struct {
	mu    sync.Mutex
	taken map[int]bool // ever
}

// listen listens on a port that was not taken before. The function that it is given listens on any free port.
func (p *ports) listen(onAny func() (net.Listener, error)) (net.Listener, error) {
	var refused []net.Listener // they hold their ports until another one is found
	defer func() {
		for _, l := range refused {
			_ = l.Close()
		}
	}()
	for try := 1; ; try++ {
		l, err := onAny()
		if err != nil {
			return nil, err
		}
		if p.take(l.Addr().(*net.TCPAddr).Port) || try == portTries {
			return l, nil
		}
		refused = append(refused, l)
	}
}

// take takes a port, and reports whether it was not taken before.
func (p *ports) take(port int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.taken[port]
	p.taken[port] = true
	return first
}
