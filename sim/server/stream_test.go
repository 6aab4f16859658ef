package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// multiplexed returns a client that speaks HTTP/2 with prior knowledge, and takes 64 KiB of a stream before it reads.
func multiplexed(p *pipes) *http.Client {
	transport := &http.Transport{DialContext: p.dial, Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10}}
	transport.Protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: transport}
}

// A client that stops reading a stream loses it, and nothing else.
func TestStalledStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		p, closed := listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			large(w, r)
			if r.URL.Path == "/stalled" {
				ended <- time.Now()
			}
		}))
		defer closed()
		client := multiplexed(p)
		defer client.CloseIdleConnections()
		began := time.Now()
		stalled, err := client.Get("http://bank/stalled")
		require.NoError(t, err)
		require.Equal(t, 2, stalled.ProtoMajor)
		other, err := client.Get("http://bank/")
		require.NoError(t, err)
		assert.Equal(t, stallTimeout, (<-ended).Sub(began))
		_, err = io.Copy(io.Discard, stalled.Body)
		assert.ErrorContains(t, err, "INTERNAL_ERROR", "the stream is reset")

		// The other one has not read for as long, and is over, too; a new one has the connection.
		require.NoError(t, other.Body.Close())
		whole, err := client.Get("http://bank/")
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, whole.Body)
		assert.NoError(t, err)
		assert.EqualValues(t, 1<<20, n)
	})
}

// A client that reads a stream slowly gets all of it. So does one of a stream in which nothing is written for a while.
func TestSlowStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, closed := listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			large(w, r)
			time.Sleep(5 * time.Minute)
			assert.NoError(t, http.NewResponseController(w).Flush())
			time.Sleep(5 * time.Minute)
			large(w, r)
		}))
		defer closed()
		client := multiplexed(p)
		defer client.CloseIdleConnections()
		res, err := client.Get("http://bank/")
		require.NoError(t, err)
		for range 2 << 20 >> 15 {
			time.Sleep(5 * time.Second)
			_, err := io.ReadFull(res.Body, make([]byte, 32<<10))
			require.NoError(t, err)
		}
	})
}

// A deadline of the handler's holds for all that it writes in a stream.
func TestDeadlineOfAHandlerOfAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		p, closed := listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.NoError(t, http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Second)))
			large(w, r)
			ended <- time.Now()
		}))
		defer closed()
		client := multiplexed(p)
		defer client.CloseIdleConnections()
		began := time.Now()
		res, err := client.Get("http://bank/")
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		assert.Equal(t, time.Second, (<-ended).Sub(began))
	})
}

// A deadline holds for what is written, not for the pauses between: a stream of events sets one for each of them.
func TestDeadlineBetweenWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, closed := listen(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			controller := http.NewResponseController(w)
			for range 3 {
				assert.NoError(t, controller.SetWriteDeadline(time.Now().Add(time.Second)))
				_, err := io.WriteString(w, "event\n")
				assert.NoError(t, err)
				assert.NoError(t, controller.Flush())
				time.Sleep(time.Minute)
			}
			assert.NoError(t, controller.SetWriteDeadline(time.Time{}))
		}))
		defer closed()
		client := multiplexed(p)
		defer client.CloseIdleConnections()
		res, err := client.Get("http://bank/")
		require.NoError(t, err)
		events, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		assert.Equal(t, "event\nevent\nevent\n", string(events))
	})
}

// A shutdown waits for requests of a connection that were received, and cuts off those that are half sent.
func TestShutdownCutsHalfSentStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := make(chan bool)
		read := make(chan error, 1)
		p, closed := listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began <- true
			if r.URL.Path == "/received" {
				time.Sleep(5 * time.Second)
				_, _ = io.WriteString(w, "whole")
				return
			}
			_, err := io.ReadAll(r.Body)
			read <- err
		}))
		defer closed()
		client := multiplexed(p)
		defer client.CloseIdleConnections()
		body, writer := io.Pipe()
		defer func() { _ = writer.Close() }()
		answered := make(chan string, 2)
		for path, content := range map[string]io.Reader{"/received": http.NoBody, "/half-sent": body} {
			go func() {
				res, err := client.Post("http://bank"+path, "text/plain", content)
				if err != nil {
					answered <- path + err.Error()
					return
				}
				text, _ := io.ReadAll(res.Body)
				answered <- path + " " + string(text)
			}()
			<-began
		}
		started := time.Now()
		ended := make(chan error, 1)
		go func() { ended <- p.of.shutdown(t.Context()) }()
		assert.ErrorIs(t, <-read, os.ErrDeadlineExceeded)
		assert.Equal(t, halfSentTimeout, time.Since(started))
		assert.Equal(t, "/half-sent ", <-answered)
		assert.Equal(t, "/received whole", <-answered)
		assert.NoError(t, <-ended)
		assert.Empty(t, p.of.open.streams)
	})
}

// A stream that comes once a shutdown has cut off the others is cut off at once.
func TestStreamAfterTheCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := make(chan error, 1)
		p, closed := listen(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			read <- err
		}))
		defer closed()
		client := multiplexed(p)
		defer client.CloseIdleConnections()
		res, err := client.Post("http://bank", "text/plain", http.NoBody) // so that the server knows what the connection speaks
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.NoError(t, <-read)
		p.of.open.cut()
		body, writer := io.Pipe()
		defer func() { _ = writer.Close() }()
		began := time.Now()
		go func() {
			if res, err := client.Post("http://bank", "text/plain", body); err == nil {
				_ = res.Body.Close()
			}
		}()
		assert.True(t, errors.Is(<-read, os.ErrDeadlineExceeded))
		assert.Zero(t, time.Since(began))
	})
}
