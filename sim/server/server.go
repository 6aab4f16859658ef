package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/console"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Limits of all listeners (choice). A handler that takes longer over an answer extends the time for writing by
// [http.ResponseController]; the code that reads a body limits its size.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second // header and body
	writeTimeout      = 30 * time.Second
	// idleTimeout is how long a connection may be without a request. A client should end its connections earlier, or
	// it may send a request on a connection that is being closed. Go's client ends them after 90 s.
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 32 << 10
	maxStreams     = 20 // of a connection of HTTP/2 at a time
)

// Config configures a server.
type Config struct {
	// Listen has the addresses of the service listeners, such as 127.0.0.1:8080, or https://127.0.0.1:8443 for TLS.
	// Port 0 takes any free port. The default sandbox has the URL of the first listener.
	Listen  []string
	Control string // address of the control listener
	// Ports has open listeners at these addresses, from OpenPorts. If it is nil, Start opens them.
	Ports *Ports
	// Certificates has the certificates of the https listeners, or is nil if there are no such listeners.
	Certificates *tlsca.Certificates
	Sandboxes    *sandbox.Registry
	// PublicURL is the default sandbox's base URL for clients, as CleanPublicURL returns it. The control API shows
	// it, and links have its scheme and port. If it is empty, the URL of the first service listener is taken.
	PublicURL string
	// TrustForwarded has links take X-Forwarded-Proto, -Host, -Port and -Prefix, see bankapi.Config, and logs and
	// resets the client of X-Forwarded-For.
	TrustForwarded bool
	// ForwardUnknown is the URL of the service that answers what nothing else does; see bankapi.Config.
	ForwardUnknown string
	// ControlToken is the token that calls of the control API need. If it is empty, calls need no token on loopback,
	// and a random token elsewhere.
	ControlToken string
	// ControlTokens has tokens of the control API with fewer rights. Then no random token is drawn. It may be nil.
	ControlTokens *controlapi.TokenFile
	// IdleAfter is how long the simulator may be without requests before Idle reports it; 0 is forever.
	IdleAfter time.Duration
	// FreesMemory gives free memory back to the system when there was no request for ten seconds. It is for a process
	// that does nothing else.
	FreesMemory bool
	// NoDefault refuses requests whose URL names no sandbox; see bankapi.Config.
	NoDefault bool
	// SandboxHosts are patterns of hosts that name sandboxes; see bankapi.Config.
	SandboxHosts []string
	// CORSOrigins has the origins for banks whose scenario doesn't list origins; see bankapi.Config.
	CORSOrigins []string
	Version     string // of the program
	Log         *slog.Logger
	// LogQueue is the queue that Log writes to, or nil. /readyz asks it whether the log is read.
	LogQueue *logqueue.Queue
	// Metrics counts requests, and serves GET /metrics of the control API. If it is nil, nothing is counted.
	Metrics Metrics
	// Inference finds the banks behind captures for the control API. The zero value refuses every capture.
	Inference controlapi.Inference
	// Agents returns the handler for coding agents below the control API. It may be nil.
	Agents func(*Server) http.Handler
}

// Metrics counts what a simulator does, and serves the counts.
type Metrics interface {
	bankapi.Meter
	http.Handler
}

// Server is a running simulator.
type Server struct {
	services []*listener
	control  *listener
	bank     *bankapi.Handler
	log      *slog.Logger
	ready    atomic.Bool
	draining chan struct{} // closed when the shutdown begins
	drain    func()        // closes it, once
	failed   chan error
	access   controlapi.Access
	idle     *idleTimer
	certs    *tlsca.Certificates

	mu     sync.Mutex
	own    map[*listener]bool // those that serve one sandbox each
	closed bool
}

// listener is an HTTP server and its address.
type listener struct {
	http   *http.Server
	net    net.Listener
	secure bool // whether it speaks TLS
}

