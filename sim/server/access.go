package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// bearerToken matches what an Authorization header can carry as a bearer token (RFC 6750 2.1).
var bearerToken = lazy.Regexp(`^[A-Za-z0-9._~+/-]+=*$`)

// CheckToken returns an error if a text can't be a control token. The error doesn't hold the text.
func CheckToken(token string) error {
	switch {
	case token == "":
		return errors.New("is empty: give a token, or leave it out")
	case !bearerToken().MatchString(token):
		return errors.New("is not what a header can carry as a bearer token: use letters, digits and . _ ~ + / -")
	}
	return nil
}

// access decides who may call the control API that a listener serves. If other machines can reach it and the
// configuration sets nothing, calls need a random token.
func (c Config) access(listener net.Listener) (controlapi.Access, error) {
	address := strings.TrimPrefix(strings.TrimPrefix(c.Control, "http://"), "https://")
	host, _, _ := net.SplitHostPort(address) // it is an address, for the listener is listening there
	access := controlapi.Access{
		Token: c.ControlToken,
		Named: c.ControlTokens,
		Local: listener.Addr().(*net.TCPAddr).IP.IsLoopback(),
		Host:  host,
	}
	switch {
	case access.Token == "" && access.Named == nil && !access.Local:
		access.Token = rand.Text()
	case access.Token != "":
		if err := CheckToken(access.Token); err != nil {
			return controlapi.Access{}, fmt.Errorf("the control token %w", err)
		}
	}
	return access, nil
}
