package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answersWithin is how long a test waits for a language server at most.
const answersWithin = time.Minute

// languageServer is a running language server that speaks LSP over its standard streams.
type languageServer struct {
	t      *testing.T
	folder string // of the files

	mu          sync.Mutex
	in          io.Writer
	calls       int
	pending     map[int]chan json.RawMessage
	diagnostics map[string]chan []diagnostic // by URI
}

// lspPosition is a place in a file, from 0.
type lspPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// diagnostic is a mark that the server has put into a file.
type diagnostic struct {
	Range   struct{ Start, End lspPosition }
	Message string
}

func (d diagnostic) String() string {
	return fmt.Sprintf("%d:%d %s", d.Range.Start.Line+1, d.Range.Start.Character+1, d.Message)
}

// completion is what the server offers at a place.
type completion struct {
	Label         string
	InsertText    string
	Documentation markup
	TextEdit      struct{ NewText string }
}

// inserts returns the text that is inserted if the completion is chosen.
func (c completion) inserts() string {
	if c.TextEdit.NewText != "" {
		return c.TextEdit.NewText
	}
	return c.InsertText
}

// markup is text, or an object with text.
type markup string

// UnmarshalJSON reads either form.
func (m *markup) UnmarshalJSON(data []byte) error {
	var object struct{ Value string }
	if json.Unmarshal(data, &object) == nil {
		*m = markup(object.Value)
		return nil
	}
	return json.Unmarshal(data, (*string)(m))
}

// message is a request, an answer or a notification.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
}

// startLanguageServer runs a program for the files of a folder, until the test ends.
func startLanguageServer(t *testing.T, program, folder string) *languageServer {
	t.Helper()
	ctx, kill := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, program, "--stdio")
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = folder, os.Stderr, 10*time.Second
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := &languageServer{t: t, folder: folder, in: in, pending: map[int]chan json.RawMessage{}, diagnostics: map[string]chan []diagnostic{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		s.read(out)
	}()
	s.call("initialize", map[string]any{
		"processId": os.Getpid(),
		"rootUri":   s.uri(""),
		"capabilities": map[string]any{
			"workspace": map[string]any{"configuration": true},
			"textDocument": map[string]any{
				"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true, "documentationFormat": []string{"markdown", "plaintext"}}},
				"hover":      map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
			},
		},
	}, nil)
	s.notify("initialized", map[string]any{})
	t.Cleanup(func() {
		assert.NoError(t, in.Close()) // it ends with its input, and doesn't say how
		late := time.AfterFunc(answersWithin, kill)
		<-read
		_ = cmd.Wait()
		late.Stop()
		kill()
	})
	return s
}

// uri returns the URI of a file in the folder.
func (s *languageServer) uri(file string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(s.folder, file))}).String()
}

// open shows a file to the server, as if it was opened in an editor. The marks come on the channel.
func (s *languageServer) open(file, text string) <-chan []diagnostic {
	marks := make(chan []diagnostic, 1)
	s.mu.Lock()
	s.diagnostics[s.uri(file)] = marks
	s.mu.Unlock()
	s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": s.uri(file), "languageId": "yaml", "version": 0, "text": text}})
	return marks
}

// complete returns what is offered at a place of an open file.
func (s *languageServer) complete(file string, at lspPosition) []completion {
	var result struct{ Items []completion }
	s.call("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": s.uri(file)}, "position": at}, &result)
	return result.Items
}

// hover returns what is shown at a place of an open file.
func (s *languageServer) hover(file string, at lspPosition) string {
	var result struct{ Contents markup }
	s.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": s.uri(file)}, "position": at}, &result)
	return string(result.Contents)
}

// call makes a request and waits for its result.
func (s *languageServer) call(method string, params, result any) {
	s.t.Helper()
	answered := make(chan json.RawMessage, 1)
	s.mu.Lock()
	s.calls++
	id := s.calls
	s.pending[id] = answered
	s.mu.Unlock()
	s.write(message{ID: json.RawMessage(strconv.Itoa(id)), Method: method, Params: params})
	answer := received(s.t, answered, method)
	if result != nil && string(answer) != "null" {
		require.NoError(s.t, json.Unmarshal(answer, result), "%s: %s", method, answer)
	}
}

// received waits for a value for some time.
func received[T any](t *testing.T, values <-chan T, of string) T {
	t.Helper()
	select {
	case value, ok := <-values:
		require.True(t, ok, "the language server has ended before %s", of)
		return value
	case <-time.After(answersWithin):
		require.FailNow(t, "the language server doesn't answer", of)
		panic("unreachable")
	}
}

func (s *languageServer) notify(method string, params any) {
	s.write(message{Method: method, Params: params})
}

// write sends a message.
func (s *languageServer) write(m message) {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if !assert.NoError(s.t, err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	assert.NoError(s.t, err)
}

// read handles the messages of the server until it ends.
func (s *languageServer) read(out io.Reader) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, waiting := range s.pending {
			close(waiting)
		}
		for _, waiting := range s.diagnostics {
			close(waiting)
		}
	}()
	r := bufio.NewReader(out)
	for {
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if !assert.NoError(s.t, err) {
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		s.handle(body)
	}
}

// handle takes an answer or a notification of the server, or answers its request.
func (s *languageServer) handle(body []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
		Result json.RawMessage
		Error  json.RawMessage
	}
	if !assert.NoError(s.t, json.Unmarshal(body, &m)) {
		return
	}
	switch {
	case m.Method == "textDocument/publishDiagnostics":
		var params struct {
			URI         string
			Diagnostics []diagnostic
		}
		assert.NoError(s.t, json.Unmarshal(m.Params, &params))
		s.mu.Lock()
		waiting := s.diagnostics[params.URI]
		delete(s.diagnostics, params.URI)
		s.mu.Unlock()
		if waiting != nil {
			waiting <- params.Diagnostics
		}
	case m.Method != "" && m.ID != nil:
		s.write(message{ID: m.ID, Result: answerTo(m.Method, m.Params)})
	case m.ID != nil:
		assert.Empty(s.t, string(m.Error))
		id, _ := strconv.Atoi(string(m.ID))
		s.mu.Lock()
		answered := s.pending[id]
		delete(s.pending, id)
		s.mu.Unlock()
		if answered != nil {
			answered <- m.Result
		}
	}
}

// answerTo returns what an editor answers to a request of the server: its settings, in which the server asks no catalogue in
// the network. Other requests need no answer but that there is one.
func answerTo(method string, params json.RawMessage) any {
	if method != "workspace/configuration" {
		return struct{}{}
	}
	var asked struct{ Items []struct{ Section string } }
	_ = json.Unmarshal(params, &asked)
	settings := make([]any, len(asked.Items))
	for i, item := range asked.Items {
		settings[i] = map[string]any{}
		if item.Section == "yaml" {
			settings[i] = map[string]any{"validate": true, "hover": true, "completion": true, "schemaStore": map[string]any{"enable": false}}
		}
	}
	return settings
}
