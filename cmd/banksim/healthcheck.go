package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

type healthcheckCommand struct {
	Control    string        `default:"127.0.0.1:8081" placeholder:"ADDRESS|URL" help:"Where the control API listens."`
	ControlTLS bool          `name:"control-tls" help:"The control API speaks https, where --control has no scheme. Its certificate may be any."`
	Timeout    time.Duration `default:"3s" help:"How long to wait for an answer."`
}

// Run succeeds if the simulator is ready.
func (c healthcheckCommand) Run(ctx context.Context, s streams) error {
	base, err := controlURL(c.Control, controlTLSFlags{ControlTLS: c.ControlTLS}.scheme())
	if err != nil {
		return wrongUse{err}
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return wrongUse{err}
	}
	// Proxies of the environment are not for this machine.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // it learns nothing
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
