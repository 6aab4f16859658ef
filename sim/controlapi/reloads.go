package controlapi

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// reloads collects the outcome of the attempts to replace the scenario from which sandboxes start, all at one moment.
type reloads struct{ sandboxes *sandbox.Registry }

var (
	reloadsTotal = prometheus.NewDesc("banksim_scenario_reloads_total",
		"Changes of the scenario's files by result: replaced; refused, because of errors; returned, to the content in use.",
		[]string{"result"}, nil)
	reloadSuccessful = prometheus.NewDesc("banksim_scenario_last_reload_successful",
		"1 if the content of the scenario's files is in use, 0 if it was refused.", nil, nil)
	reloadTime = prometheus.NewDesc("banksim_scenario_last_reload_success_timestamp_seconds",
		"When the scenario in use was loaded, in seconds since 1970.", nil, nil)
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
