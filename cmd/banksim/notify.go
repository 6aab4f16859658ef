package main

import (
	"net"
	"os"
)

// notifyManager tells systemd, or whatever else started the program so, that the program is ready or ends: a datagram
// to the socket that NOTIFY_SOCKET names (sd_notify(3)).
func notifyManager(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	socket, err := net.Dial("unixgram", name) // a name that begins with @ is an abstract one
	if err != nil {
		return err
	}
	defer func() { _ = socket.Close() }()
	_, err = socket.Write([]byte(state))
	return err
}
