package controlapi

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// newMetrics returns the handler that answers with the metrics in the Prometheus text format: those of Config.Metrics, and
// those of the sandboxes, their scenario, the process and the build.
func (a control) newMetrics() http.Handler {
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "banksim_build_info",
		Help: "The running version of banksim and of Go; always 1.",
	}, []string{"version", "goversion"})
	build.WithLabelValues(a.Version, runtime.Version()).Set(1)
	a.Metrics.MustRegister(
		build,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "banksim_sandboxes",
			Help: "Number of sandboxes.",
		}, func() float64 { return float64(a.Sandboxes.Len()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "banksim_control_streams",
			Help: "Number of open event streams.",
		}, func() float64 { return float64(a.streams.open()) }),
		reloads{a.Sandboxes},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(a.Metrics, promhttp.HandlerOpts{})
}

func (a control) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	a.metrics.ServeHTTP(w, r)
	return nil
}
