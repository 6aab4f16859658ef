package conformance

import (
	"fmt"
	"io"
)

// DryRun writes what [Run] would send, with the values of the golden exchanges in the place of the service's own, and sends
// nothing. What would be deleted and revoked afterwards is not in it.
func DryRun(w io.Writer, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	r, err := newReplayer(cfg)
	if err != nil {
		return err
	}
	defer r.close()
	text := ""
	for _, e := range r.golden {
		if r.reasonToSkip(e) != "" {
			continue
		}
		text += e.Name + "\n"
		for _, request := range r.requestsOf(e) {
			text += fmt.Sprintf("  %s %s\n", request.Method, r.BaseURL+request.Path)
		}
	}
	_, err = io.WriteString(w, text)
	return err
}
