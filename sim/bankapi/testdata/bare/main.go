// Command bare is what the benchmarks compare the simulator with: a net/http handler that reads the body of a request
// and writes the same answer to each. The answer comes from standard input; when that ends, so does the program.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	answer, err := http.ReadResponse(bufio.NewReader(os.Stdin), nil)
	if err != nil {
		log.Fatalf("bare: standard input has no answer: %v", err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatalf("bare: the answer's body: %v", err)
	}
	answer.Header.Del("Date") // which net/http writes by itself

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatalf("bare: %v", err)
	}
	fmt.Println("http://" + listener.Addr().String())
	go func() {
		log.Fatal(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			for name, values := range answer.Header {
				w.Header()[name] = values
			}
			w.WriteHeader(answer.StatusCode)
			_, _ = w.Write(body)
		})))
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}
