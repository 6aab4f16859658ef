package controlapi

import "net/http"

// answerWriter notes the status of an answer.
type answerWriter struct {
	http.ResponseWriter
	status int // 0: the answer was not begun
}

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(data []byte) (int, error) {
	w.status = w.code()
	return w.ResponseWriter.Write(data)
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// begun reports whether the answer was begun: it can't become another one.
func (w *answerWriter) begun() bool { return w.status != 0 }

// code returns the status of the answer. Without one, the server sends 200.
func (w *answerWriter) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

// unwrapped returns the server's own writer.
func unwrapped(w http.ResponseWriter) http.ResponseWriter {
	for {
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = inner.Unwrap()
	}
}