// Start starts a simulator: it accepts connections when Start returns. If that fails, it leaves nothing behind.
func Start(ctx context.Context, cfg Config) (_ *Server, err error) {
	ports := cfg.Ports
	if ports == nil {
		if ports, err = OpenPorts(ctx, cfg.Listen, cfg.Control); err != nil {
			return nil, err
		}
	}
	s := &Server{draining: make(chan struct{}), failed: make(chan error, len(cfg.Listen)+1), log: cfg.Log,
		own: map[*listener]bool{}, idle: newIdleTimer(cfg.IdleAfter), certs: cfg.Certificates}
	s.drain = sync.OnceFunc(func() {
		s.ready.Store(false)
		close(s.draining)
	})
	defer func() {
		if err != nil {
			ports.Close()
			s.Close()
		}
	}()
	for _, p := range ports.services {
		l, err := s.newListener("service", p)
		if err != nil {
			return nil, err
		}
		s.services = append(s.services, l)
	}
	if s.control, err = s.newListener("control", ports.control); err != nil {
		return nil, err
	}
	if s.access, err = cfg.access(s.control.net); err != nil {
		return nil, err
	}
	s.bank = bankapi.New(bankapi.Config{
		Sandboxes:      cfg.Sandboxes,
		PublicURL:      cfg.PublicURL,
		NoDefault:      cfg.NoDefault,
		SandboxHosts:   cfg.SandboxHosts,
		TrustForwarded: cfg.TrustForwarded,
		CORSOrigins:    cfg.CORSOrigins,
		ForwardUnknown: cfg.ForwardUnknown,
		Control:        s.aboutControl,
		Meter:          cfg.Metrics,
		Log:            cfg.Log,
		Draining:       s.draining,
	})
	var logStuck func() bool
	if queue := cfg.LogQueue; queue != nil {
		logStuck = queue.Stuck
	}
	base, secure := cmp.Or(cfg.PublicURL, s.ServiceURL()), ""
	if cfg.PublicURL == "" && !s.services[0].secure {
		secure = s.HTTPSURL()
	}
	var agents http.Handler
	if cfg.Agents != nil {
		agents = cfg.Agents(s)
	}
	control := controlapi.New(controlapi.Config{
		Sandboxes:  cfg.Sandboxes,
		Access:     s.access,
		Ready:      s.ready.Load,
		Draining:   s.draining,
		Hold:       s.idle.hold,
		Bank:       s.bank,
		Inference:  cfg.Inference,
		Metrics:    cfg.Metrics,
		ServiceURL: base,
		HTTPSURL:   secure,
		CA:         s.CA(),
		NoDefault:  cfg.NoDefault,
		HostURLs:   cfg.hostURLs(base, secure),
		Version:    cfg.Version,
		StartedAt:  time.Now().UTC(),
		Log:        cfg.Log,
		LogStuck:   logStuck,
		CertProblem: func() error {
			if s.certs == nil {
				return nil
			}
			return s.certs.Problem()
		},
		Console: console.Handler(),
		Agents:  agents,
	})
	bank := http.Handler(s.bank)
	if cfg.TrustForwarded {
		bank, control = withClient(bank), withClient(control)
	}
	for _, l := range s.services {
		l.serveBank(s.idle.watch(bank, nil))
	}
	s.control.http.Handler = s.idle.watch(control, notUse)
	for _, l := range append(slices.Clone(s.services), s.control) {
		go s.serve(l)
	}
	if cfg.FreesMemory {
		go s.idle.freeMemory(s.draining, debug.FreeOSMemory)
	}
	s.ready.Store(true)
	return s, nil
}

