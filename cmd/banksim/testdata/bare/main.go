// Command bare is an HTTP server of the standard library alone, which BenchmarkStart compares the start of the
// simulator with.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	body := make([]byte, 4300) // as long as a page of groups
	_, _ = fmt.Fprintf(os.Stderr, "msg=serving service=http://%s\n", listener.Addr())
	answer := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }
	log.Fatal(http.Serve(listener, http.HandlerFunc(answer)))
}
