package fault

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// Garbage sends bytes that are not HTTP, then the answer, and ends the connection.
type Garbage struct{}

// Describe describes the kind. In a stream of HTTP/2 nothing can come before the answer, and garbage outside of the
// stream would end the connection for other requests, too. So the answer is lost there.
func (Garbage) Describe() Description {
	return Description{
		Name:      "garbage",
		About:     "Bytes that are not HTTP, before the status line.",
		Done:      "sent bytes that are not HTTP before the answer",
		Delivers:  true,
		OverHTTP2: Reset{},
	}
}

// noise is not HTTP.
const noise = "\x00\xff\x16\x03 this is not HTTP \xfe\r\n"

// Deliver writes to the connection itself.
func (Garbage) Deliver(d Delivery) error {
	conn, _, err := http.NewResponseController(d.Writer).Hijack()
	if err != nil {
		return err
	}
	_ = conn.SetDeadline(time.Now().Add(writeTimeout))
	var all bytes.Buffer
	fmt.Fprintf(&all, "%sHTTP/1.1 %d %s\r\n", noise, d.Sent.Status, http.StatusText(d.Sent.Status))
	for _, h := range d.Sent.Header {
		fmt.Fprintf(&all, "%s: %s\r\n", h[0], h[1])
	}
	all.WriteString("Connection: close\r\n\r\n")
	all.Write(d.Sent.Body)
	_, _ = conn.Write(all.Bytes()) // an error means that the client has disconnected
	return conn.Close()
}
