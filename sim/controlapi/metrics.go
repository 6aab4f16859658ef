package controlapi

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics returns the handle that shows the metrics in the Prometheus text format: those that the configuration's
// registry holds, and those of the sandboxes, their scenario, the process and the build.
func (a api) metrics() handle {
	registry := a.Metrics
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "banksim_build_info",
		Help: "What runs here; always 1.",
	}, []string{"version", "goversion"})
	build.WithLabelValues(a.Version, runtime.Version()).Set(1)
	registry.MustRegister(
		build,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "banksim_sandboxes",
			Help: "How many sandboxes there are.",
		}, func() float64 { return float64(a.Sandboxes.Len()) }),
		reloads{a.Sandboxes},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	show := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return func(w http.ResponseWriter, r *http.Request) error {
		show.ServeHTTP(w, r)
		return nil
	}
}