// newListener returns a listener without a handler. If it fails, it closes the port.
func (s *Server) newListener(name string, p port) (*listener, error) {
	if p.secure && s.certs == nil {
		_ = p.net.Close()
		return nil, fmt.Errorf("%s listener: https needs certificates", name)
	}
	server := &http.Server{
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(serverErrors{s.log}, "", 0),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		Protocols:         new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	if p.secure {
		server.Protocols.SetHTTP2(true)
		server.TLSConfig = s.certs.TLS(func(name string) {
			s.log.Warn("a client asked for https by a name that has no certificate: add it with --tls-hosts",
				"name", name)
		})
	} else {
		server.Protocols.SetUnencryptedHTTP2(true) // for clients that know that it is spoken (RFC 9113 3.3)
	}
	return &listener{net: lingeringListener{p.net}, http: server, secure: p.secure}, nil
}

// serveBank makes the listener one of a bank.
func (l *listener) serveBank(bank http.Handler) {
	l.http.Handler = bank
	if !l.secure {
		l.net = bankListener{l.net}
	}
}

// serve serves until the listener ends.
func (l *listener) serve() error {
	if l.secure {
		return l.http.ServeTLS(l.net, "", "")
	}
	return l.http.Serve(l.net)
}

func (s *Server) serve(l *listener) {
	if err := l.serve(); !errors.Is(err, http.ErrServerClosed) {
		s.failed <- fmt.Errorf("listener %s: %w", l.net.Addr(), err)
	}
}

// serverErrors logs what net/http has to say.
type serverErrors struct{ log *slog.Logger }

// Write logs a line. A client that has only looked whether the port is open is no news.
func (e serverErrors) Write(line []byte) (int, error) {
	if text := strings.TrimSpace(string(line)); !strings.HasSuffix(text, ": EOF") {
		e.log.Warn(text)
	}
	return len(line), nil
}

// ServiceURL returns the URL of the first service listener, whatever Config.PublicURL says: the base URL of the default
// sandbox, unless Config.NoDefault is set.
func (s *Server) ServiceURL() string { return s.services[0].url() }

// ServiceURLs returns the URLs of all service listeners.
func (s *Server) ServiceURLs() []string {
	urls := make([]string, len(s.services))
	for i, l := range s.services {
		urls[i] = l.url()
	}
	return urls
}

// HTTPSURL returns the URL of the first https service listener, or "" if the simulator has no https; see ServiceURL.
func (s *Server) HTTPSURL() string {
	if i := slices.IndexFunc(s.services, func(l *listener) bool { return l.secure }); i >= 0 {
		return s.services[i].url()
	}
	return ""
}

// ControlURL returns the URL of the control API.
func (s *Server) ControlURL() string { return s.control.url() }

// aboutControl says where the control API is if a path is one of its.
func (s *Server) aboutControl(path string) string {
	if !controlapi.Has(path) {
		return ""
	}
	return fmt.Sprintf("%s is a path of the control API, and this is the bank: call %s%s",
		wording.Quote(path), s.ControlURL(), wording.Shorten((&url.URL{Path: path}).EscapedPath()))
}

// ConsoleURL returns the URL of the console, for a browser on this machine.
func (s *Server) ConsoleURL() string { return controlapi.ConsoleURL(s.ControlURL()) }

// ControlToken returns the token that calls of the control API need: the configured token or a random one. It is ""
// if calls need no token.
func (s *Server) ControlToken() string { return s.access.Token }

// CA returns the certificate that clients must trust (PEM), or nil if the simulator has no CA of its own.
func (s *Server) CA() []byte {
	if s.certs == nil {
		return nil
	}
	return s.certs.CA()
}

// Idle delivers the reason when the simulator has become idle: there was no request for Config.IdleAfter, or the last
// keepalive has ended. A request under way, such as an open stream, keeps a server from being idle. Requests for
// health, readiness and metrics don't.
func (s *Server) Idle() <-chan string { return s.idle.idle }

// Failed delivers the error of a listener that failed.
func (s *Server) Failed() <-chan error { return s.failed }

// Shutdown ends the server: it accepts no more connections, waits for the requests under way, and closes the control
// listener last. When the context ends first, it cuts off open requests and returns the context's error.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain()
	defer s.Close()
	banks := append(s.takeOwn(), s.services...)
	errs := make([]error, len(banks), len(banks)+1)
	var all sync.WaitGroup
	for i, l := range banks {
		all.Go(func() { errs[i] = l.http.Shutdown(ctx) })
	}
	all.Wait()
	return errors.Join(append(errs, s.control.http.Shutdown(ctx))...)
}

// Close ends the server immediately.
func (s *Server) Close() {
	s.drain()
	for _, l := range append(s.takeOwn(), s.services...) {
		l.close()
	}
	if s.control != nil {
		s.control.close()
	}
}

// close ends a listener, also one that doesn't serve yet.
func (l *listener) close() {
	_ = l.http.Close()
	_ = l.net.Close()
}

// url returns the listener's URL for callers on this machine. If it listens on all addresses, that is 127.0.0.1: every
// machine and container has it.
func (l *listener) url() string {
	addr := l.net.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http"
	if l.secure {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}
