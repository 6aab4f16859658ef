package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

type healthcheckCommand struct {
	Control string        `default:"127.0.0.1:8081" placeholder:"ADDRESS" help:"Where the control API listens."`
	Timeout time.Duration `default:"3s" help:"How long to wait for an answer."`
}

// Run succeeds if the simulator is ready.
func (c healthcheckCommand) Run(ctx context.Context, s streams) error {
	host, port, err := net.SplitHostPort(c.Control)
	if err != nil {
		return wrongUse{fmt.Errorf("--control %q is not an address such as 127.0.0.1:8081", c.Control)}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it listens on all addresses, this one included
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return wrongUse{err}
	}
	// Proxies of the environment are not for this machine.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
		return fmt.Errorf("not ready: %s: %s", res.Status, strings.TrimSpace(string(body)))
	}
	_, err = fmt.Fprintln(s.out, "ready")
	return err
}
