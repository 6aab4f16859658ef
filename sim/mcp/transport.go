package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/digitalbanking-sim/banksim/sim/memory"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// The limits of a transport (choice).
const (
	maxMessage = 1_000_000       // bytes of a message
	maxCalls   = 16              // calls of a stream at a time; as many pings may come on top
	lastAnswer = 5 * time.Second // how long a stream waits for answers after the end of its input
)

// codeBusy is the code of a call that has to wait for an answer to another one. JSON-RPC leaves it to servers.
const codeBusy = -32000

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
	case !validID(data):
		refusal.Message = "the id must be a text or a whole number"
	default:
		message, err := jsonrpc.DecodeMessage(data)
		if err == nil {
			return message, nil
		}
		refusal.Message = "the message is not a request of JSON-RPC 2.0"
	}
	return nil, refusal
}

// idOf returns the id at the beginning of a message, or no id if the message doesn't begin with it.
func idOf(beginning []byte) (id jsonrpc.ID) {
	decoder := json.NewDecoder(bytes.NewReader(beginning))
	_, _ = decoder.Token() // the brace
	for {
		name, err := decoder.Token()
		var value any
		if err != nil || decoder.Decode(&value) != nil {
			return id
		}
		if name == "id" {
			id, _ = jsonrpc.MakeID(value)
			return id
		}
	}
}

// validID reports whether a message has no id, or one that its answer can repeat exactly.
func validID(data []byte) bool {
	var message struct{ ID json.RawMessage }
	if json.Unmarshal(data, &message) != nil || len(message.ID) == 0 || message.ID[0] == '"' {
		return true
	}
	const exact = 1 << 53 // whole numbers up to here are exact as a float64
	id, err := strconv.ParseInt(string(message.ID), 10, 64)
	return err == nil && -exact < id && id < exact
}

// idIfTooLarge returns the id of a message that is too large, or no id.
func idIfTooLarge(message []byte) jsonrpc.ID {
	if len(message) <= maxMessage {
		return jsonrpc.ID{}
	}
	return idOf(message)
}

// encodeRefusal returns the answer to a message that is refused, with its line break.
func encodeRefusal(id jsonrpc.ID, err error) []byte {
	return append(strictjson.MustEncode(struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"` // null if the message has none that can be told
		Error   error  `json:"error"`
	}{"2.0", id.Raw(), err}), '\n')
}

// refuseUnreadable answers a request whose body is not one message, and passes all others on.
func refuseUnreadable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			// A body that ends early is not valid JSON.
			body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
			if errors.Is(err, memory.ErrNoRoom) {
				refuseOverHTTP(w, http.StatusTooManyRequests, jsonrpc.ID{}, &jsonrpc.Error{
					Code: codeBusy, Message: "the requests under way leave no room for this one: send it again later",
				})
				return
			}
			if _, err := decodeMessage(body); err != nil {
				refuseOverHTTP(w, http.StatusBadRequest, idIfTooLarge(body), err)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.Header.Set("Accept", "application/json, text/event-stream") // the SDK wants both, and answers with one
		}
		next.ServeHTTP(w, r)
	})
}

// refuseOverHTTP answers a request with a status and an error of JSON-RPC.
func refuseOverHTTP(w http.ResponseWriter, status int, id jsonrpc.ID, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encodeRefusal(id, err))
}

// Lines returns a transport with a message a line. It answers a line that it can't read with an error, and goes on. It
// refuses a call while maxCalls others have no answer. At the end of the input, it waits for the last answers. The
// SDK's own transport ends at such a line, and loses the answers at the end of a script's input.
func Lines(in io.Reader, out io.Writer) sdk.Transport {
	return &lines{in: in, out: out, messages: make(chan jsonrpc.Message), closed: make(chan struct{}),
		open: map[jsonrpc.ID]bool{}}
}

