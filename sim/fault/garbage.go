package fault

import (
	"bytes"
	"fmt"
	"net/http"
)

// noise is sent before the status line. It is not HTTP.
const noise = "\x00\xff\x16\x03 this is not HTTP \xfe\r\n"

// garbage sends noise, then the answer, and ends the connection.
func garbage(w http.ResponseWriter, a Answer) error {
	conn, err := hijack(w)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	all.WriteString(noise)
	fmt.Fprintf(&all, "HTTP/1.1 %d %s\r\n", a.Status, http.StatusText(a.Status))
	for _, h := range a.Header {
		fmt.Fprintf(&all, "%s: %s\r\n", h[0], h[1])
	}
	all.WriteString("Connection: close\r\n\r\n")
	all.Write(a.Body)
	_, _ = conn.Write(all.Bytes()) // an error means that the client has disconnected
	return conn.Close()
}
