package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/console"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/memlimit"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/sim/traffic"
)

// Limits of both listeners (choice). The code that reads a body limits its size.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second // header and body
	// idleTimeout is how long a connection may be without a request. Clients that keep connections should end them first, or
	// a request may meet the end of its connection: those of Go do after 90 s.
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 32 << 10
	startTimeout   = 10 * time.Second // until all listeners answer

	// headerSlop is how far net/http reads beyond http.Server.MaxHeaderBytes before it refuses a header. On a reused
	// connection it may have read that much ahead already, so the limit is higher there by as much.
	headerSlop = 4096
)

// Config configures a server.
type Config struct {
	Service   string // address of the service listener, such as 127.0.0.1:8080; port 0: any free one
	Control   string // address of the control listener
	Sandboxes *sandbox.Registry
	// ServiceTLS is the address of another service listener, which speaks https. Empty: there is none.
	ServiceTLS string
	ControlTLS bool // whether the control listener speaks https
	// Certificates are those of the listeners that speak https. Nil: none does.
	Certificates *tlsca.Certificates
	// PublicURL is the base URL at which clients reach the default sandbox, as CleanPublicURL returns it: the one that the
	// control API gives them. Empty: the URL of the service listener.
	PublicURL string
	// ControlToken is the token that calls of the control API need. If it is empty, they need none on loopback and a
	// random one elsewhere, unless InsecureControl allows anyone to call.
	ControlToken    string
	InsecureControl bool
	// IdleAfter is the time without requests after which Idle is closed. 0: never.
	IdleAfter time.Duration
	// Hosts are the hosts that the service listener answers to, without ports; see bankapi.CheckHost. None: any.
	Hosts []string
	// NoDefault refuses requests whose URL names no sandbox; see bankapi.Config.
	NoDefault bool
	// SandboxHosts are patterns of hosts that name sandboxes, and SandboxHeader lets a header do so; see bankapi.Config.
	SandboxHosts  []string
	SandboxHeader bool
	// TrustedProxies are the addresses whose X-Forwarded headers decide the base URL in answers, and the host.
	TrustedProxies []netip.Prefix
	Strict         bool // whether every sandbox refuses requests whose answers would rest on nothing but a choice
	Memory         memlimit.Limits
	Version        string // of the program
	Log            *slog.Logger
	// LogQueue is where Log writes to, for the metrics and the readiness. Nil: the log has none.
	LogQueue *logqueue.Queue
}

// Server is a running simulator.
type Server struct {
	service  *listener
	secure   *listener // the service listener that speaks https; nil: there is none
	control  *listener
	bank     *bankapi.Handler
	log      *slog.Logger
	ready    atomic.Bool
	draining chan struct{} // closed when the shutdown begins
	drain    func()        // closes it, once
	failed   chan error
	access   controlapi.Access
	idle     *idleTimer
	ports    ports // of the listeners in own
	tls      tlsNotes
	certs    *tlsca.Certificates

	mu     sync.Mutex
	own    map[*listener]bool // those that serve one sandbox each
	closed bool
}

// listener is an HTTP server and the address on which it listens.
type listener struct {
	http   *http.Server
	net    net.Listener
	open   *connections
	speaks protocol
}

// connContext adds what handlers know of a connection to the context of its requests.
type connContext func(context.Context, net.Conn) context.Context

// Start starts a simulator and returns when all its listeners answer. If it fails, it leaves nothing behind.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{draining: make(chan struct{}), failed: make(chan error, 3), log: cfg.Log, own: map[*listener]bool{}, ports: ports{taken: map[int]bool{}},
		certs: cfg.Certificates}
	s.drain = sync.OnceFunc(func() {
		s.ready.Store(false)
		close(s.draining)
	})
	nets, err := cfg.listen(ctx)
	if err != nil {
		return nil, err
	}
	if s.access, err = cfg.access(nets.control); err != nil {
		return nil, errors.Join(err, nets.close())
	}
	s.idle = newIdleTimer(cfg.IdleAfter)
	metrics, meter := prometheus.NewRegistry(), new(traffic.Meter)
	s.bank = bankapi.New(bankapi.Config{
		Sandboxes:      cfg.Sandboxes,
		TrustedProxies: cfg.TrustedProxies,
		Hosts:          cfg.Hosts,
		NoDefault:      cfg.NoDefault,
		SandboxHosts:   cfg.SandboxHosts,
		SandboxHeader:  cfg.SandboxHeader,
		Strict:         cfg.Strict,
		Bodies:         cfg.Memory.Bodies,
		WorldBytes:     cfg.Memory.WorldBytes,
		Metrics:        metrics,
		Traffic:        meter,
		Log:            cfg.Log,
		Draining:       s.draining,
	})
	bank := s.idle.watch(s.bank, nil)
	s.service = s.newListener(nets.service, bank, bankapi.WithConn, plain{https: urlOf(nets.secure, "https"), flag: "--tls-listen ADDRESS"})
	if nets.secure != nil {
		s.secure = s.newListener(nets.secure, bank, bankapi.WithConn, s.speaksTLS(s.service.url()))
	}
	var logStuck func() bool
	if queue := cfg.LogQueue; queue != nil {
		logStuck = queue.Stuck
		metrics.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "banksim_log_lines_dropped_total",
			Help: "Lines of the log that were dropped because it was not read, or could not be written.",
		}, func() float64 { return float64(queue.Dropped()) }))
	}
	var onControl protocol = plain{flag: "--control-tls"}
	if cfg.ControlTLS {
		onControl = s.speaksTLS("")
	}
	s.control = s.newListener(nets.control, s.idle.watch(controlapi.New(controlapi.Config{
		Sandboxes:     cfg.Sandboxes,
		Access:        s.access,
		Ready:         s.ready.Load,
		LargeAnswers:  cfg.Memory.LargeAnswers,
		Draining:      s.draining,
		Hold:          s.idle.hold,
		Bank:          s.dialBank(cfg.Hosts),
		Metrics:       metrics,
		Traffic:       meter,
		ServiceURL:    cmp.Or(cfg.PublicURL, s.service.url()),
		HTTPSURL:      s.givenHTTPSURL(cfg.PublicURL),
		CA:            s.CA(),
		NoDefault:     cfg.NoDefault,
		SandboxHeader: cfg.SandboxHeader,
		HostURLs:      cfg.hostURLs(s.service.url(), s.givenHTTPSURL(cfg.PublicURL)),
		Version:       cfg.Version,
		StartedAt:     time.Now().UTC(),
		Log:           cfg.Log,
		LogStuck:      logStuck,
		Strict:        cfg.Strict,
		Console:       console.Handler(),
	}), notUse), controlapi.WithConn, onControl)
	for l := range s.listeners() {
		go s.serve(l)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for l := range s.listeners() {
		if err := l.awaitAnswer(ctx); err != nil {
			s.Close()
			return nil, err
		}
	}
	s.ready.Store(true)
	s.idle.start()
	return s, nil
}

