package controlapi

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// reloads collects what became of the attempts to replace the scenario that sandboxes start from, all of one moment.
type reloads struct{ sandboxes *sandbox.Registry }

var (
	reloadsTotal = prometheus.NewDesc("banksim_scenario_reloads_total",
		"How often the scenario's files had changed, by what became of it: replaced, refused (bad), returned (to what serves).",
		[]string{"result"}, nil)
	reloadSuccessful = prometheus.NewDesc("banksim_scenario_last_reload_successful",
		"Whether what the scenario's files hold is what serves: 1, or 0 where it was refused.", nil, nil)
	reloadTime = prometheus.NewDesc("banksim_scenario_last_reload_success_timestamp_seconds",
		"When the scenario that serves was loaded, in seconds since 1970.", nil, nil)
)

// Describe implements prometheus.Collector.
func (reloads) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- reloadsTotal
	descriptions <- reloadSuccessful
	descriptions <- reloadTime
}

// Collect implements prometheus.Collector.
func (c reloads) Collect(metrics chan<- prometheus.Metric) {
	origin := c.sandboxes.Origin()
	for result, count := range map[string]uint64{"replaced": origin.Replaced, "refused": origin.Refused, "returned": origin.Returned} {
		metrics <- prometheus.MustNewConstMetric(reloadsTotal, prometheus.CounterValue, float64(count), result)
	}
	successful := 1.0
	if origin.Problem != nil {
		successful = 0
	}
	metrics <- prometheus.MustNewConstMetric(reloadSuccessful, prometheus.GaugeValue, successful)
	metrics <- prometheus.MustNewConstMetric(reloadTime, prometheus.GaugeValue, float64(origin.LoadedAt.UnixMilli())/1000)
}
