package controlapi

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics returns the handle that answers with the metrics in the Prometheus text format: those of Config.Metrics, and those
// of the sandboxes, their scenario, the process and the build.
func (a api) metrics() handle {
	registry := a.Metrics
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "banksim_build_info",
		Help: "The running version of banksim and of Go; always 1.",
	}, []string{"version", "goversion"})
	build.WithLabelValues(a.Version, runtime.Version()).Set(1)
	registry.MustRegister(
		build,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "banksim_sandboxes",
			Help: "Number of sandboxes.",
		}, func() float64 { return float64(a.Sandboxes.Len()) }),
		reloads{a.Sandboxes},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	serve := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return func(w http.ResponseWriter, r *http.Request) error {
		serve.ServeHTTP(w, r)
		return nil
	}
}
