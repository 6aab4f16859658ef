package bankapi

import (
	"context"
	"net"
)

// connection is what the bank API knows of a connection: that it isn't another one.
type connection struct{ _ byte } // not empty, so that each has an address of its own

type connectionKey struct{}

// WithConn gives the requests of a connection its identity, by which a retry on another connection is recognized. It is for
// http.Server.ConnContext.
func WithConn(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, new(connection))
}

// connectionOf returns the connection of a request's context; nil: it is not known.
func connectionOf(ctx context.Context) *connection {
	conn, _ := ctx.Value(connectionKey{}).(*connection)
	return conn
}
