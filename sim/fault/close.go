package fault

import "net/http"

// Close ends the connection. The answer is lost.
type Close struct{}

// Describe describes the kind.
func (Close) Describe() Description {
	return Description{
		Name:  "close",
		About: "The connection ends without an answer.",
		Done:  "closed the connection and sent no answer",
	}
}

// Deliver sends nothing.
func (Close) Deliver(Delivery) error { return http.ErrAbortHandler }
