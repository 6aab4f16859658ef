package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// Ports are the open listeners of a server that isn't started yet. Connections wait until it is.
type Ports struct {
	services []port
	control  port
}

// port is an open listener, and whether it is to speak TLS.
type port struct {
	net    net.Listener
	secure bool
}

// OpenPorts opens the listeners of a server for Config.Ports, at the addresses of Config.Listen and Config.Control. A
// caller does so before long work, to fail at once if a port is taken. If OpenPorts fails, it leaves nothing open.
func OpenPorts(ctx context.Context, services []string, control string) (_ *Ports, err error) {
	p := &Ports{}
	for _, address := range services {
		opened, err := openPort(ctx, "--listen", address)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.services = append(p.services, opened)
	}
	if p.control, err = openPort(ctx, "--control", control); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close closes the listeners, unless the server has done so.
func (p *Ports) Close() {
	for _, service := range p.services {
		_ = service.net.Close()
	}
	if p.control.net != nil {
		_ = p.control.net.Close()
	}
}

// wsaEADDRINUSE is what Windows calls EADDRINUSE.
const wsaEADDRINUSE = syscall.Errno(10048)

// openPort opens a listener at an address that a flag of banksim serve gives. The address may begin with a scheme, http
// or https.
func openPort(ctx context.Context, flag, address string) (port, error) {
	address, secure := strings.CutPrefix(strings.TrimPrefix(address, "http://"), "https://")
	var config net.ListenConfig
	on, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaEADDRINUSE):
		return port{}, fmt.Errorf("%s %s: %w: choose another with %s", flag, address, syscall.EADDRINUSE, flag)
	case err != nil:
		return port{}, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	return port{on, secure}, nil
}
