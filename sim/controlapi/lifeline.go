package controlapi

import (
	"net/http"
	"time"
)

const (
	maxLifelines = 500       // that are open at a time (choice)
	maxLinger    = time.Hour // (choice)

	// Without a lifeline's linger, the simulator runs on as long as without a lifeline.
	noLinger = -1 * time.Second
)

// lifeline answers with a line and leaves the answer open. As long as it is, the simulator is not idle. A simulator that
// ends when idle runs on for ?linger= after its last lifeline, whatever else is requested.
func (a control) lifeline(w http.ResponseWriter, r *http.Request) error {
	linger := noLinger
	if query := r.URL.Query(); query.Has("linger") {
		var err error
		if linger, err = time.ParseDuration(query.Get("linger")); err != nil || linger < 0 || linger > maxLinger {
			return refuse(http.StatusBadRequest, "linger must be a duration from 0s to 1h, such as 3s")
		}
	}
	defer a.lifelines.Add(-1)
	if a.lifelines.Add(1) > maxLifelines {
		return refuse(http.StatusTooManyRequests, "%d lifelines are open, as many as the simulator has: close some", maxLifelines)
	}
	if a.Hold != nil {
		defer a.Hold(linger)()
	}
	ctx, cancel := a.untilDraining(r.Context())
	defer cancel()
	w.Header().Set("Content-Type", plainText)
	w.Header().Set("Cache-Control", "no-store")
	controller := http.NewResponseController(w)
	_ = controller.SetReadDeadline(time.Time{}) // the request was read completely
	if err := (eventStream{w, controller}).write("held until this answer ends\n"); err != nil {
		return nil // the client is gone already
	}
	<-ctx.Done()
	return nil
}
