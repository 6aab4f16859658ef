package bankapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// mistaken returns a plant: every third request to an operation is answered by the mistake, which may ask the bank.
func mistaken(op *contract.Operation, mistake func(bank http.Handler, w http.ResponseWriter, r *http.Request)) func(http.Handler) http.Handler {
	return func(bank http.Handler) http.Handler {
		var requests atomic.Int64
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == op.Method && r.URL.Path == op.Path && requests.Add(1)%3 == 0 {
				mistake(bank, w, r)
				return
			}
			bank.ServeHTTP(w, r)
		})
	}
}

// lateLists answers some lists with the first one.
func lateLists(bank http.Handler) http.Handler {
	var once sync.Once
	first := httptest.NewRecorder()
	return mistaken(contract.GroupsList, func(bank http.Handler, w http.ResponseWriter, r *http.Request) {
		once.Do(func() { bank.ServeHTTP(first, r) })
		playBack(w, first)
	})(bank)
}

// lostUpdates answers some updates without carrying them out.
var lostUpdates = mistaken(contract.EstatementsUpdateAccount, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })

// ignoredRevocations answers some revocations without carrying them out.
var ignoredRevocations = mistaken(contract.TokensRevoke, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })

// refusals answers some creations as if a reset had ended them.
func refusals(code string) func(http.Handler) http.Handler {
	return mistaken(contract.GroupsCreate, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintf(w, `{"code":%q}`, code)
	})
}

// over returns a plant: requests that a reset has ended are answered by the mistake.
func over(mistake func(bank http.Handler, w http.ResponseWriter, r *http.Request)) func(http.Handler) http.Handler {
	return func(bank http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			again := r.Clone(r.Context())
			r.Body, again.Body = io.NopCloser(bytes.NewReader(sent)), io.NopCloser(bytes.NewReader(sent))
			answer := httptest.NewRecorder()
			bank.ServeHTTP(answer, r)
			if r.Method == contract.GroupsCreate.Method && answer.Code == http.StatusServiceUnavailable {
				mistake(bank, w, again)
				return
			}
			playBack(w, answer)
		})
	}
}

// answersOfTheOver answers creations that a reset has ended as their generation would have.
var answersOfTheOver = over(func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte(`{"groupId":"of-the-over"}`))
})

// changesOfTheOver refuses creations that a reset has ended, and carries them out all the same.
var changesOfTheOver = over(func(bank http.Handler, w http.ResponseWriter, r *http.Request) {
	bank.ServeHTTP(httptest.NewRecorder(), r)
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprintf(w, `{"code":%q}`, generationEnded)
})