// listeners yields those that Start starts.
func (s *Server) listeners() iter.Seq[*listener] {
	return func(yield func(*listener) bool) {
		for _, l := range []*listener{s.service, s.secure, s.control} {
			if l != nil && !yield(l) {
				return
			}
		}
	}
}

func (s *Server) newListener(l net.Listener, handler http.Handler, withConn connContext, speaks protocol) *listener {
	open := newConnections()
	server := &http.Server{
		Handler: noteReceived(open, answerStartupProbe(handler)),
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return withConn(withReceiving(ctx, conn), conn)
		},
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes - headerSlop,
		ErrorLog:          log.New(serverErrors{s}, "", 0),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          maxStreams,
			MaxReceiveBufferPerConnection: connectionBuffer,
			MaxReceiveBufferPerStream:     streamBuffer,
		},
	}
	return &listener{net: receivingListener{newBegunListener(pacedListener{l}, s, speaks), open}, open: open, http: server, speaks: speaks}
}

// serve serves until the listener ends.
func (l *listener) serve() error {
	return l.speaks.serve(l.http, l.net)
}

func (s *Server) serve(l *listener) {
	if err := l.serve(); !errors.Is(err, http.ErrServerClosed) {
		s.failed <- fmt.Errorf("listener %s: %w", l.net.Addr(), err)
	}
}

// ServiceURL returns the URL of the service listener, whatever Config.PublicURL says: the base URL of the default sandbox,
// unless Config.NoDefault is set.
func (s *Server) ServiceURL() string { return s.service.url() }

// ControlURL returns the URL of the control API.
func (s *Server) ControlURL() string { return s.control.url() }

// ConsoleURL returns the URL of the console, for a browser on this machine.
func (s *Server) ConsoleURL() string { return controlapi.ConsoleURL(s.ControlURL()) }

// ControlToken returns the token that calls of the control API need: that of the configuration or a random one. It is empty
// if they need none.
func (s *Server) ControlToken() string { return s.access.Token }

// Idle is closed when there was no request for Config.IdleAfter. A request under way, such as an open stream, keeps a server
// from being idle. Requests for health, readiness and metrics don't.
func (s *Server) Idle() <-chan struct{} { return s.idle.idle }

// Failed delivers the error of a listener that failed.
func (s *Server) Failed() <-chan error { return s.failed }

// Unready makes GET /readyz answer 503, so that load balancers send no more requests here. Requests are still answered.
func (s *Server) Unready() { s.ready.Store(false) }

// Shutdown ends the server: it accepts no more connections, waits for the requests under way, and closes the control
// listener last. A request that doesn't arrive completely within a second is not waited for. When the context ends first, it
// cuts off open requests and returns the context's error.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain()
	defer s.Close()
	banks := append(s.takeOwn(), s.service)
	if s.secure != nil {
		banks = append(banks, s.secure)
	}
	early := time.AfterFunc(halfSentTimeout, s.control.open.cut)
	defer early.Stop()
	errs := make([]error, len(banks), len(banks)+1)
	var all sync.WaitGroup
	for i, l := range banks {
		all.Go(func() { errs[i] = l.shutdown(ctx) })
	}
	all.Wait()
	return errors.Join(append(errs, s.control.shutdown(ctx))...)
}

// shutdown ends the listener as Server.Shutdown does.
func (l *listener) shutdown(ctx context.Context) error {
	cut := time.AfterFunc(halfSentTimeout, l.open.cut)
	defer cut.Stop()
	return l.http.Shutdown(ctx)
}

// Close ends the server immediately.
func (s *Server) Close() {
	s.drain()
	s.idle.stop()
	s.closeOwn()
	for l := range s.listeners() {
		_ = l.http.Close()
	}
}

// url returns the URL at which callers on this machine reach the listener.
func (l *listener) url() string { return urlOf(l.net, l.speaks.scheme()) }

// urlOf returns the URL at which callers on this machine reach a listener. A listener on all addresses has IPv4 ones, too, and
// every machine and container has 127.0.0.1. Without a listener, it is empty.
func urlOf(l net.Listener, scheme string) string {
	if l == nil {
		return ""
	}
	addr := l.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}
