package server

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onPort is a listener on a port, as a system would give it.
type onPort struct {
	net.Listener
	port   int
	closed bool
}

func (l *onPort) Addr() net.Addr { return &net.TCPAddr{Port: l.port} }
func (l *onPort) Close() error   { l.closed = true; return nil }

// given returns a function that gives listeners on ports, the last port again and again, and the listeners that it gave.
func given(ports ...int) (func() (net.Listener, error), *[]*onPort) {
	var all []*onPort
	return func() (net.Listener, error) {
		l := &onPort{port: ports[min(len(all), len(ports)-1)]}
		all = append(all, l)
		return l, nil
	}, &all
}

// A port that had a listener gets no other one, so that nobody reaches it who meant the first.
func TestPortsAreNotTakenTwice(t *testing.T) {
	p := &ports{taken: map[int]bool{}}
	any, listeners := given(7001, 7001, 7001, 7002)
	for _, want := range []int{7001, 7002} {
		l, err := p.listen(any)
		require.NoError(t, err)
		assert.Equal(t, want, l.Addr().(*net.TCPAddr).Port)
	}
	closed := []bool{}
	for _, l := range *listeners {
		closed = append(closed, l.closed)
	}
	assert.Equal(t, []bool{false, true, true, false}, closed, "the others are free again")
}

// If there seems to be no other port, one is taken again.
func TestPortsRunOut(t *testing.T) {
	p := &ports{taken: map[int]bool{7001: true}}
	any, listeners := given(7001)
	l, err := p.listen(any)
	require.NoError(t, err)
	assert.Len(t, *listeners, portTries)
	assert.False(t, l.(*onPort).closed)
}
