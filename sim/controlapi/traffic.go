package controlapi

import (
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/traffic"
)

// defaultTraffic is how many seconds of traffic are answered if the call doesn't say (choice).
const defaultTraffic = 60

// trafficInfo is what the whole simulator was asked, by the second.
type trafficInfo struct {
	Now     time.Time       `json:"now" about:"Real time."`
	Seconds []trafficSecond `json:"seconds" about:"Each second before the running one, the oldest first."`
}

// trafficSecond is what the simulated interface was asked in one second of real time.
type trafficSecond struct {
	At        time.Time     `json:"at" about:"When it began."`
	Requests  int           `json:"requests"`
	ByStatus  statusClasses `json:"byStatus"`
	Faults    int           `json:"faults" about:"That fired."`
	P50Micros int64         `json:"p50Micros" about:"Half of the requests took at most so long, until the answer was ready. It is at most 10% too large."`
	P95Micros int64         `json:"p95Micros" about:"95 of 100 requests took at most so long. It is at most 10% too large."`
	MaxMicros int64         `json:"maxMicros" about:"How long the slowest took."`
}

// statusClasses counts requests by the statuses of their answers.
type statusClasses struct {
	Success     int `json:"2xx"`
	Redirect    int `json:"3xx"`
	ClientError int `json:"4xx"`
	ServerError int `json:"5xx"`
	Lost        int `json:"lost" about:"A fault lost the answer."`
}

// getTraffic takes ?seconds= and answers what was asked in each of the last seconds.
func (a control) getTraffic(w http.ResponseWriter, r *http.Request) error {
	count, err := number(r.URL.Query(), "seconds", 1, traffic.Kept, defaultTraffic)
	if err != nil {
		return err
	}
	now := time.Now()
	answer := trafficInfo{Now: now.UTC(), Seconds: make([]trafficSecond, 0, count)}
	for _, s := range a.Traffic.Last(now, count) {
		answer.Seconds = append(answer.Seconds, trafficSecond{
			At: s.At, Requests: s.Requests, Faults: s.Faults,
			ByStatus:  statusClasses{s.Success, s.Redirect, s.ClientError, s.ServerError, s.Lost},
			P50Micros: s.P50.Microseconds(), P95Micros: s.P95.Microseconds(), MaxMicros: s.Max.Microseconds(),
		})
	}
	return reply(w, answer)
}
