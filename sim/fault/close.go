package fault

import "net/http"

// end ends the connection in an orderly way, without an answer.
func end(w http.ResponseWriter) error {
	conn, err := hijack(w)
	if err != nil {
		return err
	}
	return conn.Close()
}
