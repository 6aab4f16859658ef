package server

import (
	"context"
	"net"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
)

// dialBank returns a function that opens a connection to the service listener, for one request. If the listener answers only
// to some hosts, the request names the first of them, unless the address of the listener is one.
func (s *Server) dialBank(hosts []string) func(context.Context) (*controlapi.BankConn, error) {
	address := strings.TrimPrefix(s.service.url(), "http://")
	name, port, _ := net.SplitHostPort(address) // it is an address
	if len(hosts) > 0 && !slices.Contains(hosts, name) {
		name = strings.TrimSuffix(strings.TrimPrefix(hosts[0], "["), "]")
	}
	host := net.JoinHostPort(name, port)
	return func(ctx context.Context) (*controlapi.BankConn, error) {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		exchange, forget := s.bank.Expect(conn)
		return &controlapi.BankConn{Conn: conn, Host: host, Exchange: exchange.ID, Forget: forget}, nil
	}
}
