package watch

import (
	"log/slog"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// maxLogged is how many warnings of a scenario are logged at a time (choice).
const maxLogged = 10

// LogWarnings logs what is doubtful in a scenario: the first warnings, and how many more there are. It reads the scenario
// again, so it is for the time after the scenario is served.
func LogWarnings(log *slog.Logger, sc *scenario.Scenario) {
	warnings, err := sc.Warnings()
	if err != nil {
		log.Warn("the scenario was not searched for what is doubtful", "scenario", sc.Name, "error", err)
		return
	}
	for _, w := range warnings[:min(len(warnings), maxLogged)] {
		log.Warn("doubtful in the scenario", "warning", w.String())
	}
	if more := len(warnings) - maxLogged; more > 0 {
		log.Warn("more is doubtful in the scenario: banksim validate reports all", "warnings", more)
	}
}
