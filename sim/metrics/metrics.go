// Package metrics counts what a simulator does, for Prometheus. Tests in process do without it.
package metrics

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Config has the parts of a simulator that the metrics read.
type Config struct {
	Version   string // of the program
	Sandboxes *sandbox.Registry
	Log       *logqueue.Queue // or nil
}

// Metrics counts requests to the bank over all sandboxes, and serves all metrics of the simulator in the text format
// of Prometheus.
type Metrics struct {
	http.Handler
	requests *prometheus.CounterVec   // by operation and status
	failures *prometheus.CounterVec   // by operation
	faults   *prometheus.CounterVec   // by operation
	duration *prometheus.HistogramVec // by operation, in seconds
}

// New returns metrics that have counted nothing yet.
func New(cfg Config) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banksim_requests_total",
			Help: "Requests to the simulated interface, over all sandboxes, by operation (empty: no operation's) " +
				"and status (0: a fault lost the answer).",
		}, []string{"operation", "status"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banksim_unexplained_errors_total",
			Help: "Answers with 5xx that no rule of the interface, fault or stub explains, over all sandboxes, by operation " +
				"(empty: no operation's).",
		}, []string{"operation"}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banksim_faults_fired_total",
			Help: "Faults that fired, over all sandboxes, by operation.",
		}, []string{"operation"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "banksim_request_duration_seconds",
			Help: "Time from a request's headers to the end of its answer, with the delays of faults, by operation " +
				"(empty: no operation's).",
		}, []string{"operation"}),
	}
	for _, operation := range append(contract.Names(), "") {
		m.failures.WithLabelValues(operation) // 0, from which the first failure is an increase
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.failures, m.faults, m.duration,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(ofBuild(cfg.Version))
	registry.MustRegister(ofSandboxes(cfg.Sandboxes)...)
	registry.MustRegister(ofStore(cfg.Sandboxes)...)
	if cfg.Log != nil {
		registry.MustRegister(counter("banksim_log_lines_dropped_total",
			"Lines of the log that were dropped because it was not read, or could not be written.",
			func() float64 { return float64(cfg.Log.Dropped()) }))
	}
	m.Handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// Answered counts an answer of an operation. The status is 0 if a fault lost the answer.
func (m *Metrics) Answered(operation string, status int) {
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Inc()
}

// Unexplained counts an answer with 5xx that no rule, fault or stub explains.
func (m *Metrics) Unexplained(operation string) { m.failures.WithLabelValues(operation).Inc() }

// FaultsFired counts faults that fired for a request of an operation.
func (m *Metrics) FaultsFired(operation string, faults int) {
	m.faults.WithLabelValues(operation).Add(float64(faults))
}

// Took counts how long a request of an operation took.
func (m *Metrics) Took(operation string, d time.Duration) {
	m.duration.WithLabelValues(operation).Observe(d.Seconds())
}

func ofBuild(version string) prometheus.Collector {
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "banksim_build_info",
		Help: "The running version of banksim and of Go; always 1.",
	}, []string{"version", "goversion"})
	build.WithLabelValues(version, runtime.Version()).Set(1)
	return build
}

func ofSandboxes(r *sandbox.Registry) []prometheus.Collector {
	return []prometheus.Collector{
		gauge("banksim_scenario_last_reload_successful",
			"1 if the content of the scenario's files is in use, 0 if it was refused.",
			func() float64 {
				if r.Origin().Problem != nil {
					return 0
				}
				return 1
			}),
		gauge("banksim_sandboxes", "Number of sandboxes.", func() float64 { return float64(r.Len()) }),
		counter("banksim_evicted_exchanges_total",
			"Exchanges that were removed from a journal because there was no room for them.",
			func() float64 { return float64(r.Evicted()) }),
	}
}

// ofStore returns the metrics of the store. They are 0 for banks in memory.
func ofStore(r *sandbox.Registry) []prometheus.Collector {
	return []prometheus.Collector{
		counter("banksim_store_commits_total", "Changes of banks that the store was asked to keep.",
			func() float64 { return float64(r.StoreCounts().Commits) }),
		counter("banksim_store_failures_total",
			"Requests and calls that were refused because the store could not be used.",
			func() float64 { return float64(r.StoreCounts().Failures) }),
		counter("banksim_store_commit_seconds_total", "Time that they took.",
			func() float64 { return r.StoreCounts().Spent.Seconds() }),
		counter("banksim_store_conflicts_total",
			"Transactions of a database that were tried again, because of others or of a broken connection.",
			func() float64 { return float64(r.StoreCounts().Conflicts) }),
	}
}

func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
}

func counter(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value)
}
