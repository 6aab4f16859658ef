package fault

import "net/http"

// truncated returns an answer with the beginning of its body, under the Content-Length of the whole.
func (c *Connection) truncated(a Answer) Answer {
	kept := len(a.Body) / 2
	if c.Truncate != nil {
		kept = min(*c.Truncate, len(a.Body))
	}
	a.Body = a.Body[:kept]
	return a
}

// truncate sends a part of the body. Since the head promises more, net/http then ends the connection.
func (c *Connection) truncate(w http.ResponseWriter, a Answer) { write(w, c.truncated(a)) }
