package container

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// linger is how long a container runs on after the test binary that it was started for.
const linger = "3s"

// lifeline is an open answer of the simulator, which keeps its container. It ends with the process, even with a killed one.
// It has no goroutine, so that no leak detector finds one.
type lifeline struct{ conn net.Conn }

// holdLifeline opens a lifeline. An empty linger stands for the container's time without a request.
func holdLifeline(ctx context.Context, control, token, linger string) (*lifeline, error) {
	ctx, cancel := context.WithTimeout(ctx, lifelineTimeout)
	defer cancel()
	target, err := url.Parse(control + "/v1/lifeline")
	if err != nil {
		return nil, err
	}
	if linger != "" {
		target.RawQuery = "linger=" + linger
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", target.Host)
	if err != nil {
		return nil, fmt.Errorf("opening the lifeline: %w", err)
	}
	if err := request(ctx, conn, target.String(), token); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the lifeline: %w", err), conn.Close())
	}
	return &lifeline{conn}, nil
}

// request sends the request and reads the beginning of the answer.
func request(ctx context.Context, conn net.Conn, target, token string) error {
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if err := r.Write(conn); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
		return fmt.Errorf("the simulator answers %s: %s: does its image have the version of banksim that go.mod names?", res.Status, strings.TrimSpace(string(said)))
	}
	if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
		return err
	}
	return conn.SetDeadline(time.Time{})
}

// holds reports whether the simulator still keeps its side open.
func (l *lifeline) holds() bool {
	if err := l.conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		return false
	}
	_, err := l.conn.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded) // nothing is sent on an open lifeline
}

// release ends the lifeline.
func (l *lifeline) release() {
	if l != nil {
		_ = l.conn.Close()
	}
}
