package container

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	linger          = "3s"             // how long a container runs on after the test binary that it was started for
	lifelineTimeout = 10 * time.Second // until a lifeline begins
)

// holdLifeline opens a lifeline: an open answer of the simulator, which keeps its container and ends with the process, even
// with a killed one. It has no goroutine, so that no leak detector finds one. An empty linger stands for the container's time
// without a request.
func holdLifeline(ctx context.Context, control, token, linger string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, lifelineTimeout)
	defer cancel()
	url := control + "/v1/lifeline"
	if linger != "" {
		url += "?linger=" + linger
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.URL.Host)
	if err != nil {
		return nil, fmt.Errorf("opening the lifeline: %w", err)
	}
	if err := beginLifeline(conn, r); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the lifeline: %w", err), conn.Close())
	}
	return conn, nil
}

// beginLifeline sends the request and reads the beginning of the answer.
func beginLifeline(conn net.Conn, r *http.Request) error {
	if err := conn.SetDeadline(time.Now().Add(lifelineTimeout)); err != nil {
		return err
	}
	if err := r.Write(conn); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), r)
	switch {
	case err != nil:
		return err
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("the simulator answers %s: does its image have the version of banksim that go.mod names?", res.Status)
	}
	return conn.SetDeadline(time.Time{})
}
