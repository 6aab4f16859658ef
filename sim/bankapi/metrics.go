package bankapi

import "github.com/prometheus/client_golang/prometheus"

// metrics are what the handler counts, over all sandboxes.
type metrics struct {
	requests *prometheus.CounterVec   // by operation and status
	faults   *prometheus.CounterVec   // by operation
	duration *prometheus.HistogramVec // by operation, in seconds
}

// newMetrics returns the metrics, registered with a registerer unless it is nil.
func newMetrics(register prometheus.Registerer) metrics {
	m := metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banksim_requests_total",
			Help: "Requests to the simulated interface, over all sandboxes, by operation (empty: no operation's) " +
				"and status (0: a fault lost the answer).",
		}, []string{"operation", "status"}),
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
	if register != nil {
		register.MustRegister(m.requests, m.faults, m.duration)
	}
	return m
}