// lines is the transport of a stream, and its only connection.
type lines struct {
	in       io.Reader
	messages chan jsonrpc.Message // closed at the end of the input
	closed   chan struct{}        // closed by Close
	close    sync.Once
	answers  sync.WaitGroup // has a unit for each open call until its answer is written

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // the calls without an answer, and whether the client has cancelled them

	writing sync.Mutex
	out     io.Writer // if the client doesn't read it, refusals wait here, and nothing more is read
}

// Connect starts to read messages.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go l.readMessages()
	return l, nil
}

func (l *lines) readMessages() {
	defer close(l.messages)
	for reader := bufio.NewReader(l.in); ; {
		line, err := readLine(reader)
		if len(line) > 0 && l.accept(line) != nil || err != nil {
			break
		}
	}
	answered := make(chan struct{})
	go func() {
		l.answers.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(lastAnswer):
	case <-l.closed:
	}
}

// readLine returns a line, or its beginning if it is longer than a message.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for more := true; more && err == nil; {
		var piece []byte
		piece, more, err = in.ReadLine()
		line = append(line, piece[:min(len(piece), maxMessage+1-len(line))]...)
	}
	return line, err
}

// accept hands the message of a line to the server, or refuses it. It fails if the connection is closed.
func (l *lines) accept(line []byte) error {
	message, err := decodeMessage(line)
	if err != nil {
		return l.refuse(encodeRefusal(idIfTooLarge(line), err))
	}
	l.noteCancelled(message)
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		if refusal := l.openCall(request); refusal != nil {
			return l.refuse(refusal)
		}
	}
	select {
	case l.messages <- message:
		return nil
	case <-l.closed:
		return io.ErrClosedPipe
	}
}

// openCall notes a call until its answer is written. It returns the refusal of a call that can't be made now, or nil.
func (l *lines) openCall(call *jsonrpc.Request) (refusal []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := maxCalls
	if call.Method == "ping" {
		limit = 2 * maxCalls
	}
	_, isOpen := l.open[call.ID]
	switch {
	case isOpen: // an answer with this id would pass for the answer to the other call
		return encodeRefusal(jsonrpc.ID{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: "the id is in use: wait for its answer, or give each call an id of its own"})
	case len(l.open) >= limit:
		return encodeRefusal(call.ID, &jsonrpc.Error{Code: codeBusy,
			Message: fmt.Sprintf("at most %d calls at a time: wait for an answer", limit)})
	}
	l.open[call.ID] = false
	l.answers.Add(1)
	return nil
}

// Read returns the next message for the server.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message, more := <-l.messages:
		if more {
			return message, nil
		}
	case <-l.closed:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, io.EOF
}

// Write writes a message of the server. An answer ends its call.
func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if response, ok := message.(*jsonrpc.Response); ok {
		wasOpen, wasCancelled := l.closeCall(response.ID)
		if wasOpen {
			defer l.answers.Done()
		}
		if wasCancelled {
			return nil
		}
	}
	_, err = l.out.Write(append(line, '\n'))
	return err
}

// closeCall reports whether a call was open, and whether the client has cancelled it. It is open no longer: the client
// can use the id again after the answer.
func (l *lines) closeCall(id jsonrpc.ID) (wasOpen, wasCancelled bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	wasCancelled, wasOpen = l.open[id]
	delete(l.open, id)
	return wasOpen, wasCancelled
}

// noteCancelled notes the call that a message cancels. It gets no answer.
func (l *lines) noteCancelled(message jsonrpc.Message) {
	note, ok := message.(*jsonrpc.Request)
	var params struct{ RequestID any }
	if !ok || note.Method != "notifications/cancelled" || json.Unmarshal(note.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, isOpen := l.open[id]; err == nil && isOpen {
		l.open[id] = true
	}
}

// refuse writes a refusal.
func (l *lines) refuse(line []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(line)
	return err
}

// Close ends the connection. Input and output stay open.
func (l *lines) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// SessionID returns no id: a stream is one session.
func (*lines) SessionID() string { return "" }
