package server

import (
	"net"
	"net/http"
	"strings"
)

// withClient has a handler see the client of a proxy as the remote address of a request. It is the last one in
// X-Forwarded-For: the proxy itself has added it, and anybody may have written the others.
func withClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if all := r.Header.Values("X-Forwarded-For"); len(all) > 0 {
			last := all[len(all)-1]
			client := net.ParseIP(strings.TrimSpace(last[strings.LastIndex(last, ",")+1:]))
			if client != nil {
				seen := *r
				seen.RemoteAddr = net.JoinHostPort(client.String(), "0") // the header has no port
				r = &seen
			}
		}
		next.ServeHTTP(w, r)
	})
}
