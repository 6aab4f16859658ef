package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The limits of a transport (choice).
const (
	maxMessage = 1_000_000       // bytes of a message
	maxCalls   = 16              // calls of a stream at a time
	lastAnswer = 5 * time.Second // how long a stream waits for answers after the end of its input
)

// decodeMessage reads a message. It refuses a batch before any of its calls: the protocol dropped batches.
func decodeMessage(data []byte) (jsonrpc.Message, error) {
	refusal := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	switch {
	case len(data) > maxMessage:
		refusal.Message = fmt.Sprintf("a message has at most %d bytes", maxMessage)
	case !json.Valid(data):
		refusal.Code, refusal.Message = jsonrpc.CodeParseError, "the message is not valid JSON"
	case bytes.TrimSpace(data)[0] == '[':
		refusal.Message = "batches are not supported: send each request as a message of its own"
	default:
		message, err := jsonrpc.DecodeMessage(data)
		if err == nil {
			return message, nil
		}
		refusal.Message = "the message is not a request of JSON-RPC 2.0"
	}
	return nil, refusal
}

// encodeRefusal returns the answer to a message that decodeMessage refuses, with its line break. The id is null.
func encodeRefusal(err error) []byte {
	data, _ := jsonrpc.EncodeMessage(&jsonrpc.Response{Error: err})
	return append(data, '\n')
}

// refuseUnreadable answers a request whose body is not one message, and passes all others on.
func refuseUnreadable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(io.LimitReader(r.Body, maxMessage+1)) // a body that ends early is not valid JSON
			if _, err := decodeMessage(body); err != nil {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write(encodeRefusal(err))
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, r)
	})
}

// Lines returns a transport with a message a line. It answers a line that it can't read with an error, and goes on. It
// reads no further while maxCalls calls have no answer. At the end of the input, it waits for the last answers.
func Lines(in io.Reader, out io.Writer) sdk.Transport {
	read, write := io.Pipe()
	l := &lines{out: out, calls: make(chan struct{}, maxCalls)}
	go func() {
		defer func() { _ = write.Close() }()
		for in := bufio.NewReader(in); ; {
			line, err := readLine(in)
			if len(line) > 0 && l.pass(line, write) != nil || err != nil {
				break
			}
		}
		late := time.After(lastAnswer)
		for range maxCalls {
			select {
			case l.calls <- struct{}{}:
			case <-late:
				return
			}
		}
	}()
	return &sdk.IOTransport{Reader: read, Writer: l}
}

// readLine returns a line, or its beginning if it is longer than a message.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for more := true; more && err == nil; {
		var part []byte
		part, more, err = in.ReadLine()
		line = append(line, part[:min(len(part), maxMessage+1-len(line))]...)
	}
	return line, err
}

// lines is the output of a stream.
type lines struct {
	calls chan struct{} // has an element for each call without an answer

	mu  sync.Mutex
	out io.Writer
}

// pass writes a line to the server, or the answer to a line that the server can't read.
func (l *lines) pass(line []byte, server io.Writer) error {
	message, err := decodeMessage(line)
	if err != nil {
		return l.write(encodeRefusal(err))
	}
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		l.calls <- struct{}{}
	}
	_, err = server.Write(append(line, '\n'))
	return err
}

// Write writes a message of the server, with its line break.
func (l *lines) Write(line []byte) (int, error) {
	if message, _ := jsonrpc.DecodeMessage(line); message != nil {
		if _, ok := message.(*jsonrpc.Response); ok {
			defer func() { <-l.calls }()
		}
	}
	return len(line), l.write(line)
}

func (l *lines) write(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(line)
	return err
}

// Close implements io.Closer. The output stays open.
func (*lines) Close() error { return nil }
