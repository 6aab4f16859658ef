package fault

import "net/http"

// end ends the connection in an orderly way, without an answer.
func end(w http.ResponseWriter, r *http.Request) error {
	conn, err := hijack(w, r)
	if err != nil {
		return err
	}
	return conn.Close()
}
